/** Describes what a tear sheet shows, once for every face: figures, charts and tables. */
import { numberColumn, type NumberColumn } from '#shared/contract/frame.ts'
import {
  column,
  type ReadColumn,
  type Sheet,
  type SheetChart,
  type SheetFigure,
  type SheetFigures,
  type SheetSeries,
  type SheetTable,
  table,
} from '#shared/sheet/sheet.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import { dayFromNumber, type DayNumber } from '#shared/time/periods.ts'
import { figureKind, numberFormat, type NumberKind } from '#shared/units/numberKinds.ts'
import { exactNumber, formatNumber, formatPercent } from '#shared/units/numbers.ts'
import { plural } from '#shared/units/plurals.ts'
import { benchmarkFigures, commonReturns, levelsOfReturns, matchVolatility } from './benchmark.ts'
import type { Extremes, PeriodReturn, YearRow } from './calendarReturns.ts'
import { type DailySeries, rowsWhere, takeRows } from './dailySeries.ts'
import { type Episode, figures, type FigureValues, type TearSheetFigure } from './figures.ts'
import { tearSheetVerdict } from './tearSheetVerdict.ts'
import { type Histogram, type ReturnWindow, rollingFigures, type TearSheet } from './tearSheet.ts'

export type DescribedFigure = Omit<TearSheetFigure, 'compute'>

const startMs = (day: DayNumber | null): number | null => (day === null ? null : day * MS_PER_DAY)

export const figureOf = ({ id, name, unit, counted, formula }: DescribedFigure, values: FigureValues): SheetFigure => ({
  id,
  name,
  value: values[id] ?? null,
  kind: unit,
  ...(counted && { counted }),
  formula,
})

/** Figures of the range and, with a benchmark, those against it. */
export const tearSheetFigures = (sheet: TearSheet, benchmark = ''): SheetFigures => ({
  kind: 'figures',
  id: 'figures',
  title: 'Figures',
  figures: [
    ...figures.map((figure) => figureOf(figure, sheet.figures)),
    ...(sheet.benchmark ? benchmarkFigures : []).map((figure) => ({
      ...figureOf(figure, sheet.benchmark?.figures ?? {}),
      ...(benchmark && { scope: ` (${benchmark})` }),
    })),
  ],
})

/** Rolling statistics on the last day. */
export function lastRollingValues({ rolling, benchmark }: TearSheet): FigureValues {
  const last = (column: NumberColumn | undefined) => {
    const row = (column?.values.length ?? 0) - 1
    return column && row >= 0 && column.valid?.[row] !== 0 ? column.values[row] : null
  }
  return {
    rollingSharpe: last(rolling.sharpe),
    rollingVolatility: last(rolling.volatility),
    rollingBeta: last(benchmark?.rollingBeta),
  }
}

function rollingFigureSection(sheet: TearSheet): SheetFigures {
  const values = lastRollingValues(sheet)
  return {
    kind: 'figures',
    id: 'rolling',
    title: 'Rolling figures on the last day',
    figures: rollingFigures
      .filter(({ id }) => id !== 'rollingBeta' || sheet.benchmark !== null)
      .map((figure) => ({ ...figureOf(figure, values), scope: `, w = ${sheet.rolling.window}` })),
  }
}

const COMPOUNDED = 'Product of (1 + r) − 1 over the days with a return (UTC)'
const monthNames = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
/** All months share one colour scale, so that colours can be compared. */
const heat = { scale: 'diverging', low: -0.15, high: 0.15 } as const
const compounded = {
  hint: COMPOUNDED,
  /** Percent with two decimals, so that the months of a row can be compared. */
  format: (value: number | string) => (typeof value === 'number' ? formatPercent(value, 2) : value),
}
const YEAR_WIDTH = { widthPx: 84 }
const FIRST_DAY = 'First day of the period'

