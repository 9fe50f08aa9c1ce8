/** Computes the tear-sheet statistics of returns in view: equity, drawdowns and figures, each with its formula. */
import { excessKurtosis, skewness, variance, type Moments, momentsOf } from '#shared/statistics/moments.ts'
import { finiteQuotient } from '#shared/statistics/finiteQuotient.ts'
import { sortedQuantile } from '#shared/statistics/ranks.ts'
import type { NumberKind } from '#shared/units/numberKinds.ts'
import { type DailySeries, presentDays } from './dailySeries.ts'
import type { DayNumber } from '#shared/time/periods.ts'
import { finiteOrNull } from '#shared/statistics/finiteOrNull.ts'

/** Days per year for annualising: digital assets trade every day. */
export const DAYS_PER_YEAR = 365

/** The returns in view, and intermediate results that several figures share. Days without a return are excluded. */
export interface ReturnsView {
  days: Int32Array
  returns: Float64Array
  /** Annual risk-free rate, as a fraction. */
  riskFree: number
  riskFreeDaily: number
  /** Equity after each day, starting from 1. */
  equity: Float64Array
  /** Drawdown by day, at most 0. */
  drawdowns: Float64Array
  episodes: Episode[]
  moments: Moments
  sums: ReturnSums
  /** The returns of all days, in ascending order. */
  sorted: Float64Array
}

/** Sums and counts of the returns in view, which one pass collects for all figures. */
interface ReturnSums {
  gains: number
  /** Sum of the negative returns. */
  losses: number
  /** Number of returns above 0. */
  rises: number
  /** Number of returns other than 0. */
  moves: number
  /** Sum of the squared amounts by which returns fall short of the risk-free return. */
  squaredShortfalls: number
  squaredDrawdowns: number
  /** Lowest drawdown. */
  deepest: number
}

export interface ViewOptions {
  /** First day of the range; by default the first day with data. */
  startDay?: DayNumber
  /** First day after the range; by default the day after the last one. */
  endDay?: DayNumber
  riskFree?: number
}

export function returnsView(series: DailySeries, { startDay, endDay, riskFree = 0 }: ViewOptions = {}): ReturnsView {
  const { days, values: returns } = presentDays(series, startDay, endDay)
  const equity = equityOf(returns)
  const drawdowns = drawdownsOf(equity)
  const riskFreeDaily = (1 + riskFree) ** (1 / DAYS_PER_YEAR) - 1
  return {
    days,
    returns,
    riskFree,
    riskFreeDaily,
    equity,
    drawdowns,
    episodes: episodesOf(days, drawdowns),
    moments: momentsOf(returns),
    sums: sumsOf(returns, drawdowns, riskFreeDaily),
    sorted: returns.toSorted(),
  }
}

function sumsOf(returns: Float64Array, drawdowns: Float64Array, riskFreeDaily: number): ReturnSums {
  let [gains, losses, rises, moves, squaredShortfalls, squaredDrawdowns] = [0, 0, 0, 0, 0, 0]
  let deepest = Infinity
  for (let row = 0; row < returns.length; row++) {
    const value = returns[row]
    const drawdown = drawdowns[row]
    const shortfall = Math.min(value - riskFreeDaily, 0)
    gains += Math.max(value, 0)
    losses += Math.min(value, 0)
    if (value > 0) rises++
    if (value !== 0) moves++
    squaredShortfalls += shortfall * shortfall
    squaredDrawdowns += drawdown * drawdown
    deepest = Math.min(deepest, drawdown)
  }
  return { gains, losses, rises, moves, squaredShortfalls, squaredDrawdowns, deepest }
}

/** Builds the note on conventions below every table of statistics. */
export function conventionsLine(riskFree: number): string {
  const percent = Number((riskFree * 100).toFixed(6))
  return `${DAYS_PER_YEAR} days a year, sample standard deviation, risk-free ${percent} %`
}

const OVERFLOW_NOTE = 'returns so large that some figures overflow and are shown as –'

/** Builds the note on the conventions of a view, and says if figures are missing because a number overflows. */
export function conventionsOf({ riskFree, equity, moments: { count, m2, m3, m4 } }: ReturnsView): string {
  const isTooLarge = count > 0 && ![equity.at(-1), m2, m3, m4].every(Number.isFinite)
  return conventionsLine(riskFree) + (isTooLarge ? `; ${OVERFLOW_NOTE}` : '')
}

