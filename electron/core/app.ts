import { randomUUID } from 'node:crypto'
import { availableParallelism, release } from 'node:os'
import type { CallInput, CallOutput } from '#shared/contract/calls.ts'
import type { CallOptions, Client } from '#shared/contract/client.ts'
import { AppError, toAppError } from '#shared/contract/errors.ts'
import type { MachinePolicy } from '#shared/contract/areas/policy.ts'
import type { CallName } from '#shared/contract/names.ts'
import type { Channel, ToWindow } from '#shared/contract/protocol.ts'
import { createCache, type Cache } from '#core/cache/cache.ts'
import { createQuotaEnforcer } from '#core/cache/quotaEnforcer.ts'
import type { HttpTimeouts } from '#core/clients/httpRequest.ts'
import { createRedactor } from '#core/clients/redact.ts'
import { cachedRawFiles, type FindRawFiles, type RawInstrument } from '#core/compute/rawFiles.ts'
import { type Check, createChecks } from '#core/diagnosis/checks.ts'
import { writeReport } from '#core/diagnosis/report.ts'
import { reachMetrics } from '#core/discovery/discovery.ts'
import { createCrashReports, type CrashReports } from '#core/diagnosis/crashReports.ts'
import { createDispatch, type Dispatch } from '#core/dispatch.ts'
import { createDownloads } from '#core/downloads/downloads.ts'
import { createQueueEvents } from '#core/downloads/queueEvents.ts'
import { ConnectionProblem } from '#core/downloads/retryPolicy.ts'
import { createDownloadQueue, type DownloadQueue } from '#core/downloads/scheduler.ts'
import { createValidationPool } from '#core/downloads/validationPool.ts'
import { createEventBus, type EventBus } from '#core/eventBus.ts'
import { appHandlers } from '#core/handlers/app.ts'
import { cacheHandlers } from '#core/handlers/cache.ts'
import { connectionHandlers } from '#core/handlers/connections.ts'
import { coverageHandlers } from '#core/handlers/coverage.ts'
import { discoveryHandlers } from '#core/handlers/discovery.ts'
import { downloadHandlers } from '#core/handlers/downloads.ts'
import { fileHandlers } from '#core/handlers/files.ts'
import { instrumentHandlers } from '#core/handlers/instruments.ts'
import { labHandlers } from '#core/handlers/lab.ts'
import { ledgerHandlers } from '#core/handlers/ledger.ts'
import { listHandlers } from '#core/handlers/lists.ts'
import { networkHandlers } from '#core/handlers/network.ts'
import { portfolioHandlers } from '#core/handlers/portfolio.ts'
import { qualityHandlers } from '#core/handlers/quality.ts'
import { rawHandlers } from '#core/handlers/raw.ts'
import { reportHandlers } from '#core/handlers/report.ts'
import { requestHandlers } from '#core/handlers/requests.ts'
import { sampleHandlers } from '#core/handlers/sample.ts'
import { seriesHandlers } from '#core/handlers/series.ts'
import { settingsHandlers } from '#core/handlers/settings.ts'
import { sqlHandlers } from '#core/handlers/sql.ts'
import { vaultHandlers } from '#core/handlers/vault.ts'
import { watchHandlers } from '#core/handlers/watch.ts'
import { workspaceHandlers } from '#core/handlers/workspaces.ts'
import { createKeyring } from '#core/keys/keyring.ts'
import { createRecentLog } from '#core/log/recentLog.ts'
import { createNetwork, type Network } from '#core/network.ts'
import { watchOtherProcesses } from '#core/otherProcesses.ts'
import { refuseOtherAddresses, withPolicy, withPolicyAddresses } from '#core/policy.ts'
import type { Ports, ProxySettings, WindowHost } from '#core/ports.ts'
import { createRoute, type RouteOptions } from '#core/route.ts'
import { withSaveLog } from '#core/log/saveLog.ts'
import { createAddedCheck } from '#core/quality/addedCheck.ts'
import { type CheckService, createCheckService } from '#core/record/checkService.ts'
import { createAskThen } from '#core/record/filesOfThen.ts'
import { createRecordService, type RecordService } from '#core/record/recordService.ts'
import { createQualityService, type QualityService } from '#core/quality/qualityService.ts'
import { createImports } from '#core/raw/imports.ts'
import { createRawEventService } from '#core/raw/rawEventService.ts'
import { createGuardedInspection } from '#core/raw/guardedInspection.ts'
import { createRawThreads } from '#core/raw/rawThreads.ts'
import { createReceivedFiles } from '#core/receivedFiles.ts'
import { createSample } from '#core/sample/sample.ts'
import { createPanelCheck } from '#core/lab/panelCheck.ts'
import { createChangedFiles } from '#core/series/seriesReader.ts'
import { createSeriesService } from '#core/series/seriesService.ts'
import { openSession } from '#core/session.ts'
import { createLedgerService, type LedgerService } from '#core/lab/ledger/ledgerService.ts'
import { createPortfolioPanels } from '#core/lab/portfolioPanel.ts'
import { createPortfolioService, type PortfolioService } from '#core/lab/portfolio/portfolioService.ts'
import { createTestedSeriesStore } from '#core/lab/portfolio/testedSeries.ts'
import { createStudyService, type StudyService } from '#core/lab/studyService.ts'
import { packBackup } from '#core/store/backup/backupFile.ts'
import { createStagedRestores, finishStagedRestore } from '#core/store/backup/stagedRestore.ts'
import { type Ledger, type LedgerDeps, openLedger } from '#core/store/ledger/ledger.ts'
import { createResultSeriesStore } from '#core/sql/resultSeries.ts'
import { createSqlService, type SqlService } from '#core/sql/sqlService.ts'
import { createLease, LEASE_DURATION_MS } from '#core/store/lease.ts'
import { openStore } from '#core/store/store.ts'
import type { CheckStore } from '#core/store/checkStore.ts'
import type { StudyStore } from '#core/store/studyStore.ts'

