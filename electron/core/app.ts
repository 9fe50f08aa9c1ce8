import { randomUUID } from 'node:crypto'
import { availableParallelism, release } from 'node:os'
import type { CallInput, CallOutput } from '#shared/contract/calls.ts'
import type { CallOptions, Client } from '#shared/contract/client.ts'
import { AppError, toAppError } from '#shared/contract/errors.ts'
import type { CallName } from '#shared/contract/names.ts'
import type { Channel, ToWindow } from '#shared/contract/protocol.ts'
import { createCache } from '#core/cache/cache.ts'
import { createQuotaEnforcer } from '#core/cache/quotaEnforcer.ts'
import { createHttpClient, type HttpClient } from '#core/clients/http.ts'
import type { HttpTimeouts } from '#core/clients/httpRequest.ts'
import { createRedactor } from '#core/clients/redact.ts'
import { cachedRawFiles, type RawInstrument, type FindRawFiles } from '#core/compute/rawFiles.ts'
import { createConnections } from '#core/connections/connections.ts'
import { createChecks } from '#core/diagnosis/checks.ts'
import { writeReport } from '#core/diagnosis/report.ts'
import { createDiscoveries, reachMetrics } from '#core/discovery/discoveries.ts'
import { createDownloads } from '#core/downloads/downloads.ts'
import { ConnectionProblem } from '#core/downloads/retryPolicy.ts'
import { createQueueEvents } from '#core/downloads/queueEvents.ts'
import { createValidationPool } from '#core/downloads/validationPool.ts'
import { createDownloadQueue, type DownloadQueue } from '#core/downloads/scheduler.ts'
import { createDispatch } from '#core/dispatch.ts'
import { createForeignChanges } from '#core/foreignChanges.ts'
import { createEventBus, type EventBus } from '#core/eventBus.ts'
import { appHandlers } from '#core/handlers/app.ts'
import { cacheHandlers } from '#core/handlers/cache.ts'
import { connectionHandlers } from '#core/handlers/connections.ts'
import { coverageHandlers } from '#core/handlers/coverage.ts'
import { discoveryHandlers } from '#core/handlers/discovery.ts'
import { downloadHandlers } from '#core/handlers/downloads.ts'
import { fileHandlers } from '#core/handlers/files.ts'
import { networkHandlers } from '#core/handlers/network.ts'
import { portfolioHandlers } from '#core/handlers/portfolio.ts'
import { rawHandlers } from '#core/handlers/raw.ts'
import { requestHandlers } from '#core/handlers/requests.ts'
import { seriesHandlers } from '#core/handlers/series.ts'
import { sampleHandlers } from '#core/handlers/sample.ts'
import { settingsHandlers } from '#core/handlers/settings.ts'
import { vaultHandlers } from '#core/handlers/vault.ts'
import { workspaceHandlers } from '#core/handlers/workspaces.ts'
import { createKeyring } from '#core/keys/keyring.ts'
import { createRecentLog } from '#core/log/recentLog.ts'
import { redactingLog } from '#core/log/redactingLog.ts'
import type { Ports, ProxySettings, WindowHost } from '#core/ports.ts'
import { createPortfolios } from '#core/portfolio/portfolios.ts'
import { createImports } from '#core/raw/imports.ts'
import { createRawEventService } from '#core/raw/rawEventService.ts'
import { createRawThreads } from '#core/raw/rawThreads.ts'
import { createNetworkNews } from '#core/networkNews.ts'
import { createReceivedFiles } from '#core/receivedFiles.ts'
import { coalesceEvents, createRequestLog } from '#core/requests/requestLog.ts'
import { createSeriesService } from '#core/series/seriesService.ts'
import { createSample } from '#core/sample/sample.ts'
import { openSession } from '#core/session.ts'
import { createLease, LEASE_DURATION_MS } from '#core/store/lease.ts'
import { watchChanges } from '#core/store/changeWatch.ts'
import { openStore } from '#core/store/store.ts'

export interface AppConfig {
  version: string
  dataDir: string
  /** Key for connections without a key of their own (`PERPSCOPE_API_KEY`). */
  environmentKey?: string
  /** Null or absent: straight to the network. */
  proxy?: ProxySettings | null
  /** Ask no service, whatever the settings say. */
  offline?: boolean
  /** Interval at which changes of other processes are detected. */
  watchEveryMs?: number
  timeouts?: HttpTimeouts
}

export interface App {
  /** Serves one window over any transport until its channel closes. */
  openSession(channel: Channel<ToWindow, unknown>, host: WindowHost): void
  /** The core for a caller in this process (a command line, a test). */
  clientFor(host: WindowHost): Client
  /** Takes in files that the person dropped on a window or opened with the app. */
  receiveFiles(paths: readonly string[]): Promise<void>
  /** Takes part in running the download queue from now on: does the work while no other process does. */
  runDownloads(options?: { concurrency?: number }): void
  /** Kept when the first window shows its first screen: until then nothing else is to take its time. */
  firstScreen: Promise<void>
  /** On the very first start: a few made-up files, so that there is something to look at. For hosts with windows. */
  fetchSampleOnce(): Promise<void>
  /** The raw-event files of one instrument in the cache, for a computation in this process. */
  cachedRawFiles(instrument: RawInstrument): FindRawFiles
  /** Events for the host itself: task-bar progress, notifications, menus. */
  bus: EventBus
  close(): Promise<void>
}

