import { tickerSeries, type DailyMatrix } from '#shared/portfolio/dailyMatrix.ts'
import type { DailySeries } from '#shared/portfolio/dailySeries.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import { unitLabel, type NumberKind } from '#shared/units/numberKinds.ts'
import { emptyModel, type ChartModel, type ChartSeries, type Pane } from '../../charts/model.ts'

export interface DailyStyle {
  kind: NumberKind
  /** Identifier of the series in its chart; its label if absent. */
  id?: string
  unit?: string
  colour?: number
  style?: ChartSeries['style']
}

/** Turns daily values into a series of a chart; a day without a value is a gap. */
export function dailyChartSeries(
  label: string,
  { days, values, valid }: DailySeries,
  { kind, id = label, unit = unitLabel(kind), colour = 0, style = 'line' }: DailyStyle,
): ChartSeries {
  const times = Float64Array.from(days, (day) => day * MS_PER_DAY)
  const data = { times, values, valid, stepMs: MS_PER_DAY }
  return { ...data, id, label, kind, unit, colour, style, axis: 'left', transform: 'none' }
}

/** Builds one line for each chosen ticker of a matrix. */
export const matrixChartSeries = (matrix: DailyMatrix, tickers: readonly string[], style: DailyStyle): ChartSeries[] =>
  tickers.map((ticker, colour) => dailyChartSeries(ticker, tickerSeries(matrix, ticker), { ...style, colour }))

export const dailyPane = (
  id: string,
  title: string,
  series: readonly ChartSeries[],
  scale: Pane['scale'] = 'linear',
): Pane => ({ id, title, series, scale })

/** Builds a chart of one pane, or of none if no series has a value. */
export function onePane(label: string, series: readonly ChartSeries[], scale: Pane['scale'] = 'linear'): ChartModel {
  const hasValues = series.some(({ valid, values }) => (valid ? valid.includes(1) : values.length > 0))
  return { ...emptyModel(label), panes: hasValues ? [dailyPane('only', '', series, scale)] : [] }
}