export interface AppConfig {
  version: string
  dataDir: string
  /** Key for connections without a key of their own (`PERPSCOPE_API_KEY`). */
  environmentKey?: string
  /** Proxy of the environment or the system; null or absent for a direct connection. The settings may name another. */
  proxy?: ProxySettings | null
  /** Route of this run alone (`--proxy`, `--ca-file`), in place of that of the settings. */
  route?: RouteOptions
  /** File of certificates that the environment names. */
  environmentCaFile?: string | undefined
  /** Policy of this machine. */
  policy?: MachinePolicy | null
  /** True to work offline whatever the settings say. */
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
  /** Receives files that the user dropped on a window or opened with the app. */
  receiveFiles(paths: readonly string[]): Promise<void>
  /** Runs the download queue from now on, while no other process does. */
  runDownloads(options?: { concurrency?: number }): void
  /** Resolves when the first window shows its first screen; work that can wait starts then. */
  firstScreen: Promise<void>
  /** Downloads a few sample files on the very first start, for hosts with windows. */
  fetchSampleOnce(): Promise<void>
  /** Finds the cached raw-event files of one instrument, for a computation in this process. */
  cachedRawFiles(instrument: RawInstrument): FindRawFiles
  /** Studies that were run, for a command line in this process. */
  studies: StudyStore
  /** Runs studies, for a command line in this process. */
  lab: StudyService
  /** Runs tested portfolios, for a command line in this process. */
  portfolioTests: PortfolioService
  /** Runs SQL over the cache; its engine starts with the first query. */
  sql: SqlService
  /** Makes reports and computes them again. */
  record: RecordService
  /** Saved checks and the inbox, for a command line in this process. */
  checks: CheckStore
  /** Runs checks. */
  checkRuns: CheckService
  /** The ledger of every study and test; opened on first use. */
  ledger(): Ledger
  /** Reports on failed processes of the host. */
  crashes: CrashReports
  /** Events for the host itself: task-bar progress, notifications, menus. */
  bus: EventBus
  close(): Promise<void>
}

