import type {
  Connection,
  ConnectionFields,
  EngineServer,
  KeyStatus,
  ServiceName,
  ServiceTestResult,
} from '#shared/contract/areas/connections.ts'
import { sendsUnencrypted } from '#shared/contract/areas/connections.ts'
import type { KnownVenue, Venue } from '#shared/catalog/venues.ts'
import { AppError } from '#shared/contract/errors.ts'
import type { HttpClient } from '#core/clients/http.ts'
import type { Keyring } from '#core/keys/keyring.ts'
import type { Clock, RunningSandbox } from '#core/ports.ts'
import type { StoredConnection } from '#core/store/connectionRow.ts'
import type { ConnectionStore } from '#core/store/connectionStore.ts'
import type { CoverageStore } from '#core/store/coverageStore.ts'
import type { EngineStore } from '#core/store/engineStore.ts'
import type { ServiceAccess } from '#core/clients/serviceRequest.ts'
import type { ServiceAnswers } from '#core/store/serviceAnswers.ts'
import type { FolderWorkers } from '#core/sharedStore/folderWorker.ts'
import type { SharedStores } from '#core/sharedStore/sharedStores.ts'
import { requireFolder, resolveStoreFields, storeKeyScope } from '#core/sharedStore/storeFields.ts'
import type { RawCatalog } from '#core/clients/rawCatalog.ts'
import { catalogPlace } from './catalogPlace.ts'
import { testServices } from './testServices.ts'

/** The user's connections, and what may be shown of their keys. */
export interface Connections {
  list(): Promise<Connection[]>
  add(fields: ConnectionFields): Promise<Connection>
  /**
   * Changes a connection. A key is valid only for what it was set for: a new origin removes the keys of both services,
   * and a different store removes the key of the store.
   * @param isSameService true if files from the old origin may stay, because both origins belong to the same service
   */
  edit(id: string, patch: Partial<ConnectionFields>, isSameService: boolean): Promise<Connection>
  use(id: string): Promise<Connection>
  /** Removes a connection and its keys. */
  remove(id: string): Promise<void>
  setKey(id: string, service: ServiceName, key: string): Promise<KeyStatus>
  removeKey(id: string, service: ServiceName): Promise<KeyStatus>
  /** Returns the ClickHouse server of a connection; null if it has none. */
  engine(id: string): Promise<EngineWithKeyStatus | null>
  setEngine(id: string, server: EngineServer): Promise<EngineWithKeyStatus>
  /** Removes the server with its password and all comparisons. */
  removeEngine(id: string): Promise<void>
  /**
   * Returns the ClickHouse server of a connection (of the active one if the id is empty) with its password; throws if
   * the connection has none.
   */
  engineAccess(id: string): Promise<EngineAccess>
  /** Returns the addresses and keys of a connection; of the active one if the id is empty. */
  access(id: string): Promise<ConnectionAccess>
  test(id: string, signal: AbortSignal): Promise<ServiceTestResult[]>
  /** Stops the sandbox if it was started. */
  close(): Promise<void>
}

interface ConnectionAccess {
  id: string
  tier: number | null
  metrics: ServiceAccess
  portfolio: ServiceAccess
  /** URL or path of the raw-event catalog; empty if none is set. */
  catalogLocation: string
  isPreview: boolean
}

type EngineWithKeyStatus = EngineServer & { password: KeyStatus }
type EngineAccess = EngineServer & { password: string | null }

interface ConnectionsDeps {
  store: ConnectionStore
  coverage: Pick<CoverageStore, 'document'>
  engines: EngineStore
  answers: ServiceAnswers
  keyring: Keyring
  http: HttpClient
  folderWorkers: FolderWorkers
  stores: Pick<SharedStores, 'storeOf'>
  clock: Clock
  startSandbox: () => Promise<RunningSandbox>
  /** Venues of the sandbox, if they are not those of the service documents. */
  sandboxVenues?: readonly Venue[] | undefined
  /** Checks the addresses of a connection against the policy of this machine, and fills in those the policy sets. */
  policy: AddressPolicy
  /** Called after a connection was edited or removed. */
  onConnectionChanged(): void
  /** Tells whether files were downloaded through the connection. */
  hasFetched(connectionId: string): boolean
  /** Returns the first venue of a connection; null if none is known. */
  firstVenue(connectionId: string): KnownVenue | null
  /** Called with the catalog that a test has read; null if the service has none. */
  onCatalogTested(place: { connectionId: string; source: string }, catalog: RawCatalog | null): void
  /** Called when the sandbox has started and the built-in connection has its addresses. */
  onSandboxStarted(): void
}

