import { AppError, toAppError } from '#shared/contract/errors.ts'
import { isUnanswered } from '#core/clients/httpErrors.ts'
import type { Clock } from '#core/ports.ts'

/** Services add datasets and symbols rarely; what is older is asked for again where that is possible. */
const FRESH_FOR_MS = 24 * 60 * 60 * 1000

/**
 * Returns the cached value if it is fresh, and refreshes it otherwise; if the refresh fails for lack of a network or
 * because of the service, the cached value is returned. `force` asks in any case and lets the failure be seen.
 */
export async function freshEnough<Known extends { fetchedAtMs: number }, Change>(
  clock: Clock,
  known: () => Known | null,
  renew: () => Promise<Change>,
  force: boolean,
): Promise<Change | null> {
  const before = known()
  if (!force && before && clock.nowMs() - before.fetchedAtMs < FRESH_FOR_MS) return null
  try {
    return await renew()
  } catch (thrown) {
    const error = toAppError(thrown)
    if (before && !force && isUnanswered(error)) return null
    throw !before && error.code === 'offline' ? new AppError('not-here') : thrown
  }
}
