import { expect, it } from 'vitest'
import type { ChartChoice } from '#shared/contract/areas/reportQueries.ts'
import type { SqlColumnFacts } from '#shared/contract/areas/sql.ts'
import { chartHtml } from '#shared/report/chartHtml.ts'
import type { ReportChart } from '#shared/report/reportContent.ts'
import { chartFigure } from '../../../renderer/charts/small/chartFigure.ts'
import { cellOf, type Column, columnOf, numberColumn, textColumn, timeColumn } from '#shared/contract/frame.ts'
import {
  chosenChart,
  resultChart,
  resultHeat,
  defaultChoice,
  withCombinedTexts,
  withKind,
} from '#shared/report/resultChart.ts'

const frameOf = (...columns: Column[]) => ({ rows: columns[0].values.length, columns })

it('chooses a chart by the columns, and draws missing values as gaps', () => {
  const frame = frameOf(
    timeColumn('time', [2, 1, 3]),
    textColumn('symbol', ['A', 'A', 'B']),
    numberColumn('x', [5, null, Infinity]),
  )
  const choice = defaultChoice(frame)
  expect(choice).toEqual({ kind: 'line', x: 'time', y: 'x', split: 'symbol' })
  const drawn = resultChart(frame, choice)
  expect(drawn?.chart.series.map(({ label, x, values }) => [label, [...x], [...values]])).toEqual([
    ['A', [1, 2], [NaN, 5]],
    ['B', [3], [NaN]],
  ])
  expect(resultHeat(frame, { kind: 'heat', x: 'time', y: 'x', split: 'symbol' })).toMatchObject({
    rows: ['A'],
    values: [[5]],
  })
})

it('chooses cells where two keys stand before a number', () => {
  const hours = numberColumn('hour', [0, 1, 0, 1])
  const bps = numberColumn('bps', [1, 2, 3, 4])
  expect(defaultChoice(frameOf(textColumn('symbol', ['A', 'A', 'B', 'B']), hours, bps))).toEqual({
    kind: 'heat',
    x: 'hour',
    y: 'bps',
    split: 'symbol',
  })
  expect(defaultChoice(frameOf(hours, numberColumn('day', [0, 0, 1, 1]), bps))).toMatchObject({
    x: 'hour',
    split: 'day',
  })
  expect(defaultChoice(frameOf(hours, bps))).toMatchObject({ kind: 'scatter', x: 'hour', y: 'bps' })
  expect(defaultChoice(frameOf(textColumn('dataset', ['flow', 'ohlcv']), numberColumn('files', [1, 2])))).toMatchObject(
    {
      kind: 'bar',
      y: 'files',
    },
  )
})

it('puts the cells of numbers in their order, whatever the order of the rows', () => {
  const frame = frameOf(
    textColumn('symbol', ['B', 'A', 'B']),
    numberColumn('hour', [10, 2, 9]),
    numberColumn('x', [1, 2, 3]),
  )
  expect(resultHeat(frame, { kind: 'heat', x: 'hour', y: 'x', split: 'symbol' })).toMatchObject({
    columns: ['2', '9', '10'],
    rows: ['B', 'A'],
    values: [
      [null, 3, 1],
      [2, null, null],
    ],
  })
})

it('says how many lines and bars there would be', () => {
  const names = Array.from({ length: 300 }, (_, at) => `S${at}`)
  const numbers = names.map((_, at) => at)
  const frame = frameOf(textColumn('symbol', names), timeColumn('time', numbers), numberColumn('x', numbers))
  expect(resultChart(frame, { kind: 'line', x: 'time', y: 'x', split: 'symbol' })).toMatchObject({
    shownCount: 8,
    totalCount: 300,
  })
  expect(resultChart(frame, { kind: 'bar', x: 'symbol', y: 'x', split: '' })).toMatchObject({
    shownCount: 200,
    totalCount: 300,
  })
})