/** Files are checked while others are on the way; more threads than these only take turns on the disk. */
/** Number of validation threads, more than one because they wait for the disk half of the time. */
const VALIDATION_THREADS = Math.max(2, Math.min(4, availableParallelism()))

/** The only place that constructs; hosts call this and nothing else of the core. */
export function createApp({ vault, log: hostLog, clock, startSandbox }: Ports, config: AppConfig): App {
  const redactor = createRedactor()
  const log = createRecentLog(redactingLog(hostLog, redactor), clock)
  const bus = createEventBus((name, thrown) =>
    log.write('error', `telling of ${name} failed: ${thrown instanceof Error ? thrown.message : String(thrown)}`),
  )
  const store = openStore({ dataDir: config.dataDir, clock, log })
  const keyring = createKeyring({
    vault,
    clock,
    log,
    environmentKey: config.environmentKey ?? null,
    hide: redactor.hide,
  })
  const requestEvents = coalesceEvents((count) => bus.emit('requests.recorded', { count }))
  const requests = createRequestLog(requestEvents.note)
  const isOffline = () => config.offline === true || store.settings.read().offline
  const network = createNetworkNews({ http: () => http, pauses: store.pauses, queue: () => queue, bus, isOffline })
  const http: HttpClient = createHttpClient({
    clock,
    redactor,
    record: requests.record,
    isOffline,
    onReach: () => network.onReach(),
    proxy: config.proxy ?? null,
    ...(config.timeouts && { timeouts: config.timeouts }),
  })
  const received = createReceivedFiles(bus)
  const connections = createConnections({
    store: store.connections,
    answers: store.serviceAnswers,
    keyring,
    http,
    clock,
    startSandbox,
    hasFetched: (id) => store.cacheUse.hasFetched(id) || queue.isStoring(id),
    onMoved: () => queue.refresh(),
    onSandboxStarted: () =>
      void connections.list().then(
        (list) => bus.emit('connections.changed', list),
        (thrown: unknown) => log.write('warn', `connections could not be listed: ${String(thrown)}`),
      ),
  })
  const discoveries = createDiscoveries(http, connections, store.coverage, clock)
  const portfolios = createPortfolios(http, connections, store, clock)

  let ownConcurrency: number | undefined
  let isDownloading = false
  const queueLease = (holder: string) => createLease({ database: store.database, clock, name: 'queue', holder })
  /** Holds the lease of the queue during the work, so that no process downloads. */
  async function withoutDownloads<Result>(work: () => Promise<Result>): Promise<Result> {
    await queue.stop()
    const lease = queueLease(randomUUID())
    const renewing = setInterval(() => lease.take(), LEASE_DURATION_MS / 3)
    try {
      if (!lease.take()) throw new AppError('busy', 'It downloads at the moment; pause or close it first.')
      return await work()
    } finally {
      clearInterval(renewing)
      lease.release()
      if (isDownloading) queue.start()
    }
  }
  const pool = createValidationPool(VALIDATION_THREADS)
  const cache = createCache({
    store,
    dataDir: config.dataDir,
    clock,
    validate: pool.validate,
    transfersEnded: (connectionId) => queue.transfersEnded(connectionId),
    withoutDownloads,
  })
  const series = createSeriesService(store, clock)
  const rawThreads = createRawThreads()
  const rawTables = createRawThreads(1)
  const rawEventService = createRawEventService(store, rawTables, rawThreads)
  const imports = createImports({
    received,
    store,
    threads: rawThreads,
    commit: pool.commit,
    clock,
    onImported: () => bus.emit('cache.changed', {}),
  })
  const quotaEnforcer = createQuotaEnforcer({
    limitBytes() {
      const { cacheLimitGb } = store.settings.read()
      return cacheLimitGb === null ? null : cacheLimitGb * 1e9
    },
    makeRoom: (maxBytes, signal) => cache.makeRoom(maxBytes, { signal }),
    clock,
    log,
    onRemoved: () => bus.emit('cache.changed', {}),
  })
  const queueEvents = createQueueEvents({ store, queue: () => queue, emit: bus.emit })
  const queue: DownloadQueue = createDownloadQueue({
    store,
    http,
    clock,
    log,
    lease: queueLease(randomUUID()),
    pool,
    openService: (id) =>
      reachMetrics(http, connections, id).catch((thrown: unknown) => {
        const { code, detail } = toAppError(thrown)
        throw new ConnectionProblem(code, detail, { cause: thrown })
      }),
    settings: () => {
      const { downloadConcurrency, downloadHostConcurrency, downloadRateCapMb: rateCapMb } = store.settings.read()
      return ownConcurrency === undefined
        ? { concurrency: downloadConcurrency, hostConcurrency: downloadHostConcurrency, rateCapMb }
        : { concurrency: ownConcurrency, hostConcurrency: null, rateCapMb }
    },
    isOffline,
    onChange: queueEvents.jobsChanged,
    onPause: queueEvents.connectionPaused,
    onProgress: queueEvents.progressed,
  })
  const downloads = createDownloads(store, clock)
  const sample = createSample({
    store,
    clock,
    connections,
    downloads,
    cache,
    onQueued() {
      queue.refresh()
      queueEvents.jobsChanged()
    },
    onSettings: (settings) => bus.emit('settings.changed', settings),
  })
  bus.subscribe((name) => {
    if (name === 'settings.changed') queue.refresh()
    if (name === 'settings.changed' || name === 'downloads.finished') quotaEnforcer.look()
    if (name === 'downloads.changed') quotaEnforcer.checkOccasionally()
    if (name === 'connections.changed') queue.connectionsChanged()
  })

  const info = {
    version: config.version,
    platform: `${process.platform} ${process.arch}`,
    nodeVersion: process.versions.node,
    sqliteVersion: store.sqliteVersion,
    dataDir: config.dataDir,
    startedAt: clock.nowMs(),
    notices: store.notices,
  }

  const diagnostics = async (host: WindowHost['face']) =>
    redactor.text(
      writeReport({
        info: { ...info, host },
        systemRelease: release(),
        nowMs: clock.nowMs(),
        settings: store.settings.read(),
        connections: await connections.list(),
        vault: await keyring.vaultStatus(false),
        requests: requests.newestFirst(1000),
        logLines: log.troubles,
      }),
    )

  const firstScreen = Promise.withResolvers<void>()
  const dispatch = createDispatch(
    {
      ...appHandlers({
        info,
        onShown: firstScreen.resolve,
        checks: createChecks(config.dataDir, store, keyring),
        diagnostics,
      }),
      ...cacheHandlers({ cache, store, bus }),
      ...connectionHandlers({ connections, store, clock, downloads, bus }),
      ...coverageHandlers(store, clock),
      ...discoveryHandlers({ open: discoveries, store: store.coverage, bus, clock }),
      ...downloadHandlers({ store, clock, bus, connections, downloads, queue, queueEvents }),
      ...fileHandlers(received),
      ...networkHandlers({ state: network.state, tryAgain: http.probeUnreachable }),
      ...portfolioHandlers({ open: portfolios, store: store.portfolio, bus }),
      ...rawHandlers({ imports, desk: rawEventService, series, store, commit: pool.commit, clock, bus }),
      ...requestHandlers(requests),
      ...seriesHandlers({ desk: series, store, clock, version: config.version }),
      ...sampleHandlers(sample, bus),
      ...settingsHandlers(store.settings, bus),
      ...vaultHandlers(keyring, bus),
      ...workspaceHandlers(store.workspaces, received, bus),
    },
    redactor.error,
  )

  const tellForeignChanges = createForeignChanges(store, connections, keyring, bus)
  const noticeOthers = async () => {
    await tellForeignChanges()
    queue.refresh()
    queueEvents.jobsChanged()
  }
  const stopWatching = watchChanges(store.database, log, noticeOthers, config.watchEveryMs)

  return {
    bus,
    openSession: (channel, host) => openSession({ dispatch, bus, log }, channel, host),
    clientFor: (host) => ({
      call: <Name extends CallName>(
        name: Name,
        input: CallInput<Name>,
        { signal = new AbortController().signal, onProgress = () => {} }: CallOptions = {},
      ): Promise<CallOutput<Name>> => dispatch(name, input, { signal, progress: onProgress, host }),
      on: (wanted, listener) =>
        bus.subscribe((name, payload) => {
          if ((name as string) === wanted) listener(payload as never)
        }),
    }),
    receiveFiles: async (paths) => void (await received.add(paths)),
    runDownloads({ concurrency } = {}) {
      ownConcurrency = concurrency
      isDownloading = true
      queue.start()
      void cache
        .clearOldFiles()
        .catch((thrown: unknown) => log.write('warn', `files of the old folder are left: ${String(thrown)}`))
    },
    firstScreen: firstScreen.promise,
    fetchSampleOnce: () =>
      sample
        .fetchOnce()
        .catch((thrown: unknown) => log.write('warn', `no sample data: ${redactor.error(toAppError(thrown)).message}`)),
    cachedRawFiles: (instrument) => cachedRawFiles(store.files, store.folder, instrument),
    async close() {
      stopWatching()
      await queue.stop()
      queueEvents.stop()
      await quotaEnforcer.stop()
      await rawThreads.close()
      await rawTables.close()
      await pool.close()
      requestEvents.stop()
      await series.close()
      await connections.close()
      await http.close()
      store.close()
    },
  }
}
