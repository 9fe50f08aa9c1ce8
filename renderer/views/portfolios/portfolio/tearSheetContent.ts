/** Builds the tables, bars and chart that a portfolio page shows of its tear sheets. */
import type { NumberColumn } from '#shared/contract/frame.ts'
import { benchmarkFigures, commonReturns, levelsOfReturns, matchVolatility } from '#shared/portfolio/benchmark.ts'
import type { PeriodReturn, YearRow } from '#shared/portfolio/calendarReturns.ts'
import { figures, type TearSheetFigure, type FigureValues, type Episode } from '#shared/portfolio/figures.ts'
import { type Histogram, type ReturnWindow, type TearSheet, rollingFigures } from '#shared/portfolio/tearSheet.ts'
import { dayFromNumber } from '#shared/time/periods.ts'
import { figureKind, numberFormat } from '#shared/units/numberKinds.ts'
import { formatPercent } from '#shared/units/numbers.ts'
import { tearSheetText as text } from '../../../text/portfolios.ts'
import { dailyChartSeries, dailyPane, type RecordColumn, recordFrame, recordTableBuilder } from '../dailyData.ts'
import { rowsWhere, takeRows, type DailySeries } from '#shared/portfolio/dailySeries.ts'
import type { TimeRange } from '#shared/time/ranges.ts'
import { emptyModel, type ChartModel, type ChartSeries, type Pane } from '../../../charts/model.ts'

/** All months share one colour scale, so that colours can be compared. */
const heat = { scale: 'diverging', low: -0.15, high: 0.15 } as const

const { months, columns: yearText } = text.years
/** Formats the return of a month in percent with two decimals, so that the months of a row can be compared. */
const percentText = (value: number | string) => (typeof value === 'number' ? formatPercent(value, 2) : value)

export const yearTable = recordTableBuilder<YearRow>({ year: yearText.year, total: yearText.total }, (column) => [
  column.text('year', 84, ({ year, isYearToDate }) => (isYearToDate ? text.years.toDate(year) : String(year))),
  ...months.map((title, month): RecordColumn<YearRow> => ({
    key: title,
    title,
    ...yearText.month,
    kind: 'percentFigure',
    widthPx: 68,
    heat,
    format: percentText,
    number: (row) => row.months[month],
  })),
  column.number('total', 'percentFigure', 84, ({ total }) => total, { format: percentText }),
])

const { columns: drawdownText } = text.drawdowns
export const drawdownTable = recordTableBuilder<Episode>(drawdownText, (column) => [
  column.number('depth', 'percentFigure', 84, ({ depth }) => depth),
  column.day('start', 96, ({ startDay }) => startDay),
  column.day('trough', 96, ({ troughDay }) => troughDay),
  column.text('recovery', 112, ({ recoveryDay }) =>
    recoveryDay === null ? text.drawdowns.open : dayFromNumber(recoveryDay),
  ),
  column.number('days', 'count', 96, ({ lengthDays }) => lengthDays),
])

const { columns: extremeText } = text.extremes
const bestAndWorstTable = recordTableBuilder<{ rank: number; best: PeriodReturn; worst: PeriodReturn }>(
  extremeText,
  (column) => [
    column.number('rank', 'count', 48, ({ rank }) => rank),
    column.day('bestStart', 116, ({ best }) => best.startDay),
    column.number('best', 'percentFigure', 84, ({ best }) => best.return),
    column.day('worstStart', 124, ({ worst }) => worst.startDay),
    column.number('worst', 'percentFigure', 84, ({ worst }) => worst.return),
  ],
)

export const extremeTable = ({ best, worst }: { best: PeriodReturn[]; worst: PeriodReturn[] }) =>
  bestAndWorstTable(best.map((each, at) => ({ rank: at + 1, best: each, worst: worst[at] })))

/** Returns the width of a column whose header contains a name and perhaps a unit. */
const namedWidthPx = (least: number, name: string, unit = '') =>
  Math.max(least, name.length * 7.5 + unit.length * 7 + 40)

