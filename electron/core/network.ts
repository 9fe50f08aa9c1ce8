import type { NetworkState } from '#shared/contract/areas/network.ts'
import { createHttpClient, type HttpClient } from '#core/clients/http.ts'
import type { HttpTimeouts } from '#core/clients/httpRequest.ts'
import type { Redactor } from '#core/clients/redact.ts'
import { type AddressPolicy, createConnections, type Connections } from '#core/connections/connections.ts'
import { createDiscoveryOpener, keepRawCatalog, type OpenDiscovery } from '#core/discovery/discovery.ts'
import { RAW_CATALOG } from '#core/store/coverageStore.ts'
import type { DownloadQueue } from '#core/downloads/scheduler.ts'
import type { EventBus } from '#core/eventBus.ts'
import type { Keyring } from '#core/keys/keyring.ts'
import { createPortfolios, type OpenPortfolio } from '#core/portfolio/portfolios.ts'
import type { Clock, Logger, NetworkRoute, Ports } from '#core/ports.ts'
import { coalesceEvents, createRequestLog, type RequestLog } from '#core/requests/requestLog.ts'
import { createFolderWorkers } from '#core/sharedStore/folderWorker.ts'
import { createSharedStores, type SharedStores } from '#core/sharedStore/sharedStores.ts'
import type { StoredConnection } from '#core/store/connectionRow.ts'
import type { Store } from '#core/store/store.ts'

interface NetworkDeps {
  store: Store
  bus: EventBus
  clock: Clock
  log: Logger
  redactor: Redactor
  keyring: Keyring
  isOffline(): boolean
  startSandbox: Ports['startSandbox']
  sandboxVenues: Ports['sandboxVenues']
  startProcess: Ports['startProcess']
  route(): NetworkRoute
  policy: AddressPolicy
  timeouts: (HttpTimeouts & { folderMs?: number }) | undefined
  queue(): DownloadQueue
}

/** Everything that sends requests to services: the HTTP client, the connections and the service clients. */
export interface Network {
  http: HttpClient
  requests: RequestLog
  connections: Connections
  openDiscovery: OpenDiscovery
  openPortfolio: OpenPortfolio
  stores: SharedStores
  /** Returns the network state that windows show: offline or not, and the unreachable servers. */
  state(): NetworkState
  close(): Promise<void>
}

export function createNetwork(deps: NetworkDeps): Network {
  const {
    store,
    bus,
    clock,
    log,
    redactor,
    keyring,
    isOffline,
    startSandbox,
    sandboxVenues,
    startProcess,
    route,
    policy,
    timeouts,
    queue,
  } = deps
  const requestEvents = coalesceEvents((count) => bus.emit('requests.recorded', { count }))
  const requests = createRequestLog(requestEvents.record)
  const status = createNetworkStatus(deps, () => http)
  const http: HttpClient = createHttpClient({
    clock,
    redactor,
    record: requests.record,
    isOffline,
    onReachabilityChange: () => status.onReachabilityChange(),
    mayStorePrivately: (origin) => store.connections.list().some((each) => each.privateStorage && isAt(each, origin)),
    route,
    startProcess,
    ...(timeouts && { timeouts }),
  })
  const folderWorkers = createFolderWorkers({ start: startProcess, timeoutMs: timeouts?.folderMs })
  const stores = createSharedStores({
    ...{ http, folderWorkers, clock, log, connections: store.connections },
    keyOf: (connectionId) => keyring.reveal(connectionId, 'store'),
  })
  const connections: Connections = createConnections({
    store: store.connections,
    coverage: store.coverage,
    engines: store.engines,
    answers: store.serviceAnswers,
    keyring,
    http,
    folderWorkers,
    stores,
    clock,
    startSandbox,
    sandboxVenues,
    policy,
    firstVenue: (id) => store.venues.of(id).list.at(0) ?? null,
    hasFetched: (id) => store.cacheUse.hasFetched(id) || queue().isStoring(id),
    onConnectionChanged: () => queue().refresh(),
    onCatalogTested(place, catalog) {
      // Changes of a known catalog are reported when it is refreshed.
      if (!store.coverage.document(place.connectionId, RAW_CATALOG))
        keepRawCatalog(store.coverage, clock, place, catalog)
    },
    onSandboxStarted: () =>
      void connections.list().then(
        (list) => bus.emit('connections.changed', list),
        (thrown: unknown) => log.write('warn', `connections could not be listed: ${String(thrown)}`),
      ),
  })
  return {
    http,
    requests,
    connections,
    openDiscovery: createDiscoveryOpener(http, connections, store.coverage, clock),
    openPortfolio: createPortfolios(http, connections, store, clock),
    stores,
    state: status.state,
    async close() {
      requestEvents.stop()
      folderWorkers.close()
      await connections.close()
      await http.close()
    },
  }
}

/** Reports the network state to windows, and resumes downloads that were paused because a server was unreachable. */
function createNetworkStatus({ store, queue, bus, isOffline, route }: NetworkDeps, http: () => HttpClient) {
  let lostCountBefore = 0
  let wasOffline = isOffline()
  const routeKey = () => JSON.stringify(route())
  let routeBefore = routeKey()

  const state = (): NetworkState => ({
    offline: isOffline(),
    unreachable: http()
      .unreachable()
      .map(({ origin, sinceMs, message, nextProbeMs }) => ({
        origin,
        since: sinceMs,
        message,
        nextAttempt: nextProbeMs,
      })),
  })
  const report = () => bus.emit('network.changed', state())

  bus.subscribe((name) => {
    // A changed connection may have a new address in place of an unreachable one.
    if (name === 'connections.changed' && lostCountBefore > 0) {
      http().forgetUnreachable()
      lostCountBefore = 0
      report()
    }
    if (name !== 'settings.changed' || (isOffline() === wasOffline && routeKey() === routeBefore)) return
    wasOffline = isOffline()
    routeBefore = routeKey()
    // With a new proxy or certificate, servers that were unreachable before may respond.
    if (!wasOffline) http().forgetUnreachable()
    report()
  })

  return {
    state,
    onReachabilityChange(): void {
      const lostCount = http().unreachable().length
      if (lostCount < lostCountBefore)
        for (const { connectionId, error } of store.pauses.list())
          if (error.code === 'network') queue().resumeConnection(connectionId)
      lostCountBefore = lostCount
      report()
    },
  }
}

/** Tells whether a service of a connection has this origin. */
const isAt = ({ metricsUrl, portfolioUrl }: StoredConnection, origin: string): boolean =>
  [metricsUrl, portfolioUrl].some((url) => url !== '' && new URL(url).origin === origin)