export interface AddressPolicy {
  fill<Fields extends Partial<ConnectionFields>>(fields: Fields): Fields
  refuseOthers(connection: StoredConnection): void
}

export function createConnections(deps: ConnectionsDeps): Connections {
  const { store, answers, keyring, startSandbox, onSandboxStarted } = deps
  if (deps.sandboxVenues) store.setBuiltInVenues(deps.sandboxVenues)
  let sandbox: RunningSandbox | null = null
  let pendingStart: Promise<RunningSandbox> | null = null

  /** Starts the sandbox on first use, and again if the start failed. */
  function ensureSandbox(id: string): Promise<RunningSandbox> {
    pendingStart ??= startSandbox().then(
      (started) => {
        sandbox = started
        keyring.provide(id, started.keys['3'] ?? null)
        onSandboxStarted()
        return started
      },
      (thrown: unknown) => {
        pendingStart = null
        throw thrown
      },
    )
    return pendingStart
  }

  const withSandboxUrls = (stored: StoredConnection): StoredConnection =>
    stored.builtIn && sandbox
      ? { ...stored, metricsUrl: sandbox.url, portfolioUrl: sandbox.url, catalogLocation: sandbox.catalogUrl }
      : stored

  const withKeys = async (stored: StoredConnection): Promise<Connection> => ({
    ...withSandboxUrls(stored),
    catalog: catalogPlace(deps.coverage, stored.id, withSandboxUrls(stored)),
    keys: {
      metrics: await keyring.status(stored.id, 'metrics'),
      portfolio: await keyring.status(stored.id, 'portfolio'),
      ...(storeKeyScope(stored) !== null && { store: await keyring.status(stored.id, 'store') }),
    },
  })

  async function serviceAccess(baseUrl: string, id: string, service: ServiceName): Promise<ServiceAccess> {
    const key = await keyring.reveal(id, service)
    const unreadable = key === null ? (await keyring.status(id, service)).unreadable : undefined
    return { baseUrl, key, ...(unreadable !== undefined && { unreadable }) }
  }

  async function access(id: string): Promise<ConnectionAccess> {
    const found = id === '' ? store.active() : store.find(id)
    deps.policy.refuseOthers(found)
    if (found.builtIn) await ensureSandbox(found.id)
    const stored = withSandboxUrls(found)
    return {
      id: stored.id,
      tier: stored.tier,
      metrics: await serviceAccess(stored.metricsUrl, stored.id, 'metrics'),
      portfolio: await serviceAccess(stored.portfolioUrl, stored.id, 'portfolio'),
      catalogLocation: stored.catalogLocation,
      isPreview: stored.preview ?? false,
    }
  }

  async function removeKeys(id: string): Promise<void> {
    await keyring.remove(id, 'metrics')
    await keyring.remove(id, 'portfolio')
    store.noteKeyChange(id)
  }

  const servers = createEngineServers(deps)

  return {
    list: () => Promise.all(store.list().map(withKeys)),
    async add(fields) {
      const filled = { ...deps.policy.fill(fields), ...resolveStoreFields({}, fields) }
      await requireFolder(fields, deps.folderWorkers)
      return withKeys(store.add(filled))
    },
    async edit(id, change, isSameService) {
      const before = store.find(id)
      const patch = { ...deps.policy.fill(change), ...resolveStoreFields(before, change) }
      // A form sends all fields, so an unchanged store is not checked: a network share that is offline must not prevent
      // other changes.
      if (change.store !== before.store) await requireFolder(change, deps.folderWorkers)
      if (!isSameService) refuseMixing(deps, before, patch.metricsUrl ?? before.metricsUrl)
      const edited = store.edit(id, patch)
      deps.onConnectionChanged()
      answers.handleAddressChange(id, before, edited)
      const originsBefore = originsOf(before)
      if (originsOf(edited).some((origin) => !originsBefore.includes(origin))) await removeKeys(id)
      const scope = storeKeyScope(before)
      if (scope !== null && storeKeyScope(edited) !== scope) {
        await keyring.remove(id, 'store')
        store.noteKeyChange(id)
      }
      return withKeys(edited)
    },
    use: async (id) => withKeys(store.use(id)),
    async remove(id) {
      store.remove(id)
      deps.onConnectionChanged()
      await servers.removeEngine(id)
      await removeKeys(id)
      await keyring.remove(id, 'store')
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
      if (status.unreadable !== undefined)
        throw new AppError('no-keychain', `The key was not removed. ${status.unreadable}`)
      store.noteKeyChange(id)
      return status
    },
    ...servers,
    access,
    async test(id, signal) {
      deps.http.forgetUnreachable()
      return testAccess(deps, await access(id), signal)
    },
    close: async () => (await pendingStart?.catch(() => null))?.close(),
  }
}