/** Months and years; `yearToDate` names the year that is not over. */
const yearTable = (years: readonly YearRow[], yearToDate: (year: number) => string): SheetTable =>
  table<YearRow>(
    { id: 'years', title: 'Months and years', note: '– means no day with a return' },
    [
      column('year', 'Year', 'text', (row) => (row.isYearToDate ? yearToDate(row.year) : String(row.year)), YEAR_WIDTH),
      ...monthNames.map((name, month) =>
        column<YearRow>(name, name, 'percentFigure', ({ months }) => months[month], {
          widthPx: 68,
          heat,
          ...compounded,
        }),
      ),
      column('total', 'Total', 'percentFigure', ({ total }) => total, { ...YEAR_WIDTH, ...compounded }),
    ],
    years,
  )

/** Width of a column whose header has a name and perhaps a unit. */
const namedWidthPx = (least: number, name: string, unit = '') =>
  Math.max(least, name.length * 7.5 + unit.length * 7 + 40)

/** Figures of each window; documents have all of them. */
const windowFigures = ['totalReturn', 'cagr', 'volatility', 'sharpe', 'sortino', 'maxDrawdown', 'calmar', 'days']

const windowTable = (windows: readonly ReturnWindow[], note: string): SheetTable =>
  table<ReturnWindow>(
    { id: 'windows', title: 'Trailing windows', note },
    [
      column('window', 'Window', 'text', ({ id, name }) => (id === 'all' ? name : id), {
        widthPx: 108,
        hint: 'The last n days: 1M = 30, 3M = 91, 6M = 182, 1Y = 365, 3Y = 1095, 5Y = 1825. YTD: from the first day of the year',
      }),
      dayColumn('from', 'From', ({ startDay }) => startDay, 'First day, inclusive; blank if the history is shorter'),
      ...windowFigures
        .flatMap((id) => figures.find((figure) => figure.id === id) ?? [])
        .map((figure) => statisticColumn<ReturnWindow>(figure, ({ figures: values }) => values, 112)),
    ],
    windows,
  )

const dayColumn = <Row>(key: string, title: string, day: (row: Row) => DayNumber | null, hint: string, widthPx = 96) =>
  column<Row>(key, title, 'time', (row) => startMs(day(row)), { hint, widthPx })

const drawdownTable = (episodes: readonly Episode[]): SheetTable =>
  table<Episode>(
    { id: 'drawdowns', title: 'Deepest drawdowns', empty: 'No drawdown in this range' },
    [
      column('depth', 'Depth', 'percentFigure', ({ depth }) => depth, {
        widthPx: 84,
        hint: 'Equity at the trough over the preceding peak, minus 1',
      }),
      dayColumn('start', 'Start', ({ startDay }) => startDay, 'First day below the peak'),
      dayColumn('trough', 'Trough', ({ troughDay }) => troughDay, 'Day of the lowest equity'),
      column(
        'recovery',
        'Recovery',
        'text',
        ({ recoveryDay: day }) => (day === null ? 'not recovered' : dayFromNumber(day)),
        {
          widthPx: 112,
          hint: 'First day back at or above the peak',
        },
      ),
      column('days', 'Length', 'count', ({ lengthDays }) => lengthDays, {
        ...{ unit: 'days', widthPx: 96, hint: 'From the first to the last day below the peak, inclusive' },
      }),
    ],
    episodes,
  )

interface RankedExtremes {
  rank: number
  best: PeriodReturn
  worst: PeriodReturn
}

const extremeTable = (option: string, { best, worst }: Extremes): SheetTable =>
  table<RankedExtremes>(
    {
      id: `extreme${option}`,
      title: `Best and worst ${option.toLowerCase()}`,
      choice: { group: 'extremes', title: 'Best and worst', label: 'Period length', option },
    },
    [
      column('rank', '#', 'count', ({ rank }) => rank, { widthPx: 48 }),
      dayColumn('bestStart', 'Best from', (row) => row.best.startDay, FIRST_DAY, 116),
      column('best', 'Best', 'percentFigure', (row) => row.best.return, { widthPx: 84, hint: COMPOUNDED }),
      dayColumn('worstStart', 'Worst from', (row) => row.worst.startDay, FIRST_DAY, 124),
      column('worst', 'Worst', 'percentFigure', (row) => row.worst.return, { widthPx: 84, hint: COMPOUNDED }),
    ],
    best.map((high, at) => ({ rank: at + 1, best: high, worst: worst[at] })),
  )

