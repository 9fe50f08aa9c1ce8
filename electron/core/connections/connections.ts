import type { Connection, ConnectionFields, ServiceTestResult } from '#shared/contract/areas/connections.ts'
import { AppError } from '#shared/contract/errors.ts'
import type { Keyring } from '#core/keys/keyring.ts'
import type { ConnectionStore, StoredConnection } from '#core/store/connectionStore.ts'

/** The person's connections together with what may be told of their keys. */
export interface Connections {
  list(): Promise<Connection[]>
  add(fields: ConnectionFields): Promise<Connection>
  edit(id: string, patch: Partial<ConnectionFields>): Promise<Connection>
  use(id: string): Promise<Connection>
  /** Removes its keys too. */
  remove(id: string): Promise<void>
  test(id: string, signal: AbortSignal): Promise<ServiceTestResult[]>
}

export function createConnections(store: ConnectionStore, keyring: Keyring): Connections {
  const withKeys = async (stored: StoredConnection): Promise<Connection> => ({
    ...stored,
    keys: {
      metrics: await keyring.status(stored.id, 'metrics'),
      portfolio: await keyring.status(stored.id, 'portfolio'),
    },
  })
  return {
    list: () => Promise.all(store.list().map(withKeys)),
    add: (fields) => withKeys(store.add(fields)),
    edit: (id, patch) => withKeys(store.edit(id, patch)),
    use: (id) => withKeys(store.use(id)),
    async remove(id) {
      await keyring.remove(id, 'metrics')
      await keyring.remove(id, 'portfolio')
      store.remove(id)
    },
    async test() {
      throw new AppError('unsupported', 'testing a connection')
    },
  }
}
