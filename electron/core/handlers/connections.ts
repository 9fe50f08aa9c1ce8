import type { Connections } from '#core/connections/connections.ts'
import type { OpenDiscovery } from '#core/discovery/discovery.ts'
import { createReadCatalogFirst } from '#core/discovery/readCatalogFirst.ts'
import type { EventBus } from '#core/eventBus.ts'
import type { Downloads } from '#core/downloads/downloads.ts'
import type { CallsOf, Handlers } from '#core/handler.ts'
import type { Clock } from '#core/ports.ts'
import type { Store } from '#core/store/store.ts'

export interface ConnectionHandlerDeps {
  connections: Connections
  store: Store
  clock: Clock
  downloads: Downloads
  bus: EventBus
  openDiscovery: OpenDiscovery
}

export function connectionHandlers({
  connections,
  store,
  clock,
  downloads,
  bus,
  openDiscovery,
}: ConnectionHandlerDeps): Handlers<CallsOf<'connections'> | CallsOf<'keys'>> {
  const readCatalogFirst = createReadCatalogFirst(openDiscovery, store.venues, (connectionId) =>
    bus.emit('discovery.changed', { connectionId }),
  )
  const emitChangedAfter = async <Value>(value: Promise<Value>): Promise<Value> => {
    const settled = await value
    bus.emit('connections.changed', await connections.list())
    return settled
  }
  /** Removes a connection and cancels its downloads, even if the window closes meanwhile; downloaded files stay. */
  async function remove(id: string): Promise<null> {
    await connections.remove(id)
    const which = { filter: { connectionId: id } }
    const neverAborted = new AbortController().signal
    await downloads.change(which, (ids) => store.jobs.cancel(ids, clock.nowMs()), neverAborted)
    store.pauses.clear(id)
    return null
  }

  const stored = (id: string) => (id === '' ? store.connections.active() : store.connections.find(id))

  return {
    'connections.list': () => connections.list(),
    'connections.names': () =>
      store.connections.list().map(({ id, name, active, builtIn, store, preview }) => ({
        id,
        name,
        active,
        builtIn,
        ...(store && { store }),
        ...(preview && { preview }),
      })),
    'connections.add': (fields) => emitChangedAfter(connections.add(fields)),
    'connections.edit': ({ id, sameService, ...patch }) => emitChangedAfter(connections.edit(id, patch, sameService)),
    'connections.venues': async ({ id: wantedId }) => {
      const { id, venues = [] } = stored(wantedId)
      if (venues.length === 0) await readCatalogFirst(id)
      return [...store.venues.of(id).list]
    },
    'connections.servedUnits': ({ id }) => [...store.venues.of(stored(id).id).servedUnits],
    'connections.use': ({ id }) => emitChangedAfter(connections.use(id)),
    'connections.remove': ({ id }) => emitChangedAfter(remove(id)),
    'connections.test': ({ id }, { signal }) => connections.test(id, signal),
    'connections.engine': ({ id }) => connections.engine(id),
    'connections.setEngine': ({ id, server }) => connections.setEngine(id, server),
    'connections.removeEngine': async ({ id }) => {
      await connections.removeEngine(id)
      return null
    },
    'keys.set': ({ connectionId, service, key }) => emitChangedAfter(connections.setKey(connectionId, service, key)),
    'keys.remove': ({ connectionId, service }) => emitChangedAfter(connections.removeKey(connectionId, service)),
  }
}
