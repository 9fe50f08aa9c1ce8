import type {
  Connection,
  ConnectionFields,
  KeyStatus,
  ServiceName,
  ServiceTestResult,
} from '#shared/contract/areas/connections.ts'
import type { HttpClient } from '#core/clients/http.ts'
import type { Keyring } from '#core/keys/keyring.ts'
import type { Clock } from '#core/ports.ts'
import type { ConnectionStore, StoredConnection } from '#core/store/connectionStore.ts'
import type { ServiceAccess } from '#core/clients/service.ts'
import { testServices } from './testServices.ts'

/** The person's connections together with what may be told of their keys. */
export interface Connections {
  list(): Promise<Connection[]>
  add(fields: ConnectionFields): Promise<Connection>
  /** A key goes only to the addresses it was set for: naming a new origin removes the connection's keys. */
  edit(id: string, patch: Partial<ConnectionFields>): Promise<Connection>
  use(id: string): Promise<Connection>
  /** Removes its keys too. */
  remove(id: string): Promise<void>
  setKey(id: string, service: ServiceName, key: string): Promise<KeyStatus>
  removeKey(id: string, service: ServiceName): Promise<KeyStatus>
  /** Where its services are and what opens them; the active one where the id is empty. */
  reach(id: string): Promise<ReachedConnection>
  test(id: string, signal: AbortSignal): Promise<ServiceTestResult[]>
  /** Where the built-in connection leads from now on; null while no sandbox runs. */
  setSandbox(sandbox: SandboxService | null): void
}

export interface ReachedConnection {
  id: string
  tier: number | null
  metrics: ServiceAccess
  portfolio: ServiceAccess
  /** Empty where there is none. */
  catalogLocation: string
}

/** A running sandbox: one address for the metrics and the portfolio service. */
export interface SandboxService {
  /** What stands before `/api/v1`. */
  url: string
  catalogUrl: string
  /** A demo key for each tier, e.g. `{ '0': …, '3': … }`. */
  keys: Record<string, string>
}

export interface ConnectionsParts {
  store: ConnectionStore
  keyring: Keyring
  http: HttpClient
  clock: Clock
}

export function createConnections({ store, keyring, http, clock }: ConnectionsParts): Connections {
  let sandbox: SandboxService | null = null

  const located = (stored: StoredConnection): StoredConnection =>
    stored.builtIn && sandbox
      ? { ...stored, metricsUrl: sandbox.url, portfolioUrl: sandbox.url, catalogLocation: sandbox.catalogUrl }
      : stored

  const withKeys = async (stored: StoredConnection): Promise<Connection> => ({
    ...located(stored),
    keys: {
      metrics: await keyring.status(stored.id, 'metrics'),
      portfolio: await keyring.status(stored.id, 'portfolio'),
    },
  })

  async function reach(id: string): Promise<ReachedConnection> {
    const stored = located(id === '' ? store.active() : store.find(id))
    return {
      id: stored.id,
      tier: stored.tier,
      metrics: { baseUrl: stored.metricsUrl, key: await keyring.reveal(stored.id, 'metrics') },
      portfolio: { baseUrl: stored.portfolioUrl, key: await keyring.reveal(stored.id, 'portfolio') },
      catalogLocation: stored.catalogLocation,
    }
  }

  async function removeKeys(id: string): Promise<void> {
    await keyring.remove(id, 'metrics')
    await keyring.remove(id, 'portfolio')
    store.noteKeyChange(id)
  }

  return {
    list: () => Promise.all(store.list().map(withKeys)),
    add: (fields) => withKeys(store.add(fields)),
    async edit(id, patch) {
      const before = originsOf(store.find(id))
      const edited = store.edit(id, patch)
      if (originsOf(edited).some((origin) => !before.includes(origin))) await removeKeys(id)
      return withKeys(edited)
    },
    use: async (id) => withKeys(store.use(id)),
    async remove(id) {
      store.remove(id)
      await removeKeys(id)
    },
    async setKey(id, service, key) {
      store.find(id)
      const status = await keyring.set(id, service, key)
      store.noteKeyChange(id)
      return status
    },
    async removeKey(id, service) {
      store.find(id)
      const status = await keyring.remove(id, service)
      store.noteKeyChange(id)
      return status
    },
    reach,
    async test(id, signal) {
      return testServices(http, await reach(id), clock.nowMs(), signal)
    },
    setSandbox(running) {
      sandbox = running
      for (const { id } of store.list().filter(({ builtIn }) => builtIn)) {
        keyring.provide(id, running ? (running.keys['3'] ?? null) : null)
      }
    },
  }
}

const originsOf = ({ metricsUrl, portfolioUrl }: ConnectionFields): string[] =>
  [metricsUrl, portfolioUrl].filter((url) => url !== '').map((url) => new URL(url).origin)