it('changes the columns that another kind of chart has no use for', () => {
  const frame = frameOf(
    textColumn('symbol', ['A', 'B']),
    textColumn('venue', ['v', 'w']),
    numberColumn('x', [1, 2]),
    numberColumn('y', [3, 4]),
  )
  const bar = { kind: 'bar', x: 'symbol', y: 'y', split: '' } as const
  expect(withKind(bar, 'scatter', frame)).toEqual({ kind: 'scatter', x: 'x', y: 'y', split: '' })
  expect(withKind(bar, 'heat', frame)).toEqual({ kind: 'heat', x: 'symbol', y: 'y', split: 'venue' })
  expect(withKind(bar, 'bar', frame)).toEqual(bar)
})

it('draws a line per symbol, not one per venue if there is only one, and one for both if both differ', () => {
  const at = (venues: string[], symbols: string[]) =>
    withCombinedTexts(
      frameOf(
        textColumn('exchange', venues),
        textColumn('symbol', symbols),
        timeColumn('time', [1, 1, 2, 2]),
        numberColumn('x', [1, 2, 3, 4]),
      ),
    )
  const labels = (frame: ReturnType<typeof at>) => {
    const drawn = resultChart(frame, defaultChoice(frame))
    return [drawn?.hasEqualX, drawn?.chart.series.map(({ label }) => label)]
  }
  expect(labels(at(['v', 'v', 'v', 'v'], ['A', 'B', 'A', 'B']))).toEqual([false, ['A', 'B']])
  expect(labels(at(['v', 'w', 'v', 'w'], ['A', 'A', 'A', 'A']))).toEqual([false, ['v', 'w']])
  const both = (times: number[]) =>
    withCombinedTexts(
      frameOf(
        textColumn('exchange', ['v', 'v', 'w', 'v']),
        textColumn('symbol', ['A', 'B', 'A', 'A']),
        timeColumn('time', times),
        numberColumn('x', [1, 2, 3, 4]),
      ),
    )
  expect(labels(both([1, 1, 1, 2]))).toEqual([false, ['v · A', 'v · B', 'w · A']])
})

it('draws bars where each symbol has one value, and its line over time if that is asked for', () => {
  const frame = frameOf(
    textColumn('symbol', ['perpetual-A-USDT:USDT', 'B', 'C']),
    numberColumn('rate', [1, 2, 3]),
    timeColumn('time', [5, 5, 4]),
  )
  const choice = defaultChoice(frame)
  expect(choice).toEqual({ kind: 'bar', x: 'symbol', y: 'rate', split: 'symbol' })
  expect(resultChart(frame, choice)?.chart.names).toEqual(['A', 'B', 'C'])
  expect(withKind(choice, 'line', frame)).toEqual({ kind: 'line', x: 'time', y: 'rate', split: 'symbol' })
})

it('says that a line would zigzag between rows of the same time', () => {
  const frame = frameOf(timeColumn('time', [1, 1, 2]), numberColumn('x', [1, 2, 3]))
  expect(resultChart(frame, defaultChoice(frame))?.hasEqualX).toBe(true)
})

it('looks at the texts of 200,000 rows once each, not row by row', () => {
  const rows = 200_000
  let reads = 0
  const countingColumn = (name: string, code: (row: number) => number, valid: Uint8Array | null = null): Column => {
    const dictionary = new Proxy(['A', 'B', 'C'], {
      get(target, key, receiver) {
        if (typeof key === 'string' && /^\d/.test(key)) reads += 1
        return Reflect.get(target, key, receiver) as unknown
      },
    })
    return { name, kind: 'text', values: Int32Array.from({ length: rows }, (_, row) => code(row)), dictionary, valid }
  }
  const frame = frameOf(
    timeColumn(
      'time',
      Array.from({ length: rows }, (_, row) => Math.floor(row / 6)),
    ),
    countingColumn('constant', () => 0),
    countingColumn('venue', (row) => row % 2),
    countingColumn(
      'symbol',
      (row) => row % 3,
      Uint8Array.from({ length: rows }, (_, row) => (row % 3 === 2 ? 0 : 1)),
    ),
    numberColumn('x', new Array<number>(rows).fill(1)),
  )
  const named = withCombinedTexts(frame)
  const choice = defaultChoice(named)
  expect(choice.split).toBe('venue · symbol')
  const text = columnOf(named, 'venue · symbol')!
  expect([0, 1, 2, 3, 4, 5, 199_999].map((row) => cellOf(text, row))).toEqual([
    'A · A',
    'B · B',
    'A · –',
    'B · A',
    'A · B',
    'B · –',
    'B · B',
  ])
  expect(reads).toBeLessThan(100)
})

