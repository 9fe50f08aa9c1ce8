import type { NumberColumn } from '#shared/contract/frame.ts'
import { commonReturns, levelsOfReturns, volatilityMatched } from '#shared/portfolio/benchmark.ts'
import { rowsWhere, takeRows, type DailySeries } from '#shared/portfolio/dailySeries.ts'
import { rollingFigures } from '#shared/portfolio/rolling.ts'
import type { TearSheet } from '#shared/portfolio/tearSheet.ts'
import type { TimeRange } from '#shared/time/ranges.ts'
import { emptyModel, type ChartModel, type ChartSeries, type Pane } from '../../../charts/model.ts'
import { tearSheetText } from '../../../text/portfolios.ts'
import { dailyChartSeries, dailyPane } from '../dailyData.ts'

/** One portfolio in the chart. */
export interface ChartedPortfolio {
  id: string
  label: string
  /** Tear sheet of all days, so that the lines also cover the days before the visible range. */
  whole: TearSheet
  /** Tear sheet of the visible range. */
  inView: TearSheet
}

interface Benchmark {
  label: string
  prices: DailySeries
  returns: DailySeries
}

export interface ReturnsChartInput {
  portfolios: readonly ChartedPortfolio[]
  benchmark: Benchmark | null
  scale: 'linear' | 'log'
  range: TimeRange | null
  /** Draws the benchmark with the volatility of the first portfolio. */
  isMatched?: boolean
}

/** Definitions of the lines of the chart, in its order. */
export const chartFormulas: readonly { name: string; formula: string }[] = [
  ...tearSheetText.chartFormulas,
  ...rollingFigures,
]

/** Builds the panes of equity, underwater, rolling Sharpe, volatility and beta; those without any value are left out. */
export function returnsChart(input: ReturnsChartInput): ChartModel {
  const { portfolios, scale, range, isMatched = false } = input
  const benchmark = isMatched ? matched(input) : input.benchmark
  const { panes: text } = tearSheetText
  const window = portfolios.at(0)?.whole.rolling.window ?? 0
  const each = (make: (portfolio: ChartedPortfolio, colour: number) => ChartSeries) => portfolios.map(make)
  const panes = [
    dailyPane('equity', text.equity, [...each(equitySeries), ...benchmarkSeries(benchmark, portfolios)], scale),
    dailyPane('underwater', text.underwater, each(underwaterSeries)),
    rollingPane('sharpe', text.sharpe(window), each(rollingSeries('sharpe', 'figure'))),
    rollingPane('volatility', text.volatility(window), each(rollingSeries('volatility', 'percentFigure'))),
    rollingPane('beta', text.beta(window), portfolios.flatMap(betaSeries)),
  ]
  return { ...emptyModel(text.title), range, panes: panes.filter(({ series }) => series.length > 0) }
}

/** Scales the benchmark to the volatility of the first portfolio in view; as it is where there is no such factor. */
function matched({ benchmark, portfolios }: ReturnsChartInput): Benchmark | null {
  const inView = portfolios.at(0)?.inView
  const scaled = benchmark && inView && volatilityMatched(commonReturns(inView, benchmark.returns), benchmark.returns)
  if (!scaled) return benchmark
  const { returns, factor } = scaled
  return { label: tearSheetText.matched(benchmark.label, factor), returns, prices: untilLost(levelsOfReturns(returns)) }
}

/** Ends levels where a leveraged loss takes everything: what follows has no meaning. */
function untilLost({ days, values, valid }: DailySeries): DailySeries {
  const lostAt = values.findIndex((level) => !(level > 0 && Number.isFinite(level)))
  if (lostAt < 0) return { days, values, valid }
  return { days, values, valid: Uint8Array.from(values, (_, row) => Number(row < lostAt && valid?.[row] !== 0)) }
}

/** Parts the chart into the equity, which is the tallest, and the figures of risk below or beside it. */
export function partsOfChart(model: ChartModel): { equity: ChartModel; risk: ChartModel } {
  const isEquity = ({ id }: Pane) => id === 'equity'
  return {
    equity: { ...model, panes: model.panes.filter(isEquity) },
    risk: { ...model, panes: model.panes.filter((pane) => !isEquity(pane)) },
  }
}

