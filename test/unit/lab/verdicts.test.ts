import { describe, expect, it } from 'vitest'
import type { LongRows } from '#shared/lab/panel.ts'
import { studySheet } from '#shared/lab/studySheet.ts'
import { sectionOf } from '#shared/sheet/sheet.ts'
import { HOUR_MS, rowsOf, runOnRows, START_MS } from '../../fakes/panelWorld.ts'

const verdictOf = (rows: LongRows, fields: object): string => {
  const { verdict } = studySheet(runOnRows(rows, fields))
  return verdict ?? ''
}

/** Returns the rows of the first symbols only. */
function firstSymbols(rows: LongRows, count: number): LongRows {
  const places = [...rows.symbols.keys()].filter((at) => rows.symbols[at] < count)
  const pick = (values: Float64Array) => Float64Array.from(places, (at) => values[at])
  return {
    ...rows,
    times: pick(rows.times),
    symbols: Int32Array.from(places, (at) => rows.symbols[at]),
    columns: new Map([...rows.columns].map(([name, values]) => [name, pick(values)])),
    member: null,
  }
}

const world = rowsOf({ seed: 4, symbols: 8, times: 400, planted: 0.25 })
const noise = rowsOf({ seed: 5, symbols: 8, times: 400 })
const one = firstSymbols(world, 1)
const noiseOfOne = firstSymbols(noise, 1)
const short = firstSymbols(rowsOf({ seed: 4, symbols: 8, times: 5 }), 1)
const pairOfBars = rowsOf({ seed: 4, symbols: 8, times: 4 })
const oneBar = firstSymbols(rowsOf({ seed: 4, symbols: 8, times: 1 }), 1)
const missing: LongRows = {
  ...world,
  columns: new Map([...world.columns, ['a', new Float64Array(world.times.length).fill(NaN)]]),
}
const missingOfOne = firstSymbols(missing, 1)