/** Computes the growth of 1 up to and including each day. */
export function equityOf(returns: Float64Array): Float64Array {
  const levels = new Float64Array(returns.length)
  let equity = 1
  for (let row = 0; row < returns.length; row++) levels[row] = equity *= 1 + returns[row]
  return levels
}

/**
 * Computes the drawdown from the highest equity so far, as a fraction, at most 0. The starting value 1 counts as a
 * peak.
 */
export function drawdownsOf(equity: Float64Array): Float64Array {
  const drawdowns = new Float64Array(equity.length)
  let peak = 1
  for (let row = 0; row < equity.length; row++) {
    if (equity[row] > peak) peak = equity[row]
    drawdowns[row] = equity[row] / peak - 1
  }
  return drawdowns
}

/** A drawdown, from the first day below the peak to the last day below it. */
export interface Episode {
  startDay: DayNumber
  troughDay: DayNumber
  /** Last day below the peak; if it is not recovered, the last day of the data. */
  endDay: DayNumber
  /** First day back at or above the peak; null if not recovered. */
  recoveryDay: DayNumber | null
  /** Drawdown at the trough, a negative fraction. */
  depth: number
  /** Calendar days from start to end, both included. */
  lengthDays: number
}

/** Finds the drawdowns, in the order of days. */
function episodesOf(days: Int32Array, drawdowns: Float64Array): Episode[] {
  const episodes: Episode[] = []
  let openEpisode: Episode | null = null
  for (let row = 0; row < days.length; row++) {
    const day = days[row]
    const depth = drawdowns[row]
    if (depth < 0) {
      if (!openEpisode) {
        openEpisode = { startDay: day, troughDay: day, endDay: day, recoveryDay: null, depth, lengthDays: 1 }
        episodes.push(openEpisode)
      }
      openEpisode.endDay = day
      openEpisode.lengthDays = day - openEpisode.startDay + 1
      if (depth < openEpisode.depth) {
        openEpisode.depth = depth
        openEpisode.troughDay = day
      }
    } else if (openEpisode) {
      openEpisode.recoveryDay = day
      openEpisode = null
    }
  }
  return episodes
}

/** Lists the `count` deepest drawdowns, the deepest first; among equal ones the earlier comes first. */
export const deepestEpisodes = (episodes: readonly Episode[], count: number): Episode[] =>
  episodes
    .filter(({ depth }) => Number.isFinite(depth))
    .sort((a, b) => a.depth - b.depth || a.startDay - b.startDay)
    .slice(0, count)

/** A figure of the tear sheet, which shows the formula beside it. */
export interface TearSheetFigure {
  id: string
  name: string
  unit: NumberKind
  /** Unit after the number, for kinds without their own unit. */
  counted?: string
  /** Formula in words; r are the daily returns in view, n is their number. */
  formula: string
  /** True if tools define the figure differently, so that its formula is always shown. */
  differs?: true
  /** Computes the figure; null if undefined, never NaN or infinite. */
  compute(view: ReturnsView): number | null
}

const rootOfYear = Math.sqrt(DAYS_PER_YEAR)
/** 5 % quantile of the standard normal distribution. */
const NORMAL_5 = -1.6448536269514722

const lastEquity = ({ equity }: ReturnsView) => equity.at(-1) ?? NaN
const deviation = ({ moments }: ReturnsView) => Math.sqrt(variance(moments))

/** Raises growth to a power; NaN if it is negative, although some powers of a negative number exist. */
export const growthPower = (growth: number, exponent: number): number => (growth < 0 ? NaN : growth ** exponent)

const cagr = (view: ReturnsView) => growthPower(lastEquity(view), DAYS_PER_YEAR / view.returns.length) - 1

function sortino({ returns, moments, sums, riskFreeDaily }: ReturnsView): number | null {
  const excess = (moments.mean - riskFreeDaily) * DAYS_PER_YEAR
  return finiteQuotient(excess, Math.sqrt(sums.squaredShortfalls / returns.length) * rootOfYear)
}

/**
 * Computes the mean of the k + 1 smallest returns with k = ⌊(n − 1)·0.05⌋, in integer arithmetic because 0.05 is
 * inexact in binary.
 */
function expectedShortfall({ sorted }: ReturnsView): number | null {
  const count = Math.floor((sorted.length - 1) / 20) + 1
  let sum = 0
  for (let row = 0; row < count; row++) sum += sorted[row]
  return finiteOrNull(sum / count)
}

function tailRatio({ sorted }: ReturnsView): number | null {
  const high = sortedQuantile(sorted, 19, 20)
  const low = sortedQuantile(sorted, 1, 20)
  return high === null || low === null ? null : finiteQuotient(Math.abs(high), Math.abs(low))
}

