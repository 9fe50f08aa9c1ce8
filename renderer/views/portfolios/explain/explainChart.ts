import type { NumberColumn } from '#shared/contract/frame.ts'
import { presentDays, type DailySeries } from '#shared/portfolio/dailySeries.ts'
import { drawdownsOf, equityOf } from '#shared/portfolio/figures.ts'
import type { ExplainedReturns } from '#shared/portfolio/explainReturns.ts'
import { emptyModel, type ChartModel, type ChartSeries } from '../../../charts/model.ts'
import { explainText } from '../../../text/portfolios.ts'
import { dailyChartSeries, dailyPane } from '../../../cards/dailyData.ts'

/** Residuals below this come from the rounding of returns and weights, so the axis always reaches at least this far. */
const NOISE_BPS = 0.1

type DayRange = readonly [startDay: number, endDay: number]

/** Returns the range of days with values in a series; the end is exclusive. */
function valueRange(series: DailySeries): DayRange {
  const { days } = presentDays(series)
  return [days.at(0) ?? 0, (days.at(-1) ?? -1) + 1]
}

/** Builds the series of the growth of 1 over those days of a range that have a return. */
function equitySeries(label: string, series: DailySeries, range: DayRange, colour: number): ChartSeries {
  const { days, values } = presentDays(series, range[0], range[1])
  return dailyChartSeries(label, { days, values: equityOf(values), valid: null }, { kind: 'ratio', colour })
}

/** Builds the pane of equity over a range of days, with a series per label. */
const equityPane = (title: string, byLabel: Record<string, DailySeries>, range: DayRange) =>
  dailyPane(
    'equity',
    title,
    Object.entries(byLabel).map(([label, series], colour) => equitySeries(label, series, range, colour)),
  )

function underwaterSeries(label: string, series: DailySeries, range: DayRange, colour: number): ChartSeries {
  const { days, values } = presentDays(series, range[0], range[1])
  const drawdowns = drawdownsOf(equityOf(values))
  return dailyChartSeries(label, { days, values: drawdowns, valid: null }, { kind: 'share', colour, style: 'area' })
}

/** Builds the chart of served and explained equity, daily residuals, and costs. */
export function explainChart(explained: ExplainedReturns, served: DailySeries): ChartModel {
  const { chart: text } = explainText
  const { days, residual, cost } = explained
  const returns = { days, values: explained.explained.values, valid: explained.explained.valid }
  const range = valueRange(returns)
  const bpsBars = (label: string, { values, valid }: NumberColumn, colour: number) =>
    dailyChartSeries(
      label,
      { days, values: values.map((value) => value * 1e4), valid },
      { kind: 'bps', unit: 'bps', style: 'bar', colour },
    )
  return {
    ...emptyModel(text.label),
    panes: [
      equityPane(text.equity, { [text.served]: served, [text.explained]: returns }, range),
      {
        ...dailyPane('residual', text.residualPane, [bpsBars(text.residual, residual, 2)]),
        leastReach: NOISE_BPS,
      },
      dailyPane('cost', text.costPane, [bpsBars(text.cost, cost, 3)]),
    ],
  }
}

/** Builds the chart of returns without and with an overlay, and of the overlay. */
export function overlayChart(unscaled: DailySeries, scaled: DailySeries, overlay: DailySeries): ChartModel {
  const { overlay: text } = explainText
  const range = valueRange(scaled)
  return {
    ...emptyModel(text.label),
    panes: [
      equityPane(text.equity, { [text.without]: unscaled, [text.with]: scaled }, range),
      dailyPane('underwater', text.underwater, [
        underwaterSeries(text.without, unscaled, range, 0),
        underwaterSeries(text.with, scaled, range, 1),
      ]),
      dailyPane('overlay', text.label, [
        dailyChartSeries(text.label, overlay, { kind: 'ratio', colour: 2, style: 'step' }),
      ]),
    ],
  }
}
