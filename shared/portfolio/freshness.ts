import { endpointSpec } from '#shared/catalog/portfolioEndpoints.ts'
import type { PortfolioRequest } from '#shared/catalog/portfolioRequest.ts'
import { MS_PER_DAY, MS_PER_MINUTE } from '#shared/time.ts'
import { stalenessOf } from './liveWeights.ts'

const MS_PER_HOUR = 60 * MS_PER_MINUTE
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