/** The only place that constructs the core; hosts call this and nothing else of it. */
export function createApp(ports: Ports, config: AppConfig): App {
  const route = createRoute({ ...config, settings: () => store.settings.read() })
  const storage = createStorage(ports, config)
  const { bus, log, store, redactor } = storage
  const network: Network = createNetwork({
    ...storage,
    startSandbox: ports.startSandbox,
    startProcess: ports.startProcess,
    route,
    policy: {
      fill: (fields) => withPolicyAddresses(fields, config.policy ?? null),
      refuseOthers: (connection) => refuseOtherAddresses(connection, config.policy ?? null),
    },
    timeouts: config.timeouts,
    queue: () => downloading.queue,
  })
  const workers = createWorkers(storage, config.dataDir, ports.startProcess)
  const downloading: Downloading = createDownloading(storage, network, workers.validationPool)
  const caching = createCaching(storage, network, workers, downloading)
  const ledger = createLazyLedger({ dataDir: config.dataDir, ...storage })
  const files = { changedFiles: workers.changedFiles, panelCheck: createPanelCheck(workers.validationPool.checkTable) }
  const rows = { ...storage, ...files, portfolios: network.portfolios }
  const lab = createStudyService({ ...rows, ledger: ledger.open, startProcess: ports.startProcess })
  const portfolioTests = createPortfolioService(ledger.open, files.panelCheck, rows, ports.startProcess)
  const ledgerService = createLedgerService({ ...storage, dataDir: config.dataDir, ...ledger })
  const sql = createSqlService({
    ...storage,
    dataDir: config.dataDir,
    ledger: ledger.open,
    startProcess: ports.startProcess,
    validate: (path) => workers.validationPool.validate(path, undefined, true),
  })
  const quality = createQualityService({ ...storage, changedFiles: workers.changedFiles })
  const record = createRecordService({
    store,
    dataDir: config.dataDir,
    version: config.version,
    series: workers.series,
    lab,
    tests: portfolioTests,
    sql,
    ledger: ledger.open,
    portfolios: network.portfolios,
    askThen: createAskThen(store, storage.clock),
  })
  const firstScreen = Promise.withResolvers<void>()
  const addedCheck = checkAddedFiles(storage, quality, firstScreen.promise)
  const dispatch = createAppDispatch({
    storage,
    network,
    workers,
    downloading,
    caching,
    lab,
    portfolioTests,
    ledgerService,
    quality,
    sql,
    record,
    checks: createChecks(config.dataDir, store, storage.keyring, ports.hasPageSandbox),
    onShown: firstScreen.resolve,
  })
  const stopWatching = watchOtherProcesses({ ...storage, ...network, watchEveryMs: config.watchEveryMs }, () => {
    downloading.queue.refresh()
    downloading.queueEvents.jobsChanged()
  })

  return {
    bus,
    crashes: storage.crashes,
    openSession: (channel, host) => openSession({ dispatch, bus, log }, channel, host),
    clientFor: (host) => createLocalClient(dispatch, bus, host),
    receiveFiles: async (paths) => void (await caching.received.add(paths)),
    runDownloads({ concurrency } = {}) {
      downloading.start(concurrency)
      void caching.cache
        .clearOldFiles()
        .catch((thrown: unknown) => log.write('warn', `files of the old folder are left: ${String(thrown)}`))
    },
    firstScreen: firstScreen.promise,
    fetchSampleOnce: () =>
      caching.sample
        .fetchOnce()
        .catch((thrown: unknown) => log.write('warn', `no sample data: ${redactor.error(toAppError(thrown)).message}`)),
    studies: store.studies,
    lab,
    portfolioTests,
    sql,
    record,
    checks: store.checks,
    checkRuns: createCheckService({ store, series: workers.series, sql }),
    ledger: ledger.open,
    cachedRawFiles: (instrument) => cachedRawFiles(store.files, store.folder, instrument),
    async close() {
      stopWatching()
      await sql.close()
      addedCheck.stop()
      await quality.close()
      await downloading.stop()
      await caching.stop()
      await workers.close()
      await lab.close()
      await portfolioTests.close()
      await ledgerService.close()
      ledger.close()
      await network.close()
      store.close()
    },
  }
}

