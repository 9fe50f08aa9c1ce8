import { defineStore } from 'pinia'
import { computed, ref } from 'vue'
import type {
  Connection,
  ConnectionFields,
  EngineServer,
  ServiceName,
  ServiceTestResult,
} from '#shared/contract/areas/connections.ts'
import type { AppError } from '#shared/contract/errors.ts'
import { useHost } from './host.ts'

export const useConnections = defineStore('connections', () => {
  const host = useHost()
  const list = ref<Connection[]>([])
  const active = computed(() => list.value.find((connection) => connection.active) ?? null)
  /** Tells whether an error only says that a connection of previews has no key, which it need not have. */
  const isExpected = (error: AppError | null) => error?.code === 'no-key' && active.value?.preview === true

  const load = () => host.call('connections.list', {})
  const start = () => host.keepCurrent(list, 'connections.changed', load)
  /** Loads the list again, because where a catalog comes from may have been found out meanwhile. */
  async function reload(): Promise<void> {
    list.value = await load()
  }

  return {
    list,
    active,
    isExpected,
    start,
    reload,
    add: (fields: ConnectionFields) => host.call('connections.add', fields),
    edit: (id: string, fields: ConnectionFields, sameService: boolean) =>
      host.call('connections.edit', { id, ...fields, sameService }),
    use: (id: string) => host.call('connections.use', { id }),
    remove: (id: string) => host.call('connections.remove', { id }),
    test: (id: string, signal: AbortSignal): Promise<ServiceTestResult[]> =>
      host.call('connections.test', { id }, { signal }),
    setKey: (connectionId: string, service: ServiceName, key: string) =>
      host.call('keys.set', { connectionId, service, key }),
    engine: (id: string) => host.call('connections.engine', { id }),
    setEngine: (id: string, server: EngineServer) => host.call('connections.setEngine', { id, server }),
    removeEngine: (id: string) => host.call('connections.removeEngine', { id }),
    removeKey: (connectionId: string, service: ServiceName) => host.call('keys.remove', { connectionId, service }),
  }
})