const windowFigures = ['totalReturn', 'cagr', 'volatility', 'sharpe', 'sortino', 'maxDrawdown', 'calmar', 'days']
const shownInWindows = windowFigures.flatMap((id) => figures.find((figure) => figure.id === id) ?? [])

export const windowTable = recordTableBuilder<ReturnWindow>(text.windows.columns, (column) => [
  column.text('window', 108, ({ id, name }) => (id === 'all' ? name : id)),
  column.day('from', 96, ({ startDay }) => startDay),
  ...shownInWindows.map(({ id, name, unit, formula }): RecordColumn<ReturnWindow> => ({
    key: id,
    title: name,
    kind: figureKind(unit),
    widthPx: namedWidthPx(112, name),
    hint: formula,
    number: ({ figures: values }) => values?.[id],
  })),
])

/** Appends to the note on conventions the definitions of those figures that tools define differently. */
export const noteWithDefinitions = (conventions: string, hasBenchmark: boolean): string =>
  [
    conventions,
    ...[...figures, ...(hasBenchmark ? benchmarkFigures : [])]
      .filter(({ differs }) => differs)
      .map(({ name, formula }) => `${name}: ${formula}`),
  ].join('. ')

export interface ComparedFigures {
  label: string
  figures: FigureValues
  /** Figures of the benchmark; null if there is none. */
  benchmark: FigureValues | null
}

/**
 * Returns a function that builds the table of the compared portfolios, with one statistic per column, so that the
 * portfolios can be sorted by each.
 */
export const sideBySideTableBuilder = (hasBenchmark: boolean) =>
  recordTableBuilder<ComparedFigures>({ portfolio: text.portfolio }, (column) => [
    column.text('portfolio', 230, ({ label }) => label),
    ...figures.map((figure) => statisticColumn(figure, (side) => side.figures[figure.id])),
    ...(hasBenchmark ? benchmarkFigures : []).map((figure) =>
      statisticColumn(figure, (side) => side.benchmark?.[figure.id]),
    ),
  ])

const statisticColumn = (
  { id, name, unit, counted, formula }: Omit<TearSheetFigure, 'compute'>,
  number: (side: ComparedFigures) => number | null | undefined,
): RecordColumn<ComparedFigures> => ({
  key: id,
  title: name,
  kind: figureKind(unit),
  ...(counted && { unit: counted }),
  widthPx: namedWidthPx(92, name, counted),
  hint: formula,
  number,
})

/** Builds the bars of a histogram of returns, their table and their description. */
export function distributionBars(distribution: Histogram | null) {
  const { width, firstBin, counts } = distribution ?? { width: 0.01, firstBin: 0, counts: [] }
  const bins = [...counts].map((count, at) => ({
    from: (firstBin + at) * width,
    to: (firstBin + at + 1) * width,
    count,
  }))
  /** Number of decimals needed for the width of a bar. */
  const decimals = Math.max(0, -Math.floor(Math.log10(width * 100) + 1e-9))
  const { percent: withUnit, note, empty, spoken } = text.distribution
  const share = numberFormat('share')
  const fullestBin = bins.reduce((a, b) => (b.count > a.count ? b : a), bins[0])
  return {
    bars: bins.map(({ from, count }) => ({
      label: withUnit(from === 0 ? '0' : formatPercent(from, decimals)),
      value: count,
    })),
    /** Index of the bar that starts at 0. */
    edgeAt: -firstBin,
    note: distribution ? note(formatPercent(width, Math.min(4, decimals))) : '',
    label:
      bins.length === 0
        ? empty
        : spoken(share(bins[0].from), share(bins[bins.length - 1].to), share(fullestBin.from), share(fullestBin.to)),
    frame: recordFrame(bins, (column) => [
      column.number('from', ({ from }) => from),
      column.number('to', ({ to }) => to),
      column.number('days', ({ count }) => count),
    ]),
  }
}

/**
 * Finds the first and last day that several series have in common, both inclusive; null if all start and end on the
 * same days, if they have no day in common, or if fewer than two have any days.
 */