/**
 * Refuses to mix the files of two services in one connection, because a file does not tell which service it came from.
 */
function refuseMixing(deps: ConnectionsDeps, { id, name, metricsUrl }: StoredConnection, newUrl: string): void {
  if (metricsUrl === '' || newUrl === '' || new URL(metricsUrl).origin === new URL(newUrl).origin) return
  if (!deps.hasFetched(id)) return
  throw new AppError(
    'conflict',
    `“${name}” has files from ${metricsUrl}. For a different service, add another connection or remove these files first. ` +
      'If it is the same service at a new address, confirm that.',
  )
}

async function testAccess(
  { http, store: connections, stores, engines, keyring, clock, firstVenue, onCatalogTested }: ConnectionsDeps,
  access: ConnectionAccess,
  signal: AbortSignal,
): Promise<ServiceTestResult[]> {
  const store = stores.storeOf(access.id)
  const server = engines.find(access.id)
  const engine = server && { ...server, password: await keyring.reveal(access.id, 'engine') }
  const connection = {
    ...access,
    venue: firstVenue(access.id),
    typedVenues: connections.find(access.id).venues ?? [],
    engine,
    store: store?.files ?? null,
    onCatalog: (source: string, catalog: RawCatalog | null) =>
      onCatalogTested({ connectionId: access.id, source }, catalog),
  }
  const results = await testServices(http, connection, clock.nowMs(), signal)
  // Downloads avoid a store for a while after it has failed; a successful test makes them use it again.
  if (results.some(({ service, outcome }) => service === 'store' && outcome === 'ok')) store?.noteSuccess()
  return results
}

/** Creates the functions that manage the ClickHouse server of a connection. */
function createEngineServers({
  store,
  engines,
  keyring,
}: ConnectionsDeps): Pick<Connections, 'engine' | 'setEngine' | 'removeEngine' | 'engineAccess'> {
  const withKeyStatus = async (id: string, server: EngineServer): Promise<EngineWithKeyStatus> => ({
    ...server,
    password: await keyring.status(id, 'engine'),
  })

  async function setEngine(id: string, server: EngineServer): Promise<EngineWithKeyStatus> {
    store.find(id)
    if (sendsUnencrypted(server.url) && !server.plainHttp)
      throw new AppError(
        'bad-input',
        `${server.url} is plain http: anyone on the network path could read the password and the events. Use https, or confirm plain http.`,
      )
    const before = engines.find(id)
    if (before && new URL(before.url).origin !== new URL(server.url).origin) await keyring.remove(id, 'engine')
    // A different server may have a different version, so its results have to be compared again.
    if (before?.url !== server.url) engines.checks.forget(id, 'clickhouse')
    engines.save(id, server)
    return withKeyStatus(id, server)
  }

  async function engineAccess(id: string): Promise<EngineAccess> {
    const found = id === '' ? store.active() : store.find(id)
    const server = engines.find(found.id)
    if (!server)
      throw new AppError(
        'unsupported',
        `The connection “${found.name}” has no ClickHouse server. Add one with “perpscope connection add-engine”.`,
      )
    return { ...server, password: await keyring.reveal(found.id, 'engine') }
  }

  return {
    async engine(id) {
      const server = engines.find(store.find(id).id)
      return server && withKeyStatus(id, server)
    },
    setEngine,
    engineAccess,
    async removeEngine(id) {
      engines.remove(id)
      await keyring.remove(id, 'engine')
    },
  }
}

const originsOf = ({ metricsUrl, portfolioUrl }: ConnectionFields): string[] =>
  [metricsUrl, portfolioUrl].filter((url) => url !== '').map((url) => new URL(url).origin)
