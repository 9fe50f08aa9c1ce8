import { randomUUID } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { basename } from 'node:path'
import type { CallInput, CallOutput } from '#shared/contract/calls.ts'
import type { CallOptions, Client } from '#shared/contract/client.ts'
import { toAppError } from '#shared/contract/errors.ts'
import type { CallName } from '#shared/contract/names.ts'
import type { Channel, ToWindow } from '#shared/contract/protocol.ts'
import { cachedRawFileFinder, type FindRawFiles, type RawInstrument } from '#core/compute/rawFiles.ts'
import type { importComputed as ImportComputed } from '#core/engines/importComputed.ts'
import { type CrashReports, stackOf } from '#core/diagnosis/crashReports.ts'
import { handlersByArea } from '#core/areas.ts'
import { createFolderWatch } from '#core/documents/folderWatch.ts'
import { createDispatch, type Dispatch } from '#core/dispatch.ts'
import { createValidationPool } from '#core/downloads/validationPool.ts'
import type { EventBus } from '#core/eventBus.ts'
import { createNetwork, type Network } from '#core/network.ts'
import { watchOtherProcesses } from '#core/otherProcesses.ts'
import { requireProgramAccess, refuseOtherAddresses, withPolicyAddresses } from '#core/policy.ts'
import type { Ports, WindowHost } from '#core/ports.ts'
import { createRoute } from '#core/route.ts'
import { withSaveLog } from '#core/log/saveLog.ts'
import { announceScores } from '#core/lab/forward/announceScores.ts'
import { scoreAddedFiles } from '#core/lab/forward/scoreAddedFiles.ts'
import { createAddedFilesCheck } from '#core/quality/addedFilesCheck.ts'
import { createLocalApiState, type LocalApiState } from '#core/record/localApiState.ts'
import type { Alarms } from '#core/record/alarms.ts'
import type { CheckService } from '#core/record/checkService.ts'
import type { RecordService } from '#core/record/recordService.ts'
import type { QualityService } from '#core/quality/qualityService.ts'
import { logInternal, openSession } from '#core/session.ts'
import type { SeriesService } from '#core/series/seriesService.ts'
import { hasUnfinishedAdds } from '#core/own/ownFolder.ts'
import { createServices } from '#core/services.ts'
import type { OnDemand } from '#core/onDemand.ts'
import type { Lab } from '#core/lab/lab.ts'
import { type Ledger, type LedgerDeps, openLedger } from '#core/store/ledger/ledger.ts'
import { createLease, renewLease } from '#core/store/lease.ts'
import type { SqlService } from '#core/sql/sqlService.ts'
import type { CheckStore } from '#core/store/checkStore.ts'
import type { StudyRunStore } from '#core/store/studyStore.ts'
import { type AppConfig, createStorage, type Storage } from '#core/storage.ts'
import { asCaller } from '#core/threads/caller.ts'
import { type Caching, createCaching, createDownloading, type Downloading } from '#core/transfers.ts'