function figure(
  id: string,
  name: string,
  unit: NumberKind,
  formula: string,
  compute: (view: ReturnsView) => number | null,
  more: Pick<TearSheetFigure, 'counted' | 'differs'> = {},
): TearSheetFigure {
  return {
    id,
    name,
    unit,
    formula,
    ...more,
    compute: (view) => finiteOrNull((view.returns.length ? compute(view) : null) ?? NaN),
  }
}

/** Figures in the order of the tear sheet. */
export const figures: readonly TearSheetFigure[] = [
  figure('days', 'Days', 'count', 'n: days of the range that have a return', ({ returns }) => returns.length),
  figure('totalReturn', 'Total return', 'share', 'Product of (1 + r), minus 1', (view) => lastEquity(view) - 1),
  figure(
    'cagr',
    'CAGR',
    'share',
    'Final equity to the power of 365/n, minus 1; n counts the days that have a return, not calendar days; none if the final equity is below 0',
    cagr,
    { differs: true },
  ),
  figure(
    'volatility',
    'Volatility',
    'share',
    'Sample standard deviation of r times √365',
    (view) => deviation(view) * rootOfYear,
  ),
  figure(
    'sharpe',
    'Sharpe',
    'ratio',
    'Mean of (r − daily risk-free) over its sample standard deviation, times √365',
    (view) => finiteQuotient((view.moments.mean - view.riskFreeDaily) * rootOfYear, deviation(view)),
  ),
  figure(
    'sortino',
    'Sortino',
    'ratio',
    'Mean of (r − daily risk-free) times 365, over the root of the mean square of its negative part (over all n days) times √365',
    sortino,
  ),
  figure(
    'maxDrawdown',
    'Maximum drawdown',
    'share',
    'Lowest of equity over its highest value so far (the starting 1 counts), minus 1',
    ({ sums }) => sums.deepest,
  ),
  figure('calmar', 'Calmar', 'ratio', 'CAGR over the absolute maximum drawdown; none without drawdown', (view) =>
    finiteQuotient(cagr(view), Math.abs(view.sums.deepest)),
  ),
  figure(
    'longestDrawdown',
    'Longest drawdown',
    'count',
    'Length of the longest drawdown, from the first to the last day below the peak, both counted',
    ({ episodes }) => episodes.reduce((most, { lengthDays }) => Math.max(most, lengthDays), 0),
    { counted: 'days' },
  ),
  figure('varHistorical', 'VaR 95 %, historical', 'share', '0.05 quantile of r, interpolated linearly', ({ sorted }) =>
    sortedQuantile(sorted, 1, 20),
  ),
  figure(
    'varParametric',
    'VaR 95 %, parametric',
    'share',
    '0.05 quantile of the normal distribution with the mean and the sample standard deviation of r',
    (view) => view.moments.mean + NORMAL_5 * deviation(view),
  ),
  figure('cvar', 'CVaR 95 %', 'share', 'Mean of the k + 1 smallest r, k = ⌊(n − 1)·0.05⌋', expectedShortfall),
  figure('skewness', 'Skewness', 'statistic', 'Bias-corrected skewness G1 of r; needs 3 days', ({ moments }) =>
    skewness(moments),
  ),
  figure('kurtosis', 'Excess kurtosis', 'statistic', 'Bias-corrected excess kurtosis G2 of r; needs 4 days', (view) =>
    excessKurtosis(view.moments),
  ),
  figure('ulcer', 'Ulcer index', 'share', 'Root of the sum of squared drawdowns over n − 1', ({ returns, sums }) =>
    returns.length < 2 ? null : Math.sqrt(sums.squaredDrawdowns / (returns.length - 1)),
  ),
  figure('winRate', 'Win rate', 'share', 'Days with r > 0 over days with r ≠ 0', ({ sums }) =>
    finiteQuotient(sums.rises, sums.moves),
  ),
  figure('omega', 'Omega (0)', 'ratio', 'Sum of gains over the absolute sum of losses', ({ sums }) =>
    finiteQuotient(sums.gains, -sums.losses),
  ),
  figure('tailRatio', 'Tail ratio', 'ratio', 'Absolute 0.95 quantile over absolute 0.05 quantile of r', tailRatio),
]

export type FigureValues = Record<string, number | null>

export const figureValues = (view: ReturnsView): FigureValues =>
  Object.fromEntries(figures.map(({ id, compute }) => [id, compute(view)]))
