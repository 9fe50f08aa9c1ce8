import type { DayNumber } from '#shared/time/periods.ts'
import { type Moments, momentsOf } from '#shared/metrics/moments.ts'
import { type DailySeries, presentDays } from './dailySeries.ts'
import { drawdownsOf, equityOf } from './equity.ts'
import { type Episode, episodesOf } from './episodes.ts'

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
  /** At most 0. */
  drawdowns: Float64Array
  episodes: Episode[]
  moments: Moments
  /** The returns, ascending. */
  sorted: Float64Array
}

export interface ViewOptions {
  /** Included; from the first day where left out. */
  startDay?: DayNumber
  /** Not included; to the last day where left out. */
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