/** Histogram of daily returns. */
function distributionChart(distribution: Histogram | null): SheetChart {
  const { width, firstBin, counts } = distribution ?? { width: 0.01, firstBin: 0, counts: new Int32Array(0) }
  const from = Float64Array.from(counts, (_, at) => (firstBin + at) * width)
  const to = Float64Array.from(from, (edge) => edge + width)
  /** Number of decimals needed for the width of a bar. */
  const decimals = Math.max(0, -Math.floor(Math.log10(width * 100) + 1e-9))
  const share = numberFormat('share')
  const fullest = counts.reduce((best, count, at) => (count > counts[best] ? at : best), 0)
  const title = 'Distribution of daily returns'
  const days = Float64Array.from(counts)
  return {
    ...{ kind: 'chart', id: 'distribution', title, style: 'bars' },
    note: distribution ? `days per ${formatPercent(width, Math.min(4, decimals))} %` : '',
    names: Array.from(from, (edge) => `${edge === 0 ? '0' : formatPercent(edge, decimals)} %`),
    series: [
      { id: 'days', label: 'Days', kind: 'count', x: Float64Array.from(counts.keys()), values: days, valid: null },
    ],
    spoken:
      from.length === 0
        ? `${title}: no days`
        : `${title} from ${share(from[0])} % to ${share(from[from.length - 1])} %, most days from ${share(from[fullest])} % to ${share(to[fullest])} %`,
    data: {
      rows: from.length,
      columns: [numberColumn('from', [...from]), numberColumn('to', [...to]), numberColumn('days', [...days])],
    },
    keptName: -firstBin,
  }
}

/**
 * Describes the tables and the histogram of a tear sheet.
 * @param yearToDate name of the year that is not over
 */
export const tearSheetTables = (
  sheet: TearSheet,
  yearToDate: (year: number) => string = (year) => `${year} YTD`,
): (SheetTable | SheetChart)[] => [
  yearTable(sheet.years, yearToDate),
  windowTable(sheet.windows, noteWithDefinitions(sheet.conventions, false)),
  drawdownTable(sheet.episodes),
  extremeTable('Days', sheet.extremeDays),
  extremeTable('Weeks', sheet.extremeWeeks),
  extremeTable('Months', sheet.extremeMonths),
  distributionChart(sheet.distribution),
]

/** Appends to the note on conventions the definitions of those figures that tools define differently. */
export const noteWithDefinitions = (conventions: string, hasBenchmark: boolean): string =>
  [
    conventions,
    ...[...figures, ...(hasBenchmark ? benchmarkFigures : [])]
      .filter(({ differs }) => differs)
      .map(({ name, formula }) => `${name}: ${formula}`),
  ].join('. ')

/** Figures of one of several portfolios that are compared. */
interface ComparedFigures {
  label: string
  figures: FigureValues
  /** Figures against the benchmark; null if there is none. */
  benchmark: FigureValues | null
}

/** Table of compared portfolios with a statistic per column, so that they can be sorted by each. */
export const sideBySideTable = (head: { title: string; note: string }, sides: readonly ComparedFigures[]): SheetTable =>
  table<ComparedFigures>(
    { id: 'sides', ...head },
    [
      column('portfolio', 'Portfolio', 'text', ({ label }) => label, { widthPx: 230 }),
      ...figures.map((figure) => statisticColumn<ComparedFigures>(figure, (side) => side.figures)),
      ...(sides.some(({ benchmark }) => benchmark) ? benchmarkFigures : []).map((figure) =>
        statisticColumn<ComparedFigures>(figure, (side) => side.benchmark),
      ),
    ],
    sides,
  )

const statisticColumn = <Row>(
  { id, name, unit, counted, formula }: DescribedFigure,
  valuesOf: (row: Row) => FigureValues | null,
  leastPx = 92,
): ReadColumn<Row> =>
  column(id, name, figureKind(unit), (row) => valuesOf(row)?.[id], {
    ...(counted && { unit: counted }),
    ...{ widthPx: namedWidthPx(leastPx, name, counted), hint: formula },
  })

