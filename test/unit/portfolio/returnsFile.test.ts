import { expect, test } from 'vitest'
import { readReturnsFile } from '#shared/portfolio/returnsFile.ts'
import { returnsOfWeights } from '#shared/portfolio/weightsReturns.ts'
import { dayFromNumber } from '#shared/time/periods.ts'

function returnsOf(text: string, unit: 'percent' | 'fraction' | null = null) {
  const read = readReturnsFile(text, unit)
  if (read.kind !== 'returns') throw new Error(JSON.stringify(read))
  const { days, values, valid } = read.returns
  return {
    days: Array.from(days, dayFromNumber),
    values: Array.from(values, (value, at) => (valid?.[at] === 0 ? null : value)),
    warnings: read.warnings.map(({ line, kind }) => `${line} ${kind}`),
    details: read.warnings.map(({ detail }) => detail),
    benchmark: read.benchmark && Array.from(read.benchmark.values),
  }
}

test('asks whether 1.2 means 1.2 % or 120 %, unless the file says so', () => {
  const text = 'date,return\n2026-01-01,1.2\n2026-01-02,-0.5\n'
  expect(readReturnsFile(text, null)).toEqual({ kind: 'unit-needed' })
  expect(returnsOf(text, 'percent').values).toEqual([1.2 / 100, -0.5 / 100])
  expect(returnsOf(text, 'fraction').values).toEqual([1.2, -0.5])
  expect(returnsOf('date,return\n2026-01-01,1.2%\n2026-01-02,−0.5 %\n2026-01-03,0\n').values).toEqual([
    1.2 / 100,
    -0.5 / 100,
    0,
  ])
  // A loss of 150 % is impossible, so the numbers must be per cent; the warning names the line that shows this.
  const decided = returnsOf('date,return\n2026-01-01,0.5\n2026-01-02,-1.5\n')
  expect(decided.values).toEqual([0.5 / 100, -1.5 / 100])
  expect(decided.warnings).toEqual(['3 unit'])
  expect(decided.details[0]).toContain('“-1.5” cannot be a fraction')
  expect(returnsOf('date,return\n2026-01-01,-1.5\n', 'percent').warnings).toEqual([])
})

test('weights that are many times the portfolio are reported once, because they may be per cent', () => {
  const read = readReturnsFile('date,ticker,weight\n2026-01-01,A,50\n2026-01-01,B,-50\n2026-01-02,A,0.5\n', null)
  expect(read).toMatchObject({ kind: 'weights', warnings: [{ line: 2, kind: 'unit' }] })
  const named = readReturnsFile('date,ticker,weight\n2026-01-01,A,50\n', 'percent')
  expect(named).toMatchObject({ kind: 'weights', warnings: [], days: [{ cells: [{ weight: 0.5 }] }] })
})

test('a file that is not text is reported as such', () => {
  const problemsOf = (text: string) => readReturnsFile(text, null)
  expect(problemsOf('PK\u0003\u0004xl')).toEqual({
    kind: 'unreadable',
    problems: ['line 1: the file is a spreadsheet or an archive; save it as CSV'],
  })
  expect(problemsOf('PAR1\0\0')).toEqual({ kind: 'unreadable', problems: ['line 1: the file is not a text file'] })
  expect(problemsOf('\n\ndate,gain\n2026-01-01,1%\n')).toEqual({
    kind: 'unreadable',
    problems: ['line 3: needs the column return'],
  })
})

test('a dash that a text program put in place of a minus is one', () => {
  expect(returnsOf('date,return\n2026-01-01,–1%\n2026-01-02,−2%\n').values).toEqual([-0.01, -0.02])
})

test('says duplicates, order, gaps, zones and losses below −100 % with their physical line', () => {
  const lines = [
    'date,return,benchmark',
    '2026-01-01,0.01,0.02',
    '2026-01-03,,0.01',
    '2026-01-02T23:30:00-02:00,0.02,',
    '',
    '2026-01-03,0.04,',
    '2026-01-08,-1.5,',
  ]
  const read = returnsOf(lines.join('\r\n'), 'fraction')
  expect(read.days).toEqual(['2026-01-01', '2026-01-03', '2026-01-08'])
  expect(read.values).toEqual([0.01, 0.04, -1.5])
  expect(read.warnings).toEqual(['4 duplicate', '4 zone', '6 duplicate', '6 gap', '7 below', '7 gap'])
  expect(read.details[1]).toBe('“2026-01-02T23:30:00-02:00” is read as the UTC day 2026-01-03')
  expect(read.details.at(-1)).toBe('4 days are missing before this line: 2026-01-04 to 2026-01-07')
  expect(returnsOf('date,return\n2026-01-02,1%\n2026-01-01,2%\n').warnings).toEqual(['3 order'])
})

