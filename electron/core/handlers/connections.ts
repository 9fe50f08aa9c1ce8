import type { Connections } from '#core/connections/connections.ts'
import type { EventBus } from '#core/eventBus.ts'
import type { CallsOf, Handlers } from '#core/handler.ts'

export function connectionHandlers(
  connections: Connections,
  bus: EventBus,
): Handlers<CallsOf<'connections'> | CallsOf<'keys'>> {
  const changed = async <Value>(value: Promise<Value>): Promise<Value> => {
    const settled = await value
    bus.emit('connections.changed', await connections.list())
    return settled
  }
  return {
    'connections.list': () => connections.list(),
    'connections.add': (fields) => changed(connections.add(fields)),
    'connections.edit': ({ id, sameService, ...patch }) => changed(connections.edit(id, patch, sameService)),
    'connections.use': ({ id }) => changed(connections.use(id)),
    'connections.remove': ({ id }) => changed(connections.remove(id).then(() => null)),
    'connections.test': ({ id }, { signal }) => connections.test(id, signal),
    'keys.set': ({ connectionId, service, key }) => changed(connections.setKey(connectionId, service, key)),
    'keys.remove': ({ connectionId, service }) => changed(connections.removeKey(connectionId, service)),
  }
}
