import type { Venues } from '#shared/catalog/venues.ts'
import { unlistedVenueText } from '#shared/catalog/unlistedVenue.ts'
import type { Output } from './print.ts'

/** Warns about venues that are not among those of the connection, with the nearest names; the service decides. */
export function noteUnlistedVenues(out: Output, venues: Venues, exchanges: readonly string[]): void {
  for (const exchange of new Set(exchanges)) {
    const warning = unlistedVenueText(exchange, venues)
    if (warning !== null) out.note(warning)
  }
}
