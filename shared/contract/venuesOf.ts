import { type Venues, venuesFrom } from '../catalog/venues.ts'
import type { Client } from './client.ts'

/** Asks the core for the venues of a connection and the units of its service; an empty id is the active connection. */
export async function venuesOf(
  core: Pick<Client, 'call'>,
  connectionId: string,
  signal?: AbortSignal,
): Promise<Venues> {
  const options = signal && { signal }
  const venues = await core.call('connections.venues', { id: connectionId }, options)
  return venuesFrom(venues, await core.call('connections.servedUnits', { id: connectionId }, options))
}
