import { randomUUID } from 'node:crypto'
import { AppError, toAppError } from '#shared/contract/errors.ts'
import { createCache, type Cache } from '#core/cache/cache.ts'
import { createQuotaEnforcer } from '#core/cache/quotaEnforcer.ts'
import { reachMetrics } from '#core/discovery/discovery.ts'
import { createDownloads } from '#core/downloads/downloads.ts'
import { createQueueEvents } from '#core/downloads/queueEvents.ts'
import { ConnectionProblem } from '#core/downloads/retryPolicy.ts'
import { createDownloadQueue, type DownloadQueue } from '#core/downloads/scheduler.ts'
import type { ValidationPool } from '#core/downloads/validationPool.ts'
import type { Network } from '#core/network.ts'
import { createReceivedFiles } from '#core/receivedFiles.ts'
import { createSample } from '#core/sample/sample.ts'
import { createLease, LEASE_DURATION_MS } from '#core/store/lease.ts'
import type { Storage } from '#core/storage.ts'

/** Creates the download queue, which runs only in the process that holds its lease. */
export function createDownloading(
  { store, bus, clock, log, isOffline }: Storage,
  { http, connections, stores }: Network,
  pool: ValidationPool,
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
    stores,
    openService: (id) =>
      reachMetrics(http, connections, id, store.coverage, clock).catch((thrown: unknown) => {
        const { code, detail } = toAppError(thrown)
        throw new ConnectionProblem(code, detail, { cause: thrown })
      }),
    settings: () => {
      const { downloadConcurrency, downloadHostConcurrency, downloadRateCapMb: rateCapMb } = store.settings.read()
      return ownConcurrency === undefined
        ? { concurrency: downloadConcurrency, serverConcurrency: downloadHostConcurrency, rateCapMb }
        : { concurrency: ownConcurrency, serverConcurrency: null, rateCapMb }
    },
    isOffline,
    onChange: queueEvents.jobsChanged,
    onPause: queueEvents.connectionPaused,
    onProgress: queueEvents.progressed,
  })

  /** Holds the queue's lease during the work, so that no other process downloads. */
  async function withoutDownloads<Result>(work: () => Promise<Result>): Promise<Result> {
    await queue.stop()
    const lease = queueLease()
    const renewalTimer = setInterval(() => lease.take(), LEASE_DURATION_MS / 3)
    try {
      if (!lease.take())
        throw new AppError('busy', 'Another Perpscope is downloading; pause its queue or close it first.')
      return await work()
    } finally {
      clearInterval(renewalTimer)
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

export type Downloading = ReturnType<typeof createDownloading>

/** Creates the services that add files to the cache and remove them: imports, sample data and the size limit. */
export function createCaching(
  storage: Storage,
  network: Network,
  validationPool: ValidationPool,
  downloading: Downloading,
) {
  const { store, bus, clock, log, config } = storage
  const { queue, queueEvents, withoutDownloads } = downloading
  const onFilesChanged = () => bus.emit('cache.changed', {})
  const received = createReceivedFiles(bus)
  const cache: Cache = createCache({
    store,
    dataDir: config.dataDir,
    clock,
    validation: validationPool,
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
    onFilesChanged,
    sample: createSample({
      store,
      clock,
      connections: network.connections,
      cache,
      jobsEnded: (ids) => queue.jobsEnded(ids),
      onQueueChanged() {
        queue.refresh()
        queueEvents.jobsChanged()
      },
      onSettings: (settings) => bus.emit('settings.changed', settings),
    }),
    stop: quotaEnforcer.stop,
  }
}

export type Caching = ReturnType<typeof createCaching>