function rollingPane(id: string, title: string, series: readonly ChartSeries[]): Pane {
  const hasValue = series.some(({ valid }) => !valid || valid.includes(1))
  return dailyPane(id, title, hasValue ? series : [])
}

const equitySeries = (portfolio: ChartedPortfolio, colour: number): ChartSeries =>
  dailyChartSeries(
    portfolio.label,
    { days: portfolio.whole.days, ...rebasedEquity(portfolio) },
    { id: `equity ${portfolio.id}`, kind: 'ratio', colour },
  )

const underwaterSeries = ({ id, label, inView: { days, drawdowns } }: ChartedPortfolio, colour: number): ChartSeries =>
  dailyChartSeries(
    label,
    { days, values: drawdowns.values, valid: drawdowns.valid },
    { id: `underwater ${id}`, kind: 'percentFigure', colour, style: 'area' },
  )

const rollingSeries =
  (figure: 'sharpe' | 'volatility', kind: 'figure' | 'percentFigure') =>
  ({ id, label, whole: { days, rolling } }: ChartedPortfolio, colour: number): ChartSeries =>
    dailyChartSeries(
      label,
      { days, values: rolling[figure].values, valid: rolling[figure].valid },
      { id: `${figure} ${id}`, kind, colour },
    )

function betaSeries({ id, label, whole: { benchmark } }: ChartedPortfolio, colour: number): ChartSeries[] {
  if (!benchmark) return []
  const { values, valid } = benchmark.rollingBeta
  return [
    dailyChartSeries(label, { days: benchmark.days, values, valid }, { id: `beta ${id}`, kind: 'figure', colour }),
  ]
}

/** Scales the equity of all days so that it is 1 before the first visible day. */
function rebasedEquity({ whole, inView }: ChartedPortfolio): Pick<NumberColumn, 'values' | 'valid'> {
  const { values, valid } = whole.equity
  const first = inView.days.at(0)
  const row = first === undefined ? 0 : whole.days.indexOf(first)
  const base = row > 0 ? values[row - 1] : 1
  return base === 1 ? { values, valid } : { values: values.map((value) => value / base), valid }
}

/**
 * Scales prices to 1 at the close before the visible range, or else at the first price after that. Only the days of the
 * portfolios are drawn, because a benchmark is often much older.
 */
function benchmarkSeries(benchmark: Benchmark | null, portfolios: readonly ChartedPortfolio[]): ChartSeries[] {
  const startDay = portfolios.at(0)?.inView.days.at(0)
  if (!benchmark || startDay === undefined) return []
  const { label, prices } = benchmark
  const isPriced = (row: number) => (!prices.valid || prices.valid[row] === 1) && prices.values[row] > 0
  const rows = [...prices.days.keys()].filter(isPriced)
  const base = rows.findLast((row) => prices.days[row] < startDay) ?? rows.at(0)
  const [firstDay, lastDay] = dayExtent(portfolios)
  const { days, values, valid } = rowsOfSeries(
    prices,
    (row) => prices.days[row] >= firstDay && prices.days[row] <= lastDay,
  )
  const scaled = base === undefined ? values : values.map((price) => price / prices.values[base])
  return [
    dailyChartSeries(
      label,
      { days, values: scaled, valid },
      { id: 'benchmark', kind: 'ratio', colour: portfolios.length },
    ),
  ]
}

/** Finds the first and the last day of all portfolios. */
function dayExtent(portfolios: readonly ChartedPortfolio[]): [number, number] {
  const all = portfolios.flatMap(({ whole: { days } }) => [days.at(0) ?? Infinity, days.at(-1) ?? -Infinity])
  return [Math.min(...all), Math.max(...all)]
}

function rowsOfSeries({ days, values, valid }: DailySeries, isKept: (row: number) => boolean): DailySeries {
  const rows = rowsWhere(days.length, isKept)
  return {
    days: rows.map((row) => days[row]),
    values: takeRows(values, rows),
    valid: valid && Uint8Array.from(rows, (row) => valid[row]),
  }
}