/** Checks the quality of new files by itself while a window is open. */
const checkAddedFiles = ({ store, bus, log }: Storage, service: QualityService, shown: Promise<void>) =>
  createAddedCheck({
    store,
    service,
    onChecked(files, findings) {
      bus.emit('quality.checked', { files, findings })
      bus.emit('quality.changed', {})
    },
    onProblem: (message) => log.write('warn', `new files were not checked: ${message}`),
    shown,
  })

/** Opens the ledger on first use, because most runs of the program need none. */
function createLazyLedger(deps: LedgerDeps) {
  let opened: Ledger | null = null
  return {
    open: () => (opened ??= openLedger(deps)),
    /** Opens the files again at the next use, because another thread replaced them. */
    reopen() {
      opened?.close()
      opened = null
    },
    close: () => opened?.close(),
  }
}

/** Creates what everything else builds on: the log, the event bus, the store and the keys. */
function createStorage({ vault, log: hostLog, clock }: Ports, config: AppConfig) {
  const redactor = createRedactor()
  const log = createRecentLog({ write: (level, message) => hostLog.write(level, redactor.text(message)) }, clock)
  const bus = createEventBus((name, thrown) =>
    log.write('error', `telling of ${name} failed: ${thrown instanceof Error ? thrown.message : String(thrown)}`),
  )
  const restored = finishStagedRestore({ dataDir: config.dataDir, log })
  const opened = openStore({ dataDir: config.dataDir, clock, log })
  if (restored !== null) opened.notices.push(restored)
  const store = { ...opened, settings: withPolicy(opened.settings, config.policy ?? null) }
  const keyring = createKeyring({
    vault,
    clock,
    log,
    environmentKey: config.environmentKey ?? null,
    hide: redactor.hide,
  })
  const isOffline = () => config.offline === true || store.settings.read().offline
  const crashes = createCrashReports({ ...config, clock, redactor })
  return { config, clock, redactor, crashes, log, bus, store, keyring, isOffline }
}

type Storage = ReturnType<typeof createStorage>

/** Number of validation threads, at least two because they wait for the disk half of the time. */
const VALIDATION_THREADS = Math.max(2, Math.min(4, availableParallelism()))

/** Creates everything that works in threads and processes of its own. */
function createWorkers({ store, clock, redactor }: Storage, dataDir: string, startProcess: Ports['startProcess']) {
  const validationPool = createValidationPool(VALIDATION_THREADS, {
    dataDir,
    redactor,
    ...(startProcess && { start: startProcess }),
  })
  const changedFiles = createChangedFiles((path, deep) => validationPool.validate(path, undefined, deep))
  const rawThreads = createRawThreads(changedFiles)
  const inspection = createGuardedInspection(startProcess)
  const rawTableThread = createRawThreads(changedFiles, 1)
  const series = createSeriesService(store, clock, changedFiles)
  return {
    startProcess,
    validationPool,
    changedFiles,
    rawThreads,
    inspection,
    series,
    rawEvents: createRawEventService(store, rawTableThread, rawThreads),
    async close() {
      await rawThreads.close()
      await inspection.close()
      await rawTableThread.close()
      await validationPool.close()
      await series.close()
    },
  }
}

type Workers = ReturnType<typeof createWorkers>