export interface App {
  /** Serves one window over any transport until its channel closes. */
  openSession(channel: Channel<ToWindow, unknown>, host: WindowHost): void
  /** Returns a client that calls the core directly, for a caller in this process (a command line, a test). */
  clientFor(host: WindowHost): Client
  /** Receives files that the user dropped on a window, opened with the app or named on the command line. */
  receiveFiles(paths: readonly string[]): Promise<void>
  /** Runs the download queue from now on, as long as no other process runs it. */
  runDownloads(options?: { concurrency?: number }): void
  /** Keeps the documents folder up to date from now on; for hosts that keep running. */
  watchDocuments(): void
  /** Resolves when the first window shows its first screen; work that can wait starts then. */
  firstScreen: Promise<void>
  /** Downloads a few sample files on the very first start, for hosts with windows. */
  fetchSampleOnce(): Promise<void>
  /** Returns a finder of the cached raw-event files of one instrument, for a computation in this process. */
  cachedRawFileFinder(instrument: RawInstrument): FindRawFiles
  /** Imports files that another engine computed, for a command line in this process. */
  importComputed(
    request: Parameters<typeof ImportComputed>[1],
    options: Parameters<typeof ImportComputed>[2],
  ): Promise<void>
  /** Returns a number that changes with every commit to the index, by this process or another one. */
  dataVersion(): number
  /** The studies that have been run, for a command line in this process. */
  studyRuns: StudyRunStore
  /** Runs studies and tested portfolios, for a command line in this process. */
  lab: OnDemand<Lab>
  /** Runs SQL over the cache; its engine starts with the first query. */
  sql: OnDemand<SqlService>
  /** Reads series and computes formulas, for a host in this process. */
  series: OnDemand<SeriesService>
  /** Creates reports and recomputes them. */
  reports: OnDemand<RecordService>
  /** Saved checks and the inbox, for a command line in this process. */
  checks: CheckStore
  /**
   * Takes the lease for refreshing the data folder; null while another process holds it.
   * @returns a function that releases the lease
   */
  lockRefresh(): (() => void) | null
  /** Runs the saved checks. */
  checkRuns: OnDemand<CheckService>
  /** What checks do beside the inbox. */
  alarms: OnDemand<Alarms>
  /** Message about a damaged index that was replaced when it was opened; null if it was whole. */
  replacedIndex: string | null
  /** The ledger of all studies and tests; opened on first use. */
  ledger(): Ledger
  /** State of the local API, as reported by the host that starts the API. */
  localApi: LocalApiState
  /** Throws if the policy of this machine forbids access by other programs. */
  requireProgramAccess(): void
  /** Crash reports, on failed processes and on requests that failed because of an internal error. */
  crashes: CrashReports
  /** Logs a request to a host that failed because of an internal error, and writes a crash report about it. */
  reportFault(host: string, message: string, thrown: unknown): void
  /** Events for the host itself: task-bar progress, notifications, menus. */
  bus: EventBus
  close(): Promise<void>
}

