/** Computes the tear sheet of a range: its figures, rolling risk, windows, calendar, extremes and distribution. */
import type { NumberColumn } from '#shared/contract/frame.ts'
import type { DayNumber } from '#shared/time/periods.ts'
import { benchmarkFigures, commonReturns, type CommonReturns } from './benchmark.ts'
import {
  type Extremes,
  extremeDays,
  extremes,
  monthlyReturns,
  weeklyReturns,
  type YearRow,
  yearNumber,
  yearStart,
  yearTable,
} from './calendarReturns.ts'
import { type DailySeries, finiteColumn, presentDays, missingColumn, setCell } from './dailySeries.ts'
import {
  figureValues,
  type FigureValues,
  conventionsOf,
  deepestEpisodes,
  type Episode,
  returnsView,
  type ReturnsView,
  type ViewOptions,
  DAYS_PER_YEAR,
} from './figures.ts'
import type { NumberKind } from '#shared/units/numberKinds.ts'
import { finiteQuotient } from '#shared/statistics/finiteQuotient.ts'
import { readableWidth } from '#shared/statistics/readableBins.ts'
import { slideMoments } from '#shared/statistics/slideMoments.ts'
import { slidePairs } from '#shared/statistics/slidePairs.ts'
import { betaOf } from '#shared/statistics/pairMoments.ts'

/** Everything that the page of a portfolio's returns shows for the range in view. */
export interface TearSheet {
  conventions: string
  days: Int32Array
  returns: Float64Array
  equity: NumberColumn
  drawdowns: NumberColumn
  figures: FigureValues
  /** Rolling figures over the last `window` days up to each day, including days before the range. */
  rolling: { window: number; sharpe: NumberColumn; volatility: NumberColumn }
  /** Comparison on common days; null without a benchmark. */
  benchmark: { days: Int32Array; figures: FigureValues; rollingBeta: NumberColumn } | null
  episodes: Episode[]
  years: YearRow[]
  windows: ReturnWindow[]
  extremeDays: Extremes
  extremeWeeks: Extremes
  extremeMonths: Extremes
  distribution: Histogram | null
}

interface TearSheetOptions extends ViewOptions {
  benchmark?: DailySeries
  rollingWindow?: number
  /**
   * Day of the request, whose calendar year is the running one; by default the last day in view, so that the result does
   * not depend on the clock.
   */
  today?: DayNumber
}

const SHOWN_EXTREMES = 10
const SHOWN_EPISODES = 10

export function tearSheet(series: DailySeries, options: TearSheetOptions = {}): TearSheet {
  const { benchmark, rollingWindow = DEFAULT_ROLLING_WINDOW, today } = options
  const view = returnsView(series, options)
  const { days, returns, equity, drawdowns, sorted } = view
  const returnsUpToEnd = withEarlierDays(view, series, options)
  const isCompleteHistory = presentDays(series).days.length === days.length
  const values = figureValues(view)
  const months = monthlyReturns(view)
  return {
    conventions: conventionsOf(view),
    days,
    returns,
    equity: finiteColumn('equity', equity),
    drawdowns: finiteColumn('drawdown', drawdowns),
    figures: values,
    rolling: { window: rollingWindow, ...lastRolling(returnsUpToEnd, rollingWindow, days.length) },
    benchmark: benchmark ? againstBenchmark(view, returnsUpToEnd, benchmark, rollingWindow) : null,
    episodes: deepestEpisodes(view.episodes, SHOWN_EPISODES),
    years: yearTable(view, months, today),
    windows: returnWindows(view, isCompleteHistory, values, today),
    extremeDays: extremeDays(view, SHOWN_EXTREMES),
    extremeWeeks: extremes(weeklyReturns(view), SHOWN_EXTREMES),
    extremeMonths: extremes(months, SHOWN_EXTREMES),
    distribution: histogramOf(sorted),
  }
}

type DatedReturns = Pick<ReturnsView, 'days' | 'returns' | 'riskFreeDaily'>

/** Adds the days before the range, because a rolling figure does not depend on where the range begins. */
function withEarlierDays(view: ReturnsView, series: DailySeries, { startDay, endDay }: ViewOptions): DatedReturns {
  if (startDay === undefined) return view
  const { days, values: returns } = presentDays(series, undefined, endDay)
  return { days, returns, riskFreeDaily: view.riskFreeDaily }
}

/** Computes the rolling figures and keeps the last `rows` days. */
function lastRolling(returnsUpToEnd: DatedReturns, window: number, rows: number) {
  const { sharpe, volatility } = rollingRisk(returnsUpToEnd, window)
  return { sharpe: lastRows(sharpe, rows), volatility: lastRows(volatility, rows) }
}

function lastRows({ name, kind, values, valid }: NumberColumn, rows: number): NumberColumn {
  const from = values.length - rows
  return { name, kind, values: values.subarray(from), valid: valid && valid.subarray(from) }
}

function againstBenchmark(
  view: ReturnsView,
  returnsUpToEnd: DatedReturns,
  benchmark: DailySeries,
  window: number,
): TearSheet['benchmark'] {
  const common = commonReturns(view, benchmark)
  const figures = Object.fromEntries(benchmarkFigures.map(({ id, compute }) => [id, compute(common)]))
  const beta = rollingBeta(returnsUpToEnd === view ? common : commonReturns(returnsUpToEnd, benchmark), window)
  return { days: common.days, figures, rollingBeta: lastRows(beta, common.days.length) }
}

