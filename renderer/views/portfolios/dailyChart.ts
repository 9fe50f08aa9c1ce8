import { type DailyMatrix, tickerSeries } from '#shared/portfolio/dailyMatrix.ts'
import type { DailySeries } from '#shared/portfolio/dailySeries.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import type { NumberKind } from '#shared/units/numberKinds.ts'
import { unitLabel } from '#shared/units/numberKinds.ts'
import { emptyModel, type ChartModel, type ChartSeries, type Pane } from '../../charts/model.ts'

interface Look {
  kind: NumberKind
  colour?: number
  style?: ChartSeries['style']
}

/** Values of days as a series of a chart; a day without a value is a gap. */
export function dailyChartSeries(
  label: string,
  { days, values, valid }: DailySeries,
  { kind, colour = 0, style = 'line' }: Look,
): ChartSeries {
  const times = Float64Array.from(days, (day) => day * MS_PER_DAY)
  const shared = { id: label, label, kind, unit: unitLabel(kind, undefined), colour, style, times, values, valid }
  return { ...shared, stepMs: MS_PER_DAY, axis: 'left', transform: 'none' }
}

/** Builds one line for each chosen ticker of a matrix. */
export const matrixChartSeries = (matrix: DailyMatrix, tickers: readonly string[], look: Look): ChartSeries[] =>
  tickers.map((ticker, colour) => dailyChartSeries(ticker, tickerSeries(matrix, ticker), { ...look, colour }))

/** A chart of one pane; of none where nothing has a value. */
export function onePane(label: string, series: readonly ChartSeries[], scale: Pane['scale'] = 'linear'): ChartModel {
  const hasValues = series.some(({ valid, values }) => (valid ? valid.includes(1) : values.length > 0))
  return { ...emptyModel(label), panes: hasValues ? [{ id: 'only', title: '', series, scale }] : [] }
}
