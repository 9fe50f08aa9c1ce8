import { columnOf, numberColumn, textColumn, type Frame, type NumberColumn } from '#shared/contract/frame.ts'
import { type DailyMatrix, tickerSeries } from '#shared/portfolio/dailyMatrix.ts'
import { rowsWhere } from '#shared/portfolio/dailySeries.ts'
import { exposureValues } from '#shared/portfolio/exposure.ts'
import type { TickerWeights, WeightChange } from '#shared/portfolio/liveWeights.ts'
import type { DayNumber } from '#shared/time/periods.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import type { TableColumn } from '../../../tables/columns.ts'

/** Weights of a live answer; a ticker that came twice has its later weight. */
export function tickerWeights(rows: Frame): TickerWeights {
  const tickers = columnOf(rows, 'ticker')
  const values = columnOf(rows, 'value')
  if (tickers?.kind !== 'text' || values?.kind !== 'number') return new Map()
  const all = new Map<string, number | null>()
  tickers.values.forEach((code, row) => {
    const isThere = (!values.valid || values.valid[row] === 1) && Number.isFinite(values.values[row])
    all.set(tickers.dictionary[code], isThere ? values.values[row] : null)
  })
  return all
}

/** Null where nothing is known. */
export const exposureOf = (weights: TickerWeights | null): Record<string, number | null> =>
  weights === null || weights.size === 0
    ? {}
    : exposureValues(Float64Array.from(weights.values(), (weight) => weight ?? 0))

export const changeColumns = (shown: string): readonly TableColumn[] => [
  { key: 'ticker', title: 'Ticker', kind: 'text', widthPx: 110 },
  { key: 'latest', title: shown, kind: 'share', widthPx: 130, heat: { scale: 'diverging' } },
  {
    key: 'close',
    title: 'Close',
    kind: 'share',
    widthPx: 110,
    hint: 'End of the previous trading day',
    heat: { scale: 'diverging' },
  },
  {
    key: 'change',
    title: 'Change',
    kind: 'share',
    widthPx: 110,
    hint: `${shown} minus close, a missing weight counted as 0`,
  },
  { key: 'size', title: 'Traded', kind: 'share', widthPx: 100, hint: 'Absolute change: what is bought or sold' },
]

export const changeFrame = (changes: readonly WeightChange[]): Frame => ({
  rows: changes.length,
  columns: [
    textColumn(
      'ticker',
      changes.map(({ ticker }) => ticker),
    ),
    numberColumn(
      'latest',
      changes.map(({ latest }) => latest),
    ),
    numberColumn(
      'close',
      changes.map(({ close }) => close),
    ),
    numberColumn(
      'change',
      changes.map(({ change }) => change),
    ),
    numberColumn(
      'size',
      changes.map(({ change }) => Math.abs(change)),
    ),
  ],
})

/** Cuts the matrix to the days from `startDay` to `endDay`, exclusive. */
export function daysOfMatrix(matrix: DailyMatrix, startDay = -Infinity, endDay = Infinity): DailyMatrix {
  const rows = rowsWhere(matrix.days.length, (row) => matrix.days[row] >= startDay && matrix.days[row] < endDay)
  if (rows.length === matrix.days.length) return matrix
  const width = matrix.tickers.length
  const from = (rows.at(0) ?? 0) * width
  const to = from + rows.length * width
  return {
    tickers: matrix.tickers,
    days: rows.map((row) => matrix.days[row]),
    values: matrix.values.subarray(from, to),
    valid: matrix.valid.subarray(from, to),
  }
}

export interface TickerSize {
  ticker: string
  /** Place of the ticker in the matrix. */
  at: number
  /** Mean absolute weight over the days. */
  size: number
}

/** Tickers that ever have a weight other than 0, the largest on average first. */
export function tickersBySize({ days, tickers, values, valid }: DailyMatrix): TickerSize[] {
  const sums = new Float64Array(tickers.length)
  for (let cell = 0, row = 0; row < days.length; row += 1)
    for (let at = 0; at < tickers.length; at += 1, cell += 1) if (valid[cell]) sums[at] += Math.abs(values[cell])
  return tickers
    .map((ticker, at) => ({ ticker, at, size: sums[at] / Math.max(1, days.length) }))
    .filter(({ size }) => size > 0)
    .sort((a, b) => b.size - a.size || (a.ticker < b.ticker ? -1 : 1))
}

const MOST_LAYERS = 6

/** The largest tickers, and what all others hold together on either side. */
export function weightLayers(matrix: DailyMatrix, bySize: readonly TickerSize[]) {
  const shown = bySize.slice(0, MOST_LAYERS)
  const layers = shown.map(({ ticker }, colour) => ({
    label: ticker,
    values: tickerSeries(matrix, ticker).values,
    colour,
  }))
  const rest = bySize.slice(MOST_LAYERS)
  if (rest.length === 0) return layers
  const [longs, shorts] = [new Float64Array(matrix.days.length), new Float64Array(matrix.days.length)]
  matrix.days.forEach((_, row) => {
    for (const { at } of rest) {
      const cell = row * matrix.tickers.length + at
      if (matrix.valid[cell]) (matrix.values[cell] < 0 ? shorts : longs)[row] += matrix.values[cell]
    }
  })
  const others = [
    { label: `${rest.length} others, long`, values: longs, colour: MOST_LAYERS },
    { label: `${rest.length} others, short`, values: shorts, colour: MOST_LAYERS + 1 },
  ]
  return [...layers, ...others.filter(({ values }) => values.some((value) => value !== 0))]
}

const numberOf = (name: string, values: Float64Array, valid: Uint8Array): NumberColumn => ({
  name,
  kind: 'number',
  values,
  valid,
})

/** Builds a frame with one row per day and one column per ticker. */
export function matrixFrame(matrix: DailyMatrix, bySize: readonly TickerSize[]): Frame {
  const times = Float64Array.from(matrix.days, (day: DayNumber) => day * MS_PER_DAY)
  const columns = bySize.map(({ ticker }) => {
    const { values, valid } = tickerSeries(matrix, ticker)
    return numberOf(ticker, values, valid ?? new Uint8Array(values.length).fill(1))
  })
  return { rows: times.length, columns: [{ name: 'time', kind: 'time', values: times, valid: null }, ...columns] }
}