const facts = (frame: ReturnType<typeof frameOf>, units: Readonly<Record<string, string>> = {}): SqlColumnFacts[] =>
  frame.columns.map(({ name, kind }) => ({
    ...{ name, kind, quantity: null, warning: null, unit: units[name] ?? null },
    type: kind === 'number' ? 'DOUBLE' : kind === 'time' ? 'TIMESTAMP' : 'VARCHAR',
  }))

it('draws in a report what was chosen: lines by symbol, points over numbers, a histogram, and a heat map as a table', () => {
  const frame = frameOf(
    textColumn('symbol', ['A', 'B', 'A', 'B']),
    timeColumn('time', [1, 1, 2, 2]),
    numberColumn('spread', [3, 1, 2, 4]),
    numberColumn('size', [10, 20, 30, null]),
  )
  const columns = facts(frame, { spread: 'bps' })
  const drawn = (choice: ChartChoice) => chosenChart(frame, columns, choice, frame.rows).parts
  expect(drawn({ kind: 'line', x: 'time', y: 'spread', split: 'symbol' })).toMatchObject([
    { kind: 'chart', title: 'spread (bps) over time', series: [{ label: 'A' }, { label: 'B' }] },
  ])
  const [points] = drawn({ kind: 'scatter', x: 'spread', y: 'size', split: '' }) as ReportChart[]
  expect(points).toMatchObject({ numberAxis: true, xTitle: 'spread', series: [{ style: 'points' }] })
  expect([...points.series[0].x]).toEqual([1, 2, 3, 4])
  expect(chartHtml(points)).toContain('>2.5</text>')
  expect(chartFigure(points)).toMatchObject({ axis: { kind: 'numbers', title: 'spread' }, marks: [{ kind: 'points' }] })
  const [counts] = drawn({ kind: 'histogram', x: '', y: 'spread', split: '' }) as ReportChart[]
  expect([counts.title, [...counts.series[0].values].reduce((sum, count) => sum + count)]).toEqual([
    'Distribution of spread (bps)',
    4,
  ])
  expect(drawn({ kind: 'heat', x: 'time', y: 'spread', split: 'symbol' })).toMatchObject([
    {
      kind: 'table',
      title: 'spread (bps) by symbol and time',
      rows: [
        ['A', { value: 3 }, { value: 2 }],
        ['B', { value: 1 }, { value: 4 }],
      ],
    },
  ])
  expect(chosenChart(frame, columns, { kind: 'bar', x: 'symbol', y: 'gone', split: '' }, frame.rows)).toEqual({
    parts: [],
    warnings: ['The result has no columns for the chart “gone by symbol”.'],
  })
})

it('says in a report what a chosen chart leaves out', () => {
  const names = Array.from({ length: 300 }, (_, at) => `S${at}`)
  const numbers = names.map((_, at) => at)
  const frame = frameOf(textColumn('symbol', names), timeColumn('time', numbers), numberColumn('x', numbers))
  const warnings = (kind: ChartChoice['kind'], x: string, allRows: number) =>
    chosenChart(frame, facts(frame), { kind, x, y: 'x', split: 'symbol' }, allRows).warnings
  expect(warnings('line', 'time', 300)).toEqual([
    'The chart “x over time” shows only the first 8 of 300 values of symbol.',
  ])
  expect(warnings('bar', 'symbol', 400)).toEqual([
    'The chart “x by symbol” shows only the first 300 of 400 rows.',
    'The chart “x by symbol” shows only the first 200 of 300 bars.',
  ])
  expect(warnings('heat', 'time', 300)).toEqual([
    'The chart “x by symbol and time” shows only the first 60 of 300 rows or columns.',
  ])
  expect(warnings('histogram', '', 300)).toEqual([])
})