/** Creates the download queue, which runs in the one process that holds its lease. */
function createDownloading(
  { store, bus, clock, log, isOffline }: Storage,
  { http, connections }: Network,
  pool: Workers['validationPool'],
) {
  let ownConcurrency: number | undefined
  let isRunning = false
  const queueLease = () => createLease({ database: store.database, clock, name: 'queue', holder: randomUUID() })
  const queueEvents = createQueueEvents({ store, queue: () => queue, emit: bus.emit })
  const queue: DownloadQueue = createDownloadQueue({
    store,
    http,
    clock,
    log,
    lease: queueLease(),
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

  /** Holds the lease of the queue during the work, so that no process downloads. */
  async function withoutDownloads<Result>(work: () => Promise<Result>): Promise<Result> {
    await queue.stop()
    const lease = queueLease()
    const renewing = setInterval(() => lease.take(), LEASE_DURATION_MS / 3)
    try {
      if (!lease.take()) throw new AppError('busy', 'It downloads at the moment; pause or close it first.')
      return await work()
    } finally {
      clearInterval(renewing)
      lease.release()
      if (isRunning) queue.start()
    }
  }

  return {
    queue,
    queueEvents,
    downloads: createDownloads(store, clock),
    withoutDownloads,
    start(concurrency?: number): void {
      ownConcurrency = concurrency
      isRunning = true
      queue.start()
    },
    async stop() {
      await queue.stop()
      queueEvents.stop()
    },
  }
}

type Downloading = ReturnType<typeof createDownloading>

/** Creates what adds files to the cache and removes them: imports, sample data and the size limit. */
function createCaching(storage: Storage, network: Network, workers: Workers, downloading: Downloading) {
  const { store, bus, clock, log, config } = storage
  const { queue, queueEvents, downloads, withoutDownloads } = downloading
  const { validationPool } = workers
  const onFilesChanged = () => bus.emit('cache.changed', {})
  const received = createReceivedFiles(bus)
  const cache: Cache = createCache({
    store,
    dataDir: config.dataDir,
    clock,
    validate: validationPool.validate,
    transfersEnded: (connectionId) => queue.transfersEnded(connectionId),
    withoutDownloads,
  })
  const quotaEnforcer = createQuotaEnforcer({
    limitBytes() {
      const { cacheLimitGb } = store.settings.read()
      return cacheLimitGb === null ? null : cacheLimitGb * 1e9
    },
    makeRoom: (maxBytes, signal) => cache.makeRoom(maxBytes, { signal }),
    clock,
    log,
    onRemoved: onFilesChanged,
  })
  bus.subscribe((name) => {
    if (name === 'settings.changed') queue.refresh()
    if (name === 'settings.changed' || name === 'downloads.finished') quotaEnforcer.enforce()
    if (name === 'downloads.changed') quotaEnforcer.enforceOccasionally()
    if (name === 'connections.changed') queue.connectionsChanged()
  })
  return {
    received,
    cache,
    imports: createImports({
      received,
      store,
      inspection: workers.inspection,
      commit: validationPool.commit,
      clock,
      onImported: onFilesChanged,
    }),
    sample: createSample({
      store,
      clock,
      connections: network.connections,
      downloads,
      cache,
      onQueued() {
        queue.refresh()
        queueEvents.jobsChanged()
      },
      onSettings: (settings) => bus.emit('settings.changed', settings),
    }),
    stop: quotaEnforcer.stop,
  }
}

interface AppSections {
  storage: Storage
  network: Network
  workers: Workers
  downloading: Downloading
  caching: ReturnType<typeof createCaching>
  lab: StudyService
  portfolioTests: PortfolioService
  ledgerService: LedgerService
  quality: QualityService
  sql: SqlService
  record: RecordService
  checks: Check[]
  onShown(): void
}

function packOwn({ config, clock }: Storage, ledger: LedgerService) {
  ledger.syncCopy()
  const nowMs = clock.nowMs()
  return { ...packBackup(config.dataDir, config.version, nowMs), nowMs }
}

/** Connects the calls of the contract with what serves them. */
function createAppDispatch({
  storage,
  network,
  workers,
  downloading,
  caching,
  lab,
  portfolioTests,
  ledgerService,
  quality,
  sql,
  record,
  checks,
  onShown,
}: AppSections): Dispatch {
  const { config, store, clock, bus, keyring, redactor } = storage
  const { connections, requests } = network
  const { downloads, queue, queueEvents } = downloading
  const { series, rawEvents, validationPool, startProcess } = workers
  const { commit } = validationPool
  const { cache, imports, received, sample } = caching
  const info = createAppInfo(storage)
  const diagnostics = createDiagnostics(info, storage, network)
  const dispatch = createDispatch(
    {
      ...appHandlers({
        info,
        onShown,
        checks,
        diagnostics,
        crashes: storage.crashes,
        restores: createStagedRestores({ ...storage, dataDir: config.dataDir }),
        received,
        pack: () => packOwn(storage, ledgerService),
      }),
      ...cacheHandlers({ cache, store, bus }),
      ...connectionHandlers({ connections, store, clock, downloads, bus }),
      ...coverageHandlers(store, clock),
      ...discoveryHandlers({ open: network.discoveries, store: store.coverage, bus, clock }),
      ...downloadHandlers({ store, clock, bus, connections, downloads, queue, queueEvents }),
      ...fileHandlers(received),
      ...labHandlers({
        studies: store.lab,
        runs: store.studies,
        service: lab,
        tests: portfolioTests,
        ledger: ledgerService,
        version: config.version,
        series: createTestedSeriesStore({ store, commit, clock }),
        panels: createPortfolioPanels({ dataDir: config.dataDir, portfolios: network.portfolios, clock }),
        received,
        clock,
        bus,
      }),
      ...ledgerHandlers({ ledger: ledgerService, received, bus }),
      ...networkHandlers({ state: network.state, tryAgain: network.http.probeUnreachable }),
      ...portfolioHandlers({ open: network.portfolios, store: store.portfolio, bus }),
      ...qualityHandlers({ service: quality, store, clock, bus }),
      ...rawHandlers({ imports, rawEvents, series, store, commit, clock, bus, startProcess }),
      ...reportHandlers(record),
      ...requestHandlers(requests),
      ...seriesHandlers({ service: series, store, clock, version: config.version }),
      ...sampleHandlers(sample, bus),
      ...instrumentHandlers(store.instruments, bus),
      ...listHandlers(store.lists, store, bus),
      ...settingsHandlers(store.settings, bus),
      ...sqlHandlers({
        store,
        service: sql,
        series: createResultSeriesStore({ store, commit, clock, service: sql, version: config.version }),
        dataDir: config.dataDir,
        version: config.version,
        clock,
        received,
        bus,
      }),
      ...vaultHandlers(keyring, bus),
      ...watchHandlers({ store, clock, series, quality }),
      ...workspaceHandlers(store.workspaces, received, bus),
    },
    redactor.error,
  )
  return (name, input, context) =>
    dispatch(name, input, { ...context, host: withSaveLog(context.host, name, storage.log) })
}

const createAppInfo = ({ config, store, clock }: Storage) => ({
  version: config.version,
  platform: `${process.platform} ${process.arch}`,
  nodeVersion: process.versions.node,
  sqliteVersion: store.sqliteVersion,
  dataDir: config.dataDir,
  startedAt: clock.nowMs(),
  notices: store.notices,
  policy: config.policy ?? null,
})

/** Creates the writer of the diagnostics, a text without secrets to paste into a report. */
function createDiagnostics(
  info: ReturnType<typeof createAppInfo>,
  { store, keyring, redactor, log, clock }: Storage,
  { connections, requests }: Network,
) {
  return async (host: WindowHost['face']) =>
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
}

/** Creates a client that calls the core directly, for a caller in this process. */
function createLocalClient(dispatch: Dispatch, bus: EventBus, host: WindowHost): Client {
  return {
    call: <Name extends CallName>(
      name: Name,
      input: CallInput<Name>,
      { signal = new AbortController().signal, onProgress = () => {} }: CallOptions = {},
    ): Promise<CallOutput<Name>> => dispatch(name, input, { signal, progress: onProgress, host }),
    on: (wanted, listener) =>
      bus.subscribe((name, payload) => {
        if ((name as string) === wanted) listener(payload as never)
      }),
  }
}
