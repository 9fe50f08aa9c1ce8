import { MS_PER_DAY } from '#shared/time.ts'
import { endpointSpec } from '#shared/catalog/portfolioEndpoints.ts'
import type { PortfolioRequest } from '#shared/catalog/portfolioRequest.ts'

const MS_PER_MINUTE = 60_000
const MS_PER_HOUR = 60 * MS_PER_MINUTE
/** How long after midnight the day's values are there for certain. */
const DAY_SETTLES_MS = 10 * MS_PER_MINUTE
/** When live values of an hour appear. */
const HOUR_SETTLES_MS = 5 * MS_PER_MINUTE

/** The first instant after `timeMs` that lies `offsetMs` past a multiple of the period. */
const nextPast = (timeMs: number, periodMs: number, offsetMs: number) =>
  (Math.floor((timeMs - offsetMs) / periodMs) + 1) * periodMs + offsetMs

/** Until when an answer says all that the service can say. */
export function freshUntil(request: PortfolioRequest, fetchedAtMs: number): number {
  return changesHourly(request)
    ? nextPast(fetchedAtMs, MS_PER_HOUR, HOUR_SETTLES_MS)
    : nextPast(fetchedAtMs, MS_PER_DAY, DAY_SETTLES_MS)
}

function changesHourly(request: PortfolioRequest): boolean {
  const { answer, optional } = endpointSpec(request.endpoint)
  if (answer !== 'snapshot' && answer !== 'point') return false
  return !optional.includes('asOf') || ('asOf' in request && request.asOf === 'latest')
}