/** Constructs the core from the services of a host; every host and test starts it with this function. */
export function createApp(ports: Ports, config: AppConfig): App {
  const route = createRoute({ ...config, settings: () => store.settings.read() })
  const storage = createStorage(ports, config)
  const { bus, log, store, redactor } = storage
  const network: Network = createNetwork({
    ...storage,
    startSandbox: ports.startSandbox,
    sandboxVenues: ports.sandboxVenues,
    startProcess: ports.startProcess,
    route,
    policy: {
      fill: (fields) => withPolicyAddresses(fields, config.policy ?? null),
      refuseOthers: (connection) => refuseOtherAddresses(connection, config.policy ?? null),
    },
    timeouts: config.timeouts,
    queue: () => downloading.queue,
  })
  const validationPool = createValidationPool(VALIDATION_THREADS, {
    dataDir: config.dataDir,
    redactor,
    ...(ports.startProcess && { start: ports.startProcess }),
  })
  const downloading: Downloading = createDownloading(storage, network, validationPool)
  const caching = createCaching(storage, network, validationPool, downloading)
  const ledger = createLazyLedger({
    dataDir: config.dataDir,
    ...storage,
    onFiles: (files) => keepFilesOfEntry(store, files),
  })
  const services = createServices(storage, network, validationPool, ledger, ports.startProcess)
  const localApi = createLocalApiState((state) => bus.emit('network.doorChanged', state))
  const firstScreen = Promise.withResolvers<void>()
  const addedFilesCheck = startAddedFilesCheck(storage, services.quality, firstScreen.promise)
  const scoring = scoreAddedFiles({
    store,
    bus,
    service: services.forward,
    onScored: () => announceScores(bus),
    onProblem: (message) => log.write('warn', `recorded runs were not scored: ${message}`),
    windowShown: firstScreen.promise,
  })
  const oldFilesCheck = startOldFilesCheck(storage, caching, firstScreen.promise)
  // When own data is first opened, it removes what killed adds left.
  if (hasUnfinishedAdds(store)) void firstScreen.promise.then(services.ownData).catch(() => {})
  const handle = createDispatch(
    handlersByArea({
      storage,
      network,
      validationPool,
      downloading,
      caching,
      services,
      localApi,
      startProcess: ports.startProcess,
      hasPageSandbox: ports.hasPageSandbox,
      onShown: firstScreen.resolve,
    }),
    redactor.error,
  )
  const dispatch: Dispatch = (name, input, context) =>
    handle(name, input, { ...context, host: withSaveLog(context.host, name, log) })
  const folderWatch = createDocumentsWatch(storage, services)
  const stopWatching = watchOtherProcesses({ ...storage, ...network, watchEveryMs: config.watchEveryMs }, () => {
    folderWatch.changedElsewhere()
    downloading.queue.refresh()
    downloading.queueEvents.jobsChanged()
  })

  return {
    bus,
    crashes: storage.crashes,
    reportFault: (host, message, thrown) => reportFault(storage, host, message, thrown),
    openSession: (channel, host) => openSession({ dispatch, bus, log }, channel, host),
    clientFor: (host) => createLocalClient(dispatch, storage, host),
    receiveFiles: async (paths) => void (await caching.received.add(paths)),
    runDownloads({ concurrency } = {}) {
      downloading.start(concurrency)
      void caching.cache
        .clearOldFiles()
        .catch((thrown: unknown) => log.write('warn', `files of the old folder are left: ${String(thrown)}`))
    },
    watchDocuments: folderWatch.start,
    firstScreen: firstScreen.promise,
    fetchSampleOnce: () =>
      caching.sample
        .fetchOnce()
        .catch((thrown: unknown) => log.write('warn', `no sample data: ${redactor.error(toAppError(thrown)).message}`)),
    importComputed: (request, options) => importInto(storage, validationPool, ports, request, options),
    dataVersion: () => store.database.version(),
    studyRuns: store.studyRuns,
    lab: services.lab,
    sql: services.sql,
    series: services.series,
    reports: services.reports,
    checks: store.checks,
    lockRefresh: () => lockRefresh(storage),
    checkRuns: services.checkRuns,
    alarms: services.alarms,
    replacedIndex: store.database.replaced,
    ledger: ledger.open,
    localApi,
    requireProgramAccess: () => requireProgramAccess(config.policy ?? null),
    cachedRawFileFinder: (instrument) => cachedRawFileFinder(store.files, store.folder, instrument),
    async close() {
      stopWatching()
      addedFilesCheck.stop()
      scoring.stop()
      await oldFilesCheck.stop()
      await folderWatch.close()
      await downloading.stop()
      await caching.stop()
      await services.close()
      await validationPool.close()
      ledger.close()
      await network.close()
      store.close()
    },
  }
}

async function importInto(
  { store, clock, bus }: Storage,
  { commit }: ReturnType<typeof createValidationPool>,
  { startProcess }: Ports,
  ...[request, options]: Parameters<App['importComputed']>
): Promise<void> {
  const { importComputed } = await import('#core/engines/importComputed.ts')
  try {
    await importComputed({ store, commit, clock, startProcess }, request, options)
  } finally {
    bus.emit('cache.changed', {})
  }
}

/**
 * Creates the watch of the documents folder. Only one process at a time holds the lease on the folder; a started watch
 * takes the lease as soon as it is free.
 */
const createDocumentsWatch = ({ store, bus, log }: Storage, services: ReturnType<typeof createServices>) =>
  createFolderWatch({
    files: store.documentFiles,
    service: services.documents,
    bus,
    log,
    renewLease: () => renewLease({ lease: services.documentsLease, log, onTaken() {}, onLost() {} }),
    releaseLease() {
      if (services.documentsLease.isOurs()) services.documentsLease.release()
    },
  })