export function commonDays(all: readonly { days: ArrayLike<number> }[]): { from: string; to: string } | null {
  const ranges = all.flatMap(({ days }) => (days.length === 0 ? [] : [[days[0], days[days.length - 1]] as const]))
  if (ranges.length < 2 || ranges.every(([first, last]) => first === ranges[0][0] && last === ranges[0][1])) return null
  const first = Math.max(...ranges.map(([day]) => day))
  const last = Math.min(...ranges.map(([, day]) => day))
  return first > last ? null : { from: dayFromNumber(first), to: dayFromNumber(last) }
}

/** One portfolio in the chart. */
export interface ChartedPortfolio {
  id: string
  label: string
  /** Tear sheet of all days, so that lines extend beyond the visible range. */
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
  /** True to draw the benchmark at the volatility of the first portfolio. */
  isMatched?: boolean
}

/** Definitions of the chart's lines, in order. */
export const chartFormulas: readonly { name: string; formula: string }[] = [...text.chartFormulas, ...rollingFigures]

/** Builds the panes of equity, drawdown, rolling Sharpe ratio, volatility and beta; empty ones are left out. */
export function returnsChart(input: ReturnsChartInput): ChartModel {
  const { portfolios, scale, range, isMatched = false } = input
  const benchmark = isMatched ? benchmarkAtVolatility(input) : input.benchmark
  const { panes: titles } = text
  const window = portfolios.at(0)?.whole.rolling.window ?? 0
  const chartEach = (make: (portfolio: ChartedPortfolio, colour: number) => ChartSeries) => portfolios.map(make)
  const panes = [
    dailyPane('equity', titles.equity, [...chartEach(equitySeries), ...benchmarkSeries(benchmark, portfolios)], scale),
    dailyPane('underwater', titles.underwater, chartEach(underwaterSeries)),
    rollingPane('sharpe', titles.sharpe(window), chartEach(rollingSeries('sharpe', 'figure'))),
    rollingPane('volatility', titles.volatility(window), chartEach(rollingSeries('volatility', 'percentFigure'))),
    rollingPane('beta', titles.beta(window), portfolios.flatMap(betaSeries)),
  ]
  return { ...emptyModel(titles.title), range, panes: panes.filter(({ series }) => series.length > 0) }
}

/**
 * Scales the benchmark to the volatility of the first portfolio in the visible range; returns it unchanged if no
 * multiplier does this.
 */
function benchmarkAtVolatility({ benchmark, portfolios }: ReturnsChartInput): Benchmark | null {
  const inView = portfolios.at(0)?.inView
  const scaled = benchmark && inView && matchVolatility(commonReturns(inView, benchmark.returns), benchmark.returns)
  if (!scaled) return benchmark
  const { returns, multiplier } = scaled
  return { label: text.matched(benchmark.label, multiplier), returns, prices: untilLost(levelsOfReturns(returns)) }
}

/** Ends the levels where a leveraged loss wipes out everything, because later values have no meaning. */
function untilLost({ days, values, valid }: DailySeries): DailySeries {
  const lostAt = values.findIndex((level) => !(level > 0 && Number.isFinite(level)))
  if (lostAt < 0) return { days, values, valid }
  return { days, values, valid: Uint8Array.from(values, (_, row) => Number(row < lostAt && valid?.[row] !== 0)) }
}

/** Splits the chart into the equity pane, which is the tallest, and the panes of risk figures below or beside it. */
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

/** Rescales the equity of all days so that it is 1 before the first visible day. */
function rebasedEquity({ whole, inView }: ChartedPortfolio): Pick<NumberColumn, 'values' | 'valid'> {
  const { values, valid } = whole.equity
  const firstVisibleDay = inView.days.at(0)
  const row = firstVisibleDay === undefined ? 0 : whole.days.indexOf(firstVisibleDay)
  const base = row > 0 ? values[row - 1] : 1
  return base === 1 ? { values, valid } : { values: values.map((value) => value / base), valid }
}

/**
 * Rescales prices to 1 at the last price before the visible range or, if there is none, at the first price. Only the
 * days of the portfolios are drawn, because a benchmark is often much older.
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

/** Finds the first and last day over all portfolios. */
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