/** A trailing window of days. */
export interface ReturnWindow {
  id: string
  name: string
  /** First day of the window; null if the history is shorter. */
  startDay: DayNumber | null
  figures: FigureValues | null
}

const trailingWindows: readonly [id: string, days: number][] = [
  ['1M', 30],
  ['3M', 91],
  ['6M', 182],
  ['1Y', 365],
  ['3Y', 1095],
  ['5Y', 1825],
]

/**
 * Computes the figures for the last 30, 91 … days, the year to date and the range (possibly the complete history). A
 * range that ends in a past year has no year to date.
 */
export function returnWindows(
  view: ReturnsView,
  isCompleteHistory: boolean,
  rangeFigures: FigureValues = figureValues(view),
  today: DayNumber = view.days.at(-1) ?? 0,
): ReturnWindow[] {
  const { days, returns: values, riskFree } = view
  const first = days[0]
  const last = days[days.length - 1]
  const windowFrom = (id: string, name: string, startDay: DayNumber | null): ReturnWindow => {
    if (startDay === null || days.length === 0) return { id, name, startDay: null, figures: null }
    if (startDay === first) return { id, name, startDay, figures: rangeFigures }
    const windowView = returnsView({ days, values, valid: null }, { startDay, endDay: last + 1, riskFree })
    return { id, name, startDay, figures: figureValues(windowView) }
  }
  const windows = trailingWindows.map(([id, length]) => {
    const startDay = last - length + 1
    return windowFrom(id, `Last ${length} days`, startDay >= first ? startDay : null)
  })
  const isRunningYear = days.length > 0 && yearNumber(last) === yearNumber(today)
  const yearStartDay = isRunningYear ? Math.max(yearStart(last), first) : null
  const rangeWindow = windowFrom('all', isCompleteHistory ? 'Since inception' : 'Whole range', first ?? null)
  return [...windows, windowFrom('YTD', 'Year to date', yearStartDay), rangeWindow]
}

/** Histogram with bins of equal width. Their edges are multiples of the width, so that no bin has 0 inside. */
export interface Histogram {
  width: number
  /** Index of the first bin, which covers `firstBin·width` (inclusive) to `(firstBin + 1)·width` (exclusive). */
  firstBin: number
  counts: Int32Array
}

const MOST_BINS = 60
/** Minimum bin width, finer than the precision of any return. */
const LEAST_WIDTH = 1e-9

/**
 * Chooses a readable bin width, 1, 2 or 5 times a power of ten, and counts the values in each bin. Null without values.
 */
export function histogramOf(sorted: Float64Array): Histogram | null {
  if (sorted.length === 0) return null
  const span = sorted[sorted.length - 1] - sorted[0]
  const width = readableWidth(Math.max(LEAST_WIDTH, span > 0 ? span / MOST_BINS : Math.abs(sorted[0]) / 10 || 0.01))
  const binOf = (value: number) => Math.floor(value / width)
  const firstBin = binOf(sorted[0])
  const counts = new Int32Array(binOf(sorted[sorted.length - 1]) - firstBin + 1)
  for (const value of sorted) counts[binOf(value) - firstBin]++
  return { width, firstBin, counts }
}

export const rollingWindows = [30, 90, 180, 365] as const
export const DEFAULT_ROLLING_WINDOW = 365

/** Rolling statistics, for the screen and the command line. */
export const rollingFigures: readonly { id: string; name: string; unit: NumberKind; formula: string }[] = [
  {
    id: 'rollingSharpe',
    name: 'Rolling Sharpe',
    unit: 'ratio',
    formula:
      'Sharpe over the last w days with a return, including days before the range; missing until there are w such days',
  },
  {
    id: 'rollingVolatility',
    name: 'Rolling volatility',
    unit: 'share',
    formula:
      'Volatility over the last w days with a return, including days before the range; missing until there are w such days',
  },
  {
    id: 'rollingBeta',
    name: 'Rolling beta',
    unit: 'ratio',
    formula: 'Beta over the last w common days, including days before the range; missing until there are w such days',
  },
]

/** Computes Sharpe ratio and volatility over the last `window` days with a return; missing until the window is full. */
export function rollingRisk(
  { returns, riskFreeDaily }: Pick<ReturnsView, 'returns' | 'riskFreeDaily'>,
  window: number,
): { sharpe: NumberColumn; volatility: NumberColumn } {
  const sharpe = missingColumn('sharpe', returns.length)
  const volatility = missingColumn('volatility', returns.length)
  slideMoments(returns, null, window, (row, count, origin, shift, squares) => {
    if (count < window || count < 2) return
    const deviation = Math.sqrt(squares / (count - 1))
    setCell(volatility, row, deviation * Math.sqrt(DAYS_PER_YEAR))
    const daily = finiteQuotient(origin + shift - riskFreeDaily, deviation)
    if (daily !== null) setCell(sharpe, row, daily * Math.sqrt(DAYS_PER_YEAR))
  })
  return { sharpe, volatility }
}

/** Computes beta over the last `window` common days; missing until the window is full. One row per common day. */
export function rollingBeta({ returns, benchmark }: CommonReturns, window: number): NumberColumn {
  const beta = missingColumn('beta', returns.length)
  slidePairs(
    benchmark,
    returns,
    () => true,
    window,
    (row, moments) => {
      if (moments.count === window) setCell(beta, row, betaOf(moments))
    },
  )
  return beta
}
