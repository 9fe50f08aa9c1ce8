import type { VenueStore } from '#core/store/venueStore.ts'
import type { OpenDiscovery } from './discovery.ts'

/** Reads the catalog of a connection if that was never done, so that its venues are known. */
type ReadCatalogFirst = (connectionId: string) => Promise<void>

/**
 * Callers that wait at the same time share one reading. A failure is no error of theirs: the venues then stay unknown,
 * and whoever asks for the catalog itself learns why.
 * @param onRead called after a catalog was read
 */
export function createReadCatalogFirst(
  open: OpenDiscovery,
  venues: Pick<VenueStore, 'isCatalogUnread'>,
  onRead: (connectionId: string) => void,
): ReadCatalogFirst {
  const readings = new Map<string, Promise<void>>()
  const neverAborted = new AbortController().signal

  async function read(connectionId: string): Promise<void> {
    try {
      await (await open(connectionId)).refreshRawCatalog(neverAborted, false)
      onRead(connectionId)
    } catch {
      // The venues stay unknown.
    } finally {
      readings.delete(connectionId)
    }
  }

  return (connectionId) => {
    if (!venues.isCatalogUnread(connectionId)) return Promise.resolve()
    const reading = readings.get(connectionId) ?? read(connectionId)
    readings.set(connectionId, reading)
    return reading
  }
}