/** One portfolio in the charts. */
export interface ChartedPortfolio {
  id: string
  label: string
  /** Tear sheet of all days, so that lines extend beyond the visible range. */
  whole: TearSheet
  /** Tear sheet of the visible range. */
  inView: TearSheet
}

interface ChartedBenchmark {
  label: string
  prices: DailySeries
  returns: DailySeries
}

interface ReturnsChartInput {
  portfolios: readonly ChartedPortfolio[]
  benchmark: ChartedBenchmark | null
  isLog?: boolean
  /** True to draw the benchmark at the volatility of the first portfolio. */
  isMatched?: boolean
}

/** Definitions of the charts' lines, in order. */
export const chartFormulas: readonly { name: string; formula: string }[] = [
  { name: 'Equity', formula: 'Product of (1 + r) of all days so far, starting at 1 before the first day shown' },
  {
    name: 'Underwater',
    formula: 'Equity over its highest value so far in the range (including the starting 1), minus 1',
  },
  ...rollingFigures,
]

/** Describes the charts of equity, drawdown, rolling Sharpe ratio, volatility and beta; empty ones are left out. */
export function returnsCharts(input: ReturnsChartInput): SheetChart[] {
  const { portfolios, isLog = false, isMatched = false } = input
  const benchmark = isMatched ? benchmarkAtVolatility(input) : input.benchmark
  const overDays = plural(portfolios.at(0)?.whole.rolling.window ?? 0, 'day')
  const chart = (id: string, title: string, series: readonly SheetSeries[]): SheetChart => ({
    ...{ kind: 'chart', id, title, style: 'line', names: null },
    series: series.map((each, colour) => ({ colour, ...each })),
  })
  const rolling = (id: string, title: string, series: readonly SheetSeries[]) =>
    series.some(({ valid }) => !valid || valid.includes(1)) ? [chart(id, title, series)] : []
  const equity = portfolios.map(equitySeries)
  return [
    {
      ...chart('equity', 'Equity, 1 at the start of the range', equity.concat(benchmarkSeries(benchmark, portfolios))),
      isLog,
    },
    chart('underwater', 'Underwater', portfolios.map(underwaterSeries)),
    ...rolling('sharpe', `Sharpe over ${overDays}`, portfolios.map(rollingSeries('sharpe', 'figure'))),
    ...rolling(
      'volatility',
      `Volatility over ${overDays}`,
      portfolios.map(rollingSeries('volatility', 'percentFigure')),
    ),
    ...rolling('beta', `Beta over ${overDays}`, portfolios.flatMap(betaSeries)),
  ].filter(({ series }) => series.length > 0)
}

const dailyLine = (
  id: string,
  label: string,
  kind: NumberKind,
  { days, values, valid }: DailySeries,
  style: 'line' | 'area' = 'line',
): SheetSeries => ({
  ...{ id, label, kind, values, valid, style, stepMs: MS_PER_DAY },
  x: Float64Array.from(days, (day) => day * MS_PER_DAY),
})

/**
 * Scales the benchmark to the volatility of the first portfolio in the visible range; returns it unchanged if no
 * multiplier does this.
 */
function benchmarkAtVolatility({ benchmark, portfolios }: ReturnsChartInput): ChartedBenchmark | null {
  const inView = portfolios.at(0)?.inView
  const scaled = benchmark && inView && matchVolatility(commonReturns(inView, benchmark.returns), benchmark.returns)
  if (!scaled) return benchmark
  const { returns, multiplier } = scaled
  const label = `${benchmark.label} × ${formatNumber(multiplier, 2)}`
  return { label, returns, prices: untilLost(levelsOfReturns(returns)) }
}

