/**
 * Computes how long an answer of the portfolio service is fresh, how late live weights are, and when the next rebalance
 * is.
 */
import { endpointSpec } from '#shared/catalog/portfolioEndpoints.ts'
import type { PortfolioRequest } from '#shared/catalog/portfolioRequest.ts'
import { MS_PER_DAY, MS_PER_HOUR, MS_PER_MINUTE } from '#shared/time.ts'

/** Time after midnight at which the values of the day certainly exist. */
const DAY_SETTLES_MS = 10 * MS_PER_MINUTE
/** Time past the hour at which the hourly live values appear. */
const HOUR_SETTLES_MS = 5 * MS_PER_MINUTE
/** Pause before requesting late live values again. */
const RETRY_LATE_MS = 5 * MS_PER_MINUTE

/** Returns the first instant after `timeMs` that is `offsetMs` past a multiple of the period. */
const nextAfter = (timeMs: number, periodMs: number, offsetMs: number) =>
  (Math.floor((timeMs - offsetMs) / periodMs) + 1) * periodMs + offsetMs

/**
 * Returns the time until which an answer is fresh.
 * @param createdAtMs when the service created a live answer
 */
export function freshUntil(request: PortfolioRequest, fetchedAtMs: number, createdAtMs: number | null = null): number {
  if (!changesHourly(request)) return nextAfter(fetchedAtMs, MS_PER_DAY, DAY_SETTLES_MS)
  const nextHour = nextAfter(fetchedAtMs, MS_PER_HOUR, HOUR_SETTLES_MS)
  const wasLate = createdAtMs !== null && stalenessOf(createdAtMs, fetchedAtMs).missedRefreshes > 0
  return wasLate ? Math.min(nextHour, fetchedAtMs + RETRY_LATE_MS) : nextHour
}

function changesHourly(request: PortfolioRequest): boolean {
  const { answer, optional } = endpointSpec(request.endpoint)
  if (answer !== 'snapshot' && answer !== 'point') return false
  return !optional.includes('asOf') || ('asOf' in request && request.asOf === 'latest')
}

/** Tolerance for a refresh that is due "about" five minutes past the hour; it counts as missed only after this. */
const REFRESH_SLACK_MS = 5 * 60_000
const MISSED_REBALANCE_MS = 10 * MS_PER_HOUR

interface Staleness {
  /** Age of the snapshot; negative if this machine's clock is slow. */
  ageMs: number
  /** Number of hourly refreshes that should have arrived since the snapshot; 0 if it is fresh. */
  missedRefreshes: number
}

export function stalenessOf(createdAtMs: number, nowMs: number): Staleness {
  const refreshesUntil = (timeMs: number) => Math.floor((timeMs - HOUR_SETTLES_MS) / MS_PER_HOUR)
  const missed = refreshesUntil(nowMs - REFRESH_SLACK_MS) - refreshesUntil(createdAtMs)
  return { ageMs: nowMs - createdAtMs, missedRefreshes: Math.max(0, missed) }
}

interface RebalanceTiming {
  sinceMidnightMs: number
  untilMidnightMs: number
  /**
   * True 10 hours or more after the UTC-midnight rebalance, when the service recommends `latest` to those who missed
   * it.
   */
  isLatestRecommended: boolean
}

/** Locates the current time between two rebalances at UTC midnight. */
export function rebalanceTiming(nowMs: number): RebalanceTiming {
  const sinceMidnightMs = nowMs - Math.floor(nowMs / MS_PER_DAY) * MS_PER_DAY
  return {
    sinceMidnightMs,
    untilMidnightMs: MS_PER_DAY - sinceMidnightMs,
    isLatestRecommended: sinceMidnightMs >= MISSED_REBALANCE_MS,
  }
}