describe.each<[string, [says: string, rows: LongRows, fields: object][]]>([
  [
    'series',
    [
      [
        '^The signal tells the next return (weakly|clearly|strongly): IC 0\\.\\d{3} ± 0\\.\\d{3} at 1 bar \\(398 samples\\), worth .* bps between the outer buckets, gone after 1 d; this study would have seen 0\\.140\\.$',
        one,
        { horizons: [1, 24, 72] },
      ],
      ['^The signal tells the next return .*still there after 2 h; ', one, { horizons: [1, 2] }],
      ['^The signal tells the next return .*, the other way round: IC −0', one, { signal: '-a', horizons: [1] }],
      ['^The signal does not tell the next return: IC .*; this study would have seen', noiseOfOne, { horizons: [1] }],
      ['^Too few samples to judge the signal: IC 1\\.000 at 2 bars \\(2 samples\\)\\.$', fiveBars(), { horizons: [2] }],
      ['^There is no correlation, because the values do not vary', one, { signal: '0 * a' }],
      ['^Too few samples to judge the signal: 1 sample at 2 bars\\.$', short, { horizons: [2] }],
      [
        '^There is no IC at 2 bars: the signal, or the return, is equal in 2 samples\\.$',
        fiveBars(),
        { horizons: [2], signal: 'b' },
      ],
      [
        '^There is no answer: none of 400 cells is used, and most are left out for “Warm-up” \\(400\\)\\.$',
        missingOfOne,
        {},
      ],
      [
        '^The signal tells the next returns of the symbols (clearly|strongly): mean IC 0.* over 8 symbols at 1 bar, above 0 for 100 %, ',
        world,
        { horizons: [1, 24] },
      ],
      ['^The signal does not tell the next returns of the symbols alike: mean IC', noise, { horizons: [1] }],
      ['^There is no answer: none of 3\u202f200 cells is used', missing, {}],
      ['^There is no IC at 2 bars of any of 8 symbols: none has two samples\\.$', pairOfBars, { horizons: [2] }],
      [
        '^There is no IC at 2 bars of any of 2 symbols: the signal, or the return, is equal in all samples\\.$',
        fiveBars(2),
        { horizons: [2], signal: 'b' },
      ],
    ],
  ],
  [
    'spells',
    [
      [
        '^The state was on in \\d+ spells \\(.* % of the time\\), half of them at most .* long; 12 bars after a start the price has changed by .* % ± .* %.*, after an end by .* %',
        one,
        { when: 'a > 0.5' },
      ],
      [
        '500 bars after a start no return is known, after an end no return is known\\.$',
        one,
        { when: 'a > 0.5', horizons: [500] },
      ],
      [
        '12 bars after a start the price has changed by .* % \\(too few to judge: 1\\), after an end no return is known, at any time by',
        one,
        { when: 'close > 0' },
      ],
      [
        '1 bar after a start the price has changed by .* \\(no more than chance\\), ',
        noiseOfOne,
        { when: 'a > 1', horizons: [1] },
      ],
      [
        '^There is no event. The state is on in none of 400 cells: 400 have a value and are off',
        one,
        { when: 'a > 50' },
      ],
      [
        '^There is no event. All .* spells of 400 cells last fewer bars than minBars',
        one,
        { when: 'a > 1', minBars: 300 },
      ],
      ['^There is no event. The state is on in none of 400 cells: 400 have no value', missingOfOne, { when: 'a > 0' }],
      ['^There is no event. The only spell of 400 cells lasts fewer', one, { when: 'close > 0', minBars: 500 }],
      ['^There is no event. .* none of 1 cell: 1 has a value and is off, which', oneBar, { when: 'a > 50' }],
      ['^The state was on in 1 spell \\(100\\.00 % of the time\\), 400 bars long; ', one, { when: 'close > 0' }],
      ['^The state was on in \\d+ spells of 8 symbols of 8, most of S00\\d', world, { when: 'a > 0.5' }],
    ],
  ],
  [
    'signal',
    [
      [
        '^Ranks tell the next returns (clearly|strongly): IC 0.* ± 0.* at 1 bar .*worth .* bps between the ends, gone after 1 d; this study would have seen 0',
        world,
        { signal: 'a', horizons: [1, 24] },
      ],
      ['^Ranks tell .*, the other way round', world, { signal: '-a', horizons: [1] }],
      ['^Ranks do not tell the next returns: IC', noise, { signal: 'a', horizons: [1] }],
      ['^Too few samples to judge the ranks: IC', pairOfBars, { signal: 'a', horizons: [2] }],
      ['too few symbols', one, { signal: 'a' }],
      ['^There is no correlation', world, { signal: '0 * a' }],
      ['^There is no answer: none of', missing, { signal: 'a' }],
    ],
  ],
  [
    'events',
    [
      [
        '^24 bars after .* events .* the price has changed by .*, which is more than chance\\.$',
        drifting(),
        { when: 'a > 0.9' },
      ],
      ['^Nothing sure follows .* events \\(at .* times, p ', noise, { when: 'a > 1.5', after: 3 }],
      ['^Nothing sure follows .* against the market', noise, { when: 'a > 1.5', after: 3, adjust: 'market' }],
      ['^There is no event. The condition is true in none', one, { when: 'a > 50' }],
      ['^Too few events to judge: 24 bars after 1 event', one, { when: 'a > 0', cooldownBars: 1000 }],
      ['^There is no answer: no price is known 24 bars after any of', short, { when: 'a > -50' }],
    ],
  ],
  [
    'leadlag',
    [
      [
        '^S001 leads S000 by 2 h \\(r 1\\.000\\), the strongest of 1 lead beyond chance in 25 tests of 1 pair\\.$',
        following(),
        { value: 'a' },
      ],
      ['^No symbol leads another: of .* tests of 28 pairs', noise, { value: 'a', maxLag: 2 }],
      ['1 pair moves together, at lag 0\\.$', following(), { value: 'close', maxLag: 1 }],
      ['too few symbols', one, {}],
      ['^There is no answer: no pair has enough rows', pairOfBars, {}],
      ['^There is no answer: none of', missing, { value: 'a' }],
    ],
  ],
  [
    'seasonality',
    [
      [
        '^24 of 24 tested cells differ from 0 beyond chance: most surely \\d\\d:00, with a mean of ',
        world,
        { value: 'close', by: 'hour' },
      ],
      [
        '^The clock tells nothing sure: none of 24 tested cells differs from the mean',
        noise,
        { by: 'hour', center: true },
      ],
      ['most surely day \\d+ of the month', world, { value: 'close', by: 'dayOfMonth' }],
      ['most surely \\d+ minutes to funding', world, { value: 'close', by: 'minutesToFunding' }],
      ['^There is no answer: none of 5 cells has enough', short, { value: 'close', by: 'hour' }],
      ['^There is no answer: none of', missing, { value: 'a' }],
    ],
  ],
])('the verdict of a study of kind %s', (kind, branches) => {
  it.each(branches)('says %s', (says, rows, fields) => {
    const base = kind === 'series' ? { signal: 'a', buckets: 3, warmUp: 5 } : {}
    expect(verdictOf(rows, { ...base, kind, ...fields })).toMatch(new RegExp(says))
  })
})