function reportFault({ log, crashes }: Storage, host: string, message: string, thrown: unknown): void {
  log.write('error', `${message}: ${thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)}`)
  const reason = 'a request failed because of an internal error'
  crashes.write({ process: host, reason, detail: stackOf(thrown) })
}

/** Takes the lease for refreshing; the lease of a process that crashed expires. */
function lockRefresh({ store: { database }, clock, log }: Storage): (() => void) | null {
  const lease = createLease({ database, clock, name: 'refresh', holder: randomUUID() })
  if (!lease.take()) return null
  return renewLease({ lease, log, onTaken() {}, onLost() {} }).stop
}

/**
 * Keeps the contents of the files that a ledger entry names, so that the entry can be recomputed after the files have
 * changed.
 */
function keepFilesOfEntry({ files, folder, kept }: Storage['store'], entryFiles: unknown): void {
  if (!Array.isArray(entryFiles)) return
  const hashes = (entryFiles as { sha256: string }[]).map(({ sha256 }) => sha256)
  const cached = files.withContent(hashes)
  kept.keep(
    cached.map(({ series, period, sha256, own }) => ({ path: own?.path ?? folder.pathOf(series, period), sha256 })),
  )
}

/** Checks the files of older versions in the background, once, from the first screen of a window on. */
function startOldFilesCheck({ log, redactor }: Storage, { cache }: Caching, firstScreen: Promise<void>) {
  const stopController = new AbortController()
  const onDamaged = (path: string, message: string) =>
    log.write('warn', `a cached file is damaged; “verify --deep” tells more: ${message.replace(path, basename(path))}`)
  let running: Promise<void> | null = null
  void firstScreen.then(() => {
    if (stopController.signal.aborted) return
    running = cache
      .checkOldFiles(onDamaged, stopController.signal)
      .catch((thrown: unknown) =>
        log.write('warn', `files were not checked: ${redactor.error(toAppError(thrown)).message}`),
      )
  })
  return {
    async stop(): Promise<void> {
      stopController.abort()
      await running
    },
  }
}

/** Checks the quality of new files in the background, from the first screen of a window on. */
const startAddedFilesCheck = (
  { store, bus, log }: Storage,
  service: OnDemand<QualityService>,
  firstScreen: Promise<void>,
) =>
  createAddedFilesCheck({
    store,
    service,
    onChecked(files, findings) {
      bus.emit('quality.checked', { files, findings })
      bus.emit('quality.changed', {})
    },
    onProblem: (message) => log.write('warn', `new files were not checked: ${message}`),
    windowShown: firstScreen,
  })

/** Opens the ledger on first use, because most runs of the program do not need it. */
function createLazyLedger(deps: LedgerDeps) {
  let opened: Ledger | null = null
  return {
    open: () => (opened ??= openLedger(deps)),
    /** Reopens the files at the next use, because another thread replaced them. */
    reopen() {
      opened?.close()
      opened = null
    },
    close: () => opened?.close(),
  }
}

/** Number of validation threads; at least two, because each spends half of its time waiting for the disk. */
const VALIDATION_THREADS = Math.max(2, Math.min(4, availableParallelism()))

/** Creates a client that calls the core directly, for a caller in this process. */
function createLocalClient(dispatch: Dispatch, { bus, log }: Pick<Storage, 'bus' | 'log'>, host: WindowHost): Client {
  return {
    call: <Name extends CallName, Kind extends string>(
      name: Name,
      input: CallInput<Name> & { kind?: Kind },
      { signal = new AbortController().signal, onProgress = () => {} }: CallOptions = {},
    ): Promise<CallOutput<Name, Kind>> =>
      asCaller(host, () => dispatch(name, input, { signal, progress: onProgress, host })).catch((thrown: unknown) => {
        logInternal(log, name, toAppError(thrown))
        throw thrown
      }) as Promise<CallOutput<Name, Kind>>,
    on: (wanted, listener) =>
      bus.subscribe((name, payload) => {
        if ((name as string) === wanted) listener(payload as never)
      }),
  }
}
