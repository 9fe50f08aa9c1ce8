import type { Venues } from '#shared/catalog/venues.ts'
import { unlistedVenueText } from '#shared/catalog/unlistedVenue.ts'
import { isRecord } from '#shared/schemas/isRecord.ts'
import { venuesOf } from '#shared/contract/venuesOf.ts'
import type { Invocation } from './command.ts'
import { findConnection } from './connections.ts'
import type { Output } from './print.ts'

/** Warns about venues that are not among those of the connection, with the nearest names; the service decides. */
export function noteUnlistedVenues(out: Output, venues: Venues, exchanges: readonly string[]): void {
  for (const exchange of new Set(exchanges)) {
    const warning = unlistedVenueText(exchange, venues)
    if (warning !== null) out.note(warning)
  }
}

/** Warns about the venues of a study's source as `noteUnlistedVenues` does. */
export async function noteVenuesOfStudy(
  { client, connection, out, signal }: Pick<Invocation, 'client' | 'connection' | 'out' | 'signal'>,
  document: unknown,
): Promise<void> {
  const source = isRecord(document) && isRecord(document.source) ? document.source : {}
  const exchanges = [source.exchanges].flat().filter((each) => typeof each === 'string')
  if (exchanges.length === 0) return
  const core = await client()
  const { id } = await findConnection(core, connection)
  noteUnlistedVenues(out, await venuesOf(core, id, signal), exchanges)
}
