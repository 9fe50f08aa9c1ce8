import { type Venues, venuesFrom } from '#shared/catalog/venues.ts'
import type { Client } from '#shared/contract/client.ts'
import { unlistedVenueText } from '#shared/catalog/unlistedVenue.ts'
import type { Output } from './print.ts'

/** Returns the venues of a connection. */
export const venuesOf = async (core: Client, connectionId: string): Promise<Venues> =>
  venuesFrom(await core.call('connections.venues', { id: connectionId }))

/** Warns about venues that are not among those of the connection, with the nearest names; the service decides. */
export function noteUnlistedVenues(out: Output, venues: Venues, exchanges: readonly string[]): void {
  for (const exchange of new Set(exchanges)) {
    const warning = unlistedVenueText(exchange, venues)
    if (warning !== null) out.note(warning)
  }
}
