import type { Frame, NumberColumn } from '#shared/contract/frame.ts'
import { rowsWhere, tickerSeries, type DailyMatrix } from '#shared/portfolio/dailySeries.ts'
import { exposureFigures, exposureValues } from '#shared/portfolio/exposure.ts'
import type { TickerWeights, WeightChange } from '#shared/portfolio/liveWeights.ts'
import type { WeightFigures } from '#shared/portfolio/weightsHistory.ts'
import type { DayNumber } from '#shared/time/periods.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import { figureKind, type NumberKind } from '#shared/units/numberKinds.ts'
import { emptyModel, type ChartModel } from '../../../charts/model.ts'
import { weightsText } from '../../../text/portfolios.ts'
import { dailyChartSeries, dailyPane, recordTableBuilder } from '../../../cards/dailyData.ts'

/** Computes the exposure of a snapshot; empty if it is unknown or has no tickers. */
export const exposureOf = (weights: TickerWeights | null): Record<string, number | null> =>
  weights === null || weights.size === 0
    ? {}
    : exposureValues(Float64Array.from(weights.values(), (weight) => weight ?? 0))

/** @param snapshotName name of the snapshot that is compared with the close */
export function weightChangeTableBuilder(snapshotName: string) {
  const text = weightsText.live.columns(snapshotName)
  const heat = { scale: 'diverging' } as const
  return recordTableBuilder<WeightChange>(text, (column) => [
    column.text('ticker', 110, ({ ticker }) => ticker),
    column.number('latest', 'share', 130, ({ latest }) => latest, { heat }),
    column.number('close', 'share', 110, ({ close }) => close, { heat }),
    column.number('change', 'share', 110, ({ change }) => change),
    column.number('size', 'share', 100, ({ change }) => Math.abs(change)),
  ])
}

/** Selects the days of a matrix from `startDay` to `endDay` (exclusive). */
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

interface TickerSize {
  ticker: string
  /** Index of the ticker in the matrix. */
  index: number
  /** Mean absolute weight over the days. */
  size: number
}

/** Lists the tickers that ever have a nonzero weight, the largest on average first. */
export function tickersBySize({ days, tickers, values, valid }: DailyMatrix): TickerSize[] {
  const sums = new Float64Array(tickers.length)
  for (let cell = 0, row = 0; row < days.length; row += 1)
    for (let index = 0; index < tickers.length; index += 1, cell += 1)
      if (valid[cell]) sums[index] += Math.abs(values[cell])
  return tickers
    .map((ticker, index) => ({ ticker, index, size: sums[index] / Math.max(1, days.length) }))
    .filter(({ size }) => size > 0)
    .sort((a, b) => b.size - a.size || (a.ticker < b.ticker ? -1 : 1))
}

const MOST_LAYERS = 12

/** Builds a layer for each of the largest tickers, one layer for all other longs and one for all other shorts. */
export function weightLayers(matrix: DailyMatrix, rankedTickers: readonly TickerSize[]) {
  const largestTickers = rankedTickers.slice(0, MOST_LAYERS)
  const layers = largestTickers.map(({ ticker }, colour) => ({
    label: ticker,
    values: tickerSeries(matrix, ticker).values,
    colour,
  }))
  const smallerTickers = rankedTickers.slice(MOST_LAYERS)
  if (smallerTickers.length === 0) return layers
  const [longs, shorts] = [new Float64Array(matrix.days.length), new Float64Array(matrix.days.length)]
  matrix.days.forEach((_, row) => {
    for (const { index } of smallerTickers) {
      const cell = row * matrix.tickers.length + index
      if (matrix.valid[cell]) (matrix.values[cell] < 0 ? shorts : longs)[row] += matrix.values[cell]
    }
  })
  const others = [
    { label: weightsText.history.othersLong(smallerTickers.length), values: longs, colour: MOST_LAYERS },
    { label: weightsText.history.othersShort(smallerTickers.length), values: shorts, colour: MOST_LAYERS + 1 },
  ]
  return [...layers, ...others.filter(({ values }) => values.some((value) => value !== 0))]
}

const numberColumnOf = (name: string, values: Float64Array, valid: Uint8Array): NumberColumn => ({
  name,
  kind: 'number',
  values,
  valid,
})

/** Builds a frame with one row per day and one column per ticker. */
export function matrixFrame(matrix: DailyMatrix, rankedTickers: readonly TickerSize[]): Frame {
  const times = Float64Array.from(matrix.days, (day: DayNumber) => day * MS_PER_DAY)
  const columns = rankedTickers.map(({ ticker }) => {
    const { values, valid } = tickerSeries(matrix, ticker)
    return numberColumnOf(ticker, values, valid ?? new Uint8Array(values.length).fill(1))
  })
  return { rows: times.length, columns: [{ name: 'time', kind: 'time', values: times, valid: null }, ...columns] }
}

/** Groups of statistics that share a pane. */
const exposurePanes = [
  { id: 'exposure', figures: ['gross', 'net', 'long', 'short'] },
  { id: 'names', figures: ['names', 'effectiveNames'] },
  { id: 'concentration', figures: ['topFive', 'herfindahl'] },
] as const

/** Builds the chart of exposure, number of names, concentration and turnover by day. */
export function exposureChart({ days, exposure, turnover }: WeightFigures): ChartModel {
  const { exposure: text } = weightsText
  const statisticSeries = (
    id: string,
    label: string,
    kind: NumberKind,
    { values, valid }: NumberColumn,
    colour: number,
  ) => ({
    ...dailyChartSeries(label, { days, values, valid }, { id, kind, colour }),
    // Statistics of different units share a pane, each unit with its own axis.
    axis: 'auto' as const,
  })
  const figuresOf = (wanted: readonly string[]) => exposureFigures.filter(({ id }) => wanted.includes(id))
  const panes = exposurePanes.map(({ id, figures }) =>
    dailyPane(
      id,
      text.panes[id],
      figuresOf(figures).map((figure, colour) =>
        statisticSeries(figure.id, figure.name, figureKind(figure.unit), exposure[figure.id], colour),
      ),
    ),
  )
  const twoWay = statisticSeries('turnover', text.twoWay, 'percentFigure', turnover, 0)
  return { ...emptyModel(text.title), panes: [...panes, dailyPane('turnover', text.panes.turnover, [twoWay])] }
}