/** Rows of two symbols of which the first repeats what the second did two hours before. */
function following(): LongRows {
  const times = 300
  const source = firstSymbols(rowsOf({ seed: 8, symbols: 1, times }), 1)
  const a = source.columns.get('a') ?? new Float64Array()
  const close = source.columns.get('close') ?? new Float64Array()
  const hours = Float64Array.from({ length: times }, (_, at) => START_MS + at * HOUR_MS)
  const twice = (first: Float64Array, second: Float64Array) => Float64Array.from([...first, ...second])
  return {
    ...source,
    times: twice(hours, hours),
    symbols: Int32Array.from({ length: 2 * times }, (_, at) => Number(at >= times)),
    names: ['S000', 'S001'],
    columns: new Map([
      [
        'a',
        twice(
          a.map((_, at) => (at < 2 ? 0 : a[at - 2])),
          a,
        ),
      ],
      ['close', twice(close, close)],
    ]),
    member: null,
  }
}

/** Five bars of one symbol: the signal repeats every second bar in b, and not in a. */
function fiveBars(symbols = 1): LongRows {
  const rows = firstSymbols(rowsOf({ seed: 4, symbols, times: 6 }), symbols)
  const barOf = (row: number) => (rows.times[row] - rows.times[0]) / HOUR_MS
  const column = (values: readonly number[]) => rows.times.map((_, row) => values[barOf(row)])
  return {
    ...rows,
    columns: new Map([
      ['close', column([100, 101, 102, 104, 107, 111])],
      ['a', column([1, 2, 3, 4, 5, 6])],
      ['b', column([1, 2, 1, 3, 1, 4])],
    ]),
  }
}

/** Rows whose prices rise steadily, a little more at some hours. */
function drifting(): LongRows {
  const rows = rowsOf({ seed: 12, symbols: 2, times: 400 })
  const close = rows.columns.get('close') ?? new Float64Array()
  const risen = close.map(
    (_, row) => Math.exp(((rows.times[row] - START_MS) / HOUR_MS) * 0.001) * (1 + 0.0001 * (row % 7)),
  )
  return { ...rows, columns: new Map([...rows.columns, ['close', risen]]) }
}

it('says beside the summary of a series why no bar has a bucket, and draws none', () => {
  const { sections } = studySheet(runOnRows(one, { kind: 'series', signal: 'a' }))
  const [summary] = sections
  expect(summary.kind === 'text' ? summary.lines[1] : '').toBe(
    'No bar has a bucket, because that needs 500 signals within 2\u202f016 bars, and a symbol has 400 at most.',
  )
  expect(sections.filter(({ id }) => /^(bucketChart|growth)/.test(id))).toEqual([])
})

it('draws the states of the symbols that were on the most, the one that the verdict names first', () => {
  const rows = rowsOf({ seed: 4, symbols: 10, times: 20 })
  const state = rows.times.map((time, row) =>
    Number(rows.symbols[row] === 9 || (rows.symbols[row] === 8 && time === START_MS)),
  )
  const { verdict, sections } = studySheet(
    runOnRows({ ...rows, columns: new Map([...rows.columns, ['state', state]]) }, { kind: 'spells', when: 'state' }),
  )
  expect(verdict).toMatch(/most of S009 /)
  const drawn = sections.flatMap((section) =>
    section.kind === 'chart' && section.id === 'state' ? section.series : [],
  )
  expect(drawn.map(({ id }) => id)).toEqual(['S009', 'S008', ...[0, 1, 2, 3, 4, 5].map((at) => `S00${at}`)])
})

it.each([
  [{ value: 'a' }, { firstLeads: 0, secondLeads: 1, together: 0 }],
  // The same prices are alike at lags beside 0 too, where no symbol leads.
  [
    { value: 'close', maxLag: 1 },
    { firstLeads: 0, secondLeads: 0, together: 1 },
  ],
])('counts pairs that lead as the verdict of a lead–lag scan does: %j', (fields, counted) => {
  const { sections } = studySheet(runOnRows(following(), { kind: 'leadlag', ...fields }))
  const { figures } = sectionOf({ sections }, 'figures', 'figures')
  expect(Object.fromEntries(figures.map(({ id, value }) => [id, value]))).toMatchObject(counted)
})

it('says of which symbols a series is drawn where there are more than a chart holds', () => {
  const titleOf = (symbols: number) => {
    const rows = rowsOf({ seed: 4, symbols, times: 80 })
    const fields = { kind: 'series', signal: 'a', buckets: 3, warmUp: 5, horizons: [1, 4] }
    return studySheet(runOnRows(rows, fields)).sections.find(({ id }) => id === 'icChart')?.title
  }
  expect(titleOf(12)).toBe('Rank IC by horizon')
  expect(titleOf(14)).toBe('Rank IC by horizon, first 12 of 14 symbols')
})
