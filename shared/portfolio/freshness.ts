/** Tells how long an answer of the portfolio service is fresh, how late live weights are, and when the next rebalance comes. */
import { endpointSpec } from '#shared/catalog/portfolioEndpoints.ts'
import type { PortfolioRequest } from '#shared/catalog/portfolioRequest.ts'
import { MS_PER_DAY, MS_PER_HOUR, MS_PER_MINUTE } from '#shared/time.ts'

/** Time after midnight at which the day's values are certain to exist. */
const DAY_SETTLES_MS = 10 * MS_PER_MINUTE
/** Time after the full hour at which its live values appear. */
const HOUR_SETTLES_MS = 5 * MS_PER_MINUTE
/** Pause before asking a service again whose live values are late. */
const LATE_MS = 5 * MS_PER_MINUTE

/** The first instant after `timeMs` that lies `offsetMs` past a multiple of the period. */
const nextPast = (timeMs: number, periodMs: number, offsetMs: number) =>
  (Math.floor((timeMs - offsetMs) / periodMs) + 1) * periodMs + offsetMs

/** Returns the time until which an answer is fresh. @param createdAtMs when the service made a live one */
export function freshUntil(request: PortfolioRequest, fetchedAtMs: number, createdAtMs: number | null = null): number {
  if (!changesHourly(request)) return nextPast(fetchedAtMs, MS_PER_DAY, DAY_SETTLES_MS)
  const nextHour = nextPast(fetchedAtMs, MS_PER_HOUR, HOUR_SETTLES_MS)
  const wasLate = createdAtMs !== null && stalenessOf(createdAtMs, fetchedAtMs).missedRefreshes > 0
  return wasLate ? Math.min(nextHour, fetchedAtMs + LATE_MS) : nextHour
}

function changesHourly(request: PortfolioRequest): boolean {
  const { answer, optional } = endpointSpec(request.endpoint)
  if (answer !== 'snapshot' && answer !== 'point') return false
  return !optional.includes('asOf') || ('asOf' in request && request.asOf === 'latest')
}

const REFRESH_AFTER_HOUR_MS = 5 * 60_000
/** "About" five minutes past the hour: only what is later than this counts as missed. */
const REFRESH_SLACK_MS = 5 * 60_000
const MISSED_REBALANCE_MS = 10 * MS_PER_HOUR

export interface Staleness {
  /** Age of the snapshot; negative if this machine's clock is slow. */
  ageMs: number
  /** Hourly refreshes since then that should have come; 0 for a fresh one. */
  missedRefreshes: number
}

export function stalenessOf(createdAtMs: number, nowMs: number): Staleness {
  const refreshesUntil = (timeMs: number) => Math.floor((timeMs - REFRESH_AFTER_HOUR_MS) / MS_PER_HOUR)
  const missed = refreshesUntil(nowMs - REFRESH_SLACK_MS) - refreshesUntil(createdAtMs)
  return { ageMs: nowMs - createdAtMs, missedRefreshes: Math.max(0, missed) }
}

export interface RebalanceClock {
  sinceMidnightMs: number
  untilMidnightMs: number
  /** `latest` is meant for those who missed the UTC-midnight rebalance by 10 hours or more. */
  isLatestRecommended: boolean
}

/** Finds the place of now between two rebalances at UTC midnight. */
export function rebalanceClock(nowMs: number): RebalanceClock {
  const sinceMidnightMs = nowMs - Math.floor(nowMs / MS_PER_DAY) * MS_PER_DAY
  return {
    sinceMidnightMs,
    untilMidnightMs: MS_PER_DAY - sinceMidnightMs,
    isLatestRecommended: sinceMidnightMs >= MISSED_REBALANCE_MS,
  }
}
