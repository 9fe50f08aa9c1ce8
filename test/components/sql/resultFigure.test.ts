import { expect, it } from 'vitest'
import { cellOf, type Column, columnOf, numberColumn, textColumn, timeColumn } from '#shared/contract/frame.ts'
import {
  resultFigure,
  resultHeat,
  defaultChoice,
  withCombinedTexts,
  withKind,
} from '../../../renderer/views/sql/resultFigure.ts'

const frameOf = (...columns: Column[]) => ({ rows: columns[0].values.length, columns })

it('chooses a chart by the columns, and draws missing values as gaps', () => {
  const frame = frameOf(
    timeColumn('time', [2, 1, 3]),
    textColumn('symbol', ['A', 'A', 'B']),
    numberColumn('x', [5, null, Infinity]),
  )
  const choice = defaultChoice(frame)
  expect(choice).toEqual({ kind: 'line', x: 'time', y: 'x', split: 'symbol' })
  const drawn = resultFigure(frame, choice)
  expect(drawn?.figure.marks.map(({ label, x, y }) => [label, [...x], [...y!]])).toEqual([
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
  expect(resultFigure(frame, { kind: 'line', x: 'time', y: 'x', split: 'symbol' })).toMatchObject({
    shownCount: 8,
    totalCount: 300,
  })
  expect(resultFigure(frame, { kind: 'bar', x: 'symbol', y: 'x', split: '' })).toMatchObject({
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
    const drawn = resultFigure(frame, defaultChoice(frame))
    return [drawn?.hasEqualX, drawn?.figure.marks.map(({ label }) => label)]
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
  expect(resultFigure(frame, choice)?.figure.axis).toMatchObject({ labels: ['A', 'B', 'C'] })
  expect(withKind(choice, 'line', frame)).toEqual({ kind: 'line', x: 'time', y: 'rate', split: 'symbol' })
})

it('says that a line would zigzag between rows of the same time', () => {
  const frame = frameOf(timeColumn('time', [1, 1, 2]), numberColumn('x', [1, 2, 3]))
  expect(resultFigure(frame, defaultChoice(frame))?.hasEqualX).toBe(true)
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
