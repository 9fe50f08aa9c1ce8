import { type Moments, momentsOf } from '#shared/statistics/moments.ts'
import type { DayNumber } from '#shared/time/periods.ts'
import { type DailySeries, presentDays } from './dailySeries.ts'

/** Portfolios of digital assets trade every day. */
export const DAYS_PER_YEAR = 365

/** The returns in view and what several figures are made of. Days without a return are left out and not counted. */
export interface ReturnsView {
  days: Int32Array
  returns: Float64Array
  /** Annual, as a fraction. */
  riskFree: number
  riskFreeDaily: number
  /** After each day, from 1. */
  equity: Float64Array
  /** Drawdown by day, at most 0. */
  drawdowns: Float64Array
  episodes: Episode[]
  moments: Moments
  /** The returns, ascending. */
  sorted: Float64Array
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
  return {
    days,
    returns,
    riskFree,
    riskFreeDaily: (1 + riskFree) ** (1 / DAYS_PER_YEAR) - 1,
    equity,
    drawdowns,
    episodes: episodesOf(days, drawdowns),
    moments: momentsOf(returns),
    sorted: returns.toSorted(),
  }
}

/** Note under every table of statistics. */
export function conventionsLine(riskFree: number): string {
  const percent = Number((riskFree * 100).toFixed(6))
  return `${DAYS_PER_YEAR} days a year, sample deviation, risk-free ${percent} %`
}

const TOO_LARGE = 'returns so large that – stands for figures beyond every number'

/** Says beside the conventions that figures are missing because the equity or a sum of powers is too large for a number. */
export function conventionsOf({ riskFree, equity, moments: { count, m2, m3, m4 } }: ReturnsView): string {
  const isTooLarge = count > 0 && ![equity.at(-1), m2, m3, m4].every(Number.isFinite)
  return conventionsLine(riskFree) + (isTooLarge ? `; ${TOO_LARGE}` : '')
}

/** Computes the value of 1 after each day. */
export function equityOf(returns: Float64Array): Float64Array {
  let equity = 1
  return returns.map((value) => (equity *= 1 + value))
}

/** Computes the distance below the highest equity so far, as a fraction, at most 0. The starting 1 is a peak too. */
export function drawdownsOf(equity: Float64Array): Float64Array {
  let peak = 1
  return equity.map((value) => {
    if (value > peak) peak = value
    return value / peak - 1
  })
}

/** From the first day below the peak to the last day below it. */
export interface Episode {
  startDay: DayNumber
  troughDay: DayNumber
  /** The last day below the peak; of an open one the last day there is. */
  endDay: DayNumber
  /** The first day at or above the peak again; null for "not recovered". */
  recoveryDay: DayNumber | null
  /** Drawdown at the trough, below 0. */
  depth: number
  /** Calendar days from start to end, both counted. */
  lengthDays: number
}

/** Finds the episodes, in the order of days. */
export function episodesOf(days: Int32Array, drawdowns: Float64Array): Episode[] {
  const episodes: Episode[] = []
  let open: Episode | null = null
  drawdowns.forEach((depth, row) => {
    const day = days[row]
    if (depth < 0) {
      if (!open) {
        open = { startDay: day, troughDay: day, endDay: day, recoveryDay: null, depth, lengthDays: 1 }
        episodes.push(open)
      }
      open.endDay = day
      open.lengthDays = day - open.startDay + 1
      if (depth < open.depth) {
        open.depth = depth
        open.troughDay = day
      }
    } else if (open) {
      open.recoveryDay = day
      open = null
    }
  })
  return episodes
}

/** Sorts the deepest first; among equal ones the earlier comes first. */
export const deepestEpisodes = (episodes: readonly Episode[], count: number): Episode[] =>
  episodes
    .filter(({ depth }) => Number.isFinite(depth))
    .sort((a, b) => a.depth - b.depth || a.startDay - b.startDay)
    .slice(0, count)