/** Ends the levels where a leveraged loss wipes out everything, because later values have no meaning. */
function untilLost({ days, values, valid }: DailySeries): DailySeries {
  const lostAt = values.findIndex((level) => !(level > 0 && Number.isFinite(level)))
  if (lostAt < 0) return { days, values, valid }
  return { days, values, valid: Uint8Array.from(values, (_, row) => Number(row < lostAt && valid?.[row] !== 0)) }
}

const equitySeries = (portfolio: ChartedPortfolio): SheetSeries =>
  dailyLine(`equity ${portfolio.id}`, portfolio.label, 'ratio', {
    days: portfolio.whole.days,
    ...rebasedEquity(portfolio),
  })

const underwaterSeries = ({ id, label, inView: { days, drawdowns } }: ChartedPortfolio): SheetSeries =>
  dailyLine(`underwater ${id}`, label, 'percentFigure', { days, ...drawdowns }, 'area')

const rollingSeries =
  (figure: 'sharpe' | 'volatility', kind: 'figure' | 'percentFigure') =>
  ({ id, label, whole: { days, rolling } }: ChartedPortfolio): SheetSeries =>
    dailyLine(`${figure} ${id}`, label, kind, { days, ...rolling[figure] })

const betaSeries = ({ id, label, whole: { benchmark } }: ChartedPortfolio, colour: number): SheetSeries[] =>
  benchmark
    ? [{ ...dailyLine(`beta ${id}`, label, 'figure', { days: benchmark.days, ...benchmark.rollingBeta }), colour }]
    : []

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
function benchmarkSeries(benchmark: ChartedBenchmark | null, portfolios: readonly ChartedPortfolio[]): SheetSeries[] {
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
  return [dailyLine('benchmark', label, 'ratio', { days, values: scaled, valid })]
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

/** What a tear sheet is about, beyond its numbers. */
interface TearSheetSubject {
  portfolio: string
  smoothing?: string | undefined
  exchange?: string | undefined
  benchmark?: string | undefined
  /** Annual risk-free rate, as a fraction. */
  riskFree: number
  own?: { coverage: number | null; costBps: number | null } | undefined
}

/** Describes a whole tear sheet, as a terminal and a report show it. */
export function tearSheetSheet(subject: TearSheetSubject, sheet: TearSheet, namesRunningYear: boolean): Sheet {
  const { portfolio, smoothing, exchange = 'unconstrained', benchmark, riskFree, own } = subject
  const [first, last] = [sheet.days.at(0), sheet.days.at(-1)]
  const range = first === undefined || last === undefined ? null : [first, last].map(dayFromNumber)
  const whole = { id: 'portfolio', label: portfolio, whole: sheet, inView: sheet }
  const verdict = tearSheetVerdict(sheet)
  // Without a day of the request, nothing says which year is the running one.
  const tables = namesRunningYear
    ? tearSheetTables(sheet)
    : tearSheetTables(
        { ...sheet, windows: sheet.windows.filter(({ id }) => id !== 'YTD') },
        (year) => `${year} until ${range?.[1]}`,
      )
  return {
    title: `Tear sheet of ${portfolio}`,
    subtitle: [
      range ? range.join(' to ') : 'no day with a return',
      ...(own ? [] : [smoothing === undefined ? 'its own smoothing' : `smoothing ${smoothing}`, exchange]),
    ].join('; '),
    ...(verdict !== null && { verdict }),
    sections: [
      tearSheetFigures(sheet, benchmark),
      rollingFigureSection(sheet),
      ...(range ? returnsCharts({ portfolios: [whole], benchmark: null }) : []),
      ...tables.filter((section) => section.kind === 'table' || section.names?.length),
      {
        ...{ kind: 'text', id: 'conventions', title: 'Conventions' },
        lines: [
          sheet.conventions,
          `Risk-free rate: ${exactNumber(Number((riskFree * 100).toPrecision(12)))} % a year.`,
          ...(own && own.coverage !== null ? [coverageLine(own.coverage, own.costBps ?? 0)] : []),
        ],
      },
    ],
  }
}

const coverageLine = (coverage: number, costBps: number) =>
  `Share of the gross weight that has prices: ${formatPercent(coverage, 2)} %; cost of trading: ${costBps} basis points.`