test('reads decimal commas and says so once', () => {
  const read = returnsOf('date;return\n2026-01-01;1,2 %\n2026-01-02;-0,5 %\n')
  expect(read.values).toEqual([1.2 / 100, -0.5 / 100])
  expect(read.details).toEqual(['“1,2 %” is read with a decimal comma, as 1.2 (likewise 1 more cell)'])
})

test('an unreadable cell refuses the file with every bad line', () => {
  const text = 'date,return\n2026-13-01,0.1\n2026-01-02,much\n2026-01-03\n=1+1,0.1\n'
  expect(readReturnsFile(text, 'fraction')).toEqual({
    kind: 'unreadable',
    problems: [
      'line 2: “2026-13-01” is not a date such as 2026-01-31',
      'line 3: “much” is not a number',
      'line 4: has 1 cell, but the header has 2',
      'line 5: “=1+1” is not a date such as 2026-01-31',
    ],
  })
})

test('weights become returns with prices; a missing price contributes 0 and is named', () => {
  const text = [
    'date,ticker,weight',
    '2026-01-01,A,0.5',
    '2026-01-01,B,-25 %',
    '2026-01-02,A,1',
    '2026-01-02,C,0.5',
    '2026-01-03,A,1',
  ]
  const read = readReturnsFile(text.join('\n'), null)
  if (read.kind !== 'weights') throw new Error(read.kind)
  const prices: Record<string, number[]> = { A: [100, 110, 99], B: [10, 20, 30] }
  const first = read.days[0].day
  const priceOf = (ticker: string, day: number) => prices[ticker]?.[day - first]
  const { returns, coverage, warnings } = returnsOfWeights(read, priceOf, 0)
  expect(Array.from(returns.days, dayFromNumber)).toEqual(['2026-01-02', '2026-01-03'])
  expect(returns.values[0]).toBeCloseTo(0.5 * 0.1 - 0.25 * 1, 15)
  expect(returns.values[1]).toBeCloseTo(1 * (99 / 110 - 1), 15)
  expect(coverage).toBeCloseTo(1.75 / 2.25, 15)
  expect(warnings).toEqual([
    { line: 5, kind: 'price', detail: 'C has no price on 2026-01-02, so it contributes 0 on 1 day' },
  ])
  const withCost = returnsOfWeights(read, priceOf, 10)
  expect(withCost.returns.values[0]).toBeCloseTo(returns.values[0] - 0.001 * (0.5 + 0.25 + 0.5), 15)
})

test('cells that only look like numbers or dates are refused', () => {
  expect(readReturnsFile('date,return\n2026-01-01,0x10\n2026-01-02,Infinity\n', 'fraction')).toEqual({
    kind: 'unreadable',
    problems: ['line 2: “0x10” is not a number', 'line 3: “Infinity” is not a number'],
  })
  expect(readReturnsFile('date,return\n2026-01-01T99:00Z,0.1\n', 'fraction')).toMatchObject({ kind: 'unreadable' })
  expect(readReturnsFile('date,ticker,weight\n2026-01-01,A,much\n', 'fraction')).toEqual({
    kind: 'unreadable',
    problems: ['line 2: “much” is not a number'],
  })
})

test('a file without a benchmark has none, and a single missing day is named once', () => {
  const read = returnsOf('date,return\n2026-01-01,1%\n2026-01-03,2%\n')
  expect(read.benchmark).toBeNull()
  expect(read.details).toEqual(['1 day is missing before this line: 2026-01-02'])
})

test('the days without a price are counted, also those where only the later price is missing', () => {
  const text = 'date,ticker,weight\n2026-01-01,A,1\n2026-01-02,A,1\n2026-01-03,A,1\n2026-01-04,A,1\n'
  const read = readReturnsFile(text, 'fraction')
  if (read.kind !== 'weights') throw new Error(read.kind)
  const prices = [100, undefined, undefined, 50]
  const first = read.days[0].day
  const { returns, warnings } = returnsOfWeights(read, (_, day) => prices[day - first], 0)
  expect([...returns.values]).toEqual([0, 0, 0])
  expect(warnings).toEqual([
    { line: 2, kind: 'price', detail: 'A lacks prices, first on 2026-01-02, so it contributes 0 on 3 days' },
  ])
})
