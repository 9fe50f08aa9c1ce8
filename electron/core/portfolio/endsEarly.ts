import { MS_PER_DAY } from '#shared/time.ts'
import { dayFromNumber, type DayNumber } from '#shared/time/periods.ts'
import type { StoredRequest } from '#core/store/portfolioRequests.ts'

/** The day before the asking is not there at once: only what ends earlier than this ends early. */
const USUAL_DAYS = 3

/** Warns if a history ends well before the requested day, as it does when a key opens no later days. */
export function endsEarly({ span, fetchedAtMs }: StoredRequest, lastDay: DayNumber | null): string[] {
  const askedOn = Math.floor(fetchedAtMs / MS_PER_DAY)
  if (lastDay === null || !span || span.end < askedOn || askedOn - lastDay <= USUAL_DAYS) return []
  const days = `${askedOn - lastDay} days before this was asked for`
  return [
    `the last day is ${dayFromNumber(lastDay)}, ${days}: the service has no later one, or the key does not open it`,
  ]
}
