/** Decides which jobs of the download queue run now, and stops, resumes and records them. */
import { toAppError } from '#shared/contract/errors.ts'
import type { HttpClient } from '#core/clients/http.ts'
import type { MetricsService } from '#core/clients/metricsService.ts'
import type { Clock, Logger } from '#core/ports.ts'
import type { Job } from '#core/store/jobTable.ts'
import type { JobStore } from '#core/store/jobStore.ts'
import { type Lease, renewLease, type LeaseRenewal } from '#core/store/lease.ts'
import type { ConnectionStore } from '#core/store/connectionStore.ts'
import type { ConnectionPause } from '#core/store/pauseStore.ts'
import type { SharedStores } from '#core/sharedStore/sharedStores.ts'
import type { Store } from '#core/store/store.ts'
import {
  createActiveTransfers,
  createJobRunner,
  createWriteBatcher,
  type ActiveTransfers,
  type RunningJob,
  type WriteBatcher,
} from './jobRunner.ts'
import { createConnectionPauses, createRefusals, type ConnectionPauses, type Refusals } from './retryPolicy.ts'
import { createSignedUrls, type SignedUrls } from './signedUrls.ts'
import { createRateLimit, createRateMeter } from './transfer.ts'
import { createOrphanFiles } from './transferJob.ts'
import type { ValidationPool } from './validationPool.ts'

export interface QueueSettings {
  /** Maximum number of transfers at a time. */
  concurrency: number
  /** Maximum number of transfers at a time from one server; null for no separate limit. */
  serverConcurrency: number | null
  /** Rate limit in megabytes per second; null for none. */
  rateCapMb: number | null
}

interface QueueDeps {
  store: Store
  http: HttpClient
  clock: Clock
  log: Logger
  lease: Lease
  pool: ValidationPool
  stores: SharedStores
  openService(connectionId: string): Promise<MetricsService>
  settings(): QueueSettings
  isOffline(): boolean
  /** Called when the list of downloads has changed. */
  onChange(): void
  /** Called when a connection has been paused. */
  onPause(): void
  /** Called when bytes have been received. */
  onProgress(): void
  random?: () => number
}

/** Runs the jobs of the store in the process that holds the lease; the queue of any other process stands by. */
export interface DownloadQueue {
  start(): void
  /** Stops the running transfers, keeps the bytes received so far, and queues the jobs again. */
  stop(): Promise<void>
  /** Rereads jobs, settings and pauses, which this or another process may have changed. */
  refresh(): void
  /** Ends the pause of a connection, whose cause may be gone; an empty id ends the pause of the whole queue. */
  resumeConnection(connectionId: string): void
  /** Called when keys or addresses have changed: resumes every paused connection. */
  connectionsChanged(): void
  /**
   * Resolves when no transfer of this connection is active any more, at the latest after `STOP_WITHIN_MS`. The caller
   * must have cancelled the jobs of the connection before.
   */
  transfersEnded(connectionId: string): Promise<void>
  /** Resolves when none of these cancelled jobs is transferred any more, as `transfersEnded` does. */
  jobsEnded(ids: readonly number[]): Promise<void>
  isRunningHere(): boolean
  /** Tells whether a file of this connection has been downloaded but is not in the index yet. */
  isStoring(connectionId: string): boolean
  running(): RunningJob[]
  /** Returns the pauses that could not be written to the store. */
  unstoredPauses(): ConnectionPause[]
  bytesPerSecond(): number
}

const BEAT_MS = 1000
/** Time limit of `stop`, because an unwritable store must not keep the program from exiting. */
const STOP_WITHIN_MS = 4000
const REMOVE_PARTS_AFTER_MS = 7 * 86_400_000
const HISTORY_MS = 90 * 86_400_000
const HISTORY_JOBS = 1000
/** Number of periods requested in one listing. */
const PERIODS_PER_LISTING = 32

interface QueueCallbacks {
  startJobs(): void
  onStoreError(thrown: unknown): void
}

/** Period after every other. */
const LAST_PERIOD = '9999-12-31'

/** Creates the components of the queue and connects them. */
function createQueueComponents(deps: QueueDeps, { startJobs, onStoreError }: QueueCallbacks) {
  const { store, clock, log } = deps
  const { files, folder, jobs, kept, parts, unavailable } = store
  const active = createActiveTransfers()
  const servers = createServers(store.connections)
  const pauses = createConnectionPauses(store.pauses, clock)
  const refusals = createRefusals(unavailable)
  const orphanFiles = createOrphanFiles(folder)
  const rateMeter = createRateMeter(() => performance.now())
  const batcher = createWriteBatcher(store, clock, onStoreError)
  const nextJobs = createNextJobs({ jobs, nowMs: clock.nowMs, isOffline: deps.isOffline, startedJobs: active.byId })
  const urls = createSignedUrls({
    clock,
    openService: deps.openService,
    serverOf: servers.serverOf,
    nextPeriods: (series, from) => jobs.activePeriods(series, from, PERIODS_PER_LISTING),
    lastPeriod: (series) => jobs.activePeriods(series, LAST_PERIOD, 1).at(0),
  })
  const throttle = createRateLimit(() => deps.settings().rateCapMb, clock.nowMs)
  const { http, pool, onChange, onPause, onProgress, random = Math.random } = deps
  const { stores } = deps
  const hasStore = (connectionId: string) => stores.storeOf(connectionId) !== null
  const transfer = {
    ...{ http, pool, clock, urls, refusals, orphanFiles, files, kept, unavailable, folder, parts, throttle },
    ...{ stores, pauses },
  }
  const runner = createJobRunner({
    ...{ active, jobs, transfer, nextJobs, servers, pauses, refusals, batcher, rate: rateMeter, clock, log, random },
    ...{ hasStore, onChange, onPause, onProgress, onSlotFree: startJobs, onStoreError },
  })
  const starter = createJobStarter({
    ...{ active, jobs, nextJobs, servers, pauses, refusals, urls, clock, hasStore, settings: deps.settings },
    run: (job) => void runner.run(job),
    onWake: startJobs,
  })
  return { active, servers, pauses, refusals, orphanFiles, rate: rateMeter, batcher, nextJobs, runner, starter }
}

export function createDownloadQueue(deps: QueueDeps): DownloadQueue {
  const { store, clock, log } = deps
  const { jobs } = store
  const components = createQueueComponents(deps, { startJobs, onStoreError: pauseForStoreError })
  const { active, pauses, batcher, nextJobs, runner, starter, rate } = components
  let isWorking = false

  function startJobs(): void {
    if (!isWorking) return
    if (deps.isOffline()) active.abort(({ job }) => !job.storeOnly)
    withStore(starter.start)
  }

  function withStore(work: () => void): void {
    try {
      work()
    } catch (thrown) {
      pauseForStoreError(thrown)
    }
  }

  function pauseForStoreError(thrown: unknown): void {
    const error = toAppError(thrown)
    log.write('error', `the queue cannot write to its store: ${error.message} ${String(error.cause ?? '')}`)
    pauses.pauseWithoutStore(error)
    deps.onChange()
  }

  function refresh(): void {
    if (!isWorking) return
    nextJobs.forget()
    components.servers.forget()
    components.refusals.forget()
    withStore(() => {
      pauses.dropEndedElsewhere()
      active.abort(runner.hasMoved)
      abortStopped(active, jobs, batcher)
    })
    startJobs()
  }

  function begin(): void {
    withStore(() => {
      jobs.requeueRunning()
      store.pauses.clearAll()
      store.parts.sweep(clock.nowMs() - REMOVE_PARTS_AFTER_MS)
      jobs.trimHistory(clock.nowMs() - HISTORY_MS, HISTORY_JOBS)
    })
    components.orphanFiles.forget()
    isWorking = true
    startJobs()
    deps.onChange()
  }

  function halt(): void {
    isWorking = false
    active.abort()
  }

  function beat(): void {
    if (!isWorking) return
    withStore(() => {
      batcher.flush()
      const networkTransfers = active.networkTransfers().filter(({ job }) => batcher.isWritten(job.id))
      jobs.markProgress(
        networkTransfers.map(({ job: { id }, doneBytes, totalBytes }) => ({ id, doneBytes, totalBytes })),
      )
    })
    refresh()
    if (active.byId.size > 0) deps.onProgress()
  }

  async function cancelledEnded(isAwaited: (job: Job) => boolean): Promise<void> {
    batcher.flush()
    refresh()
    await untilEnded(active, batcher, isAwaited)
  }

  const leasedBeat = createLeasedBeat({ lease: deps.lease, log, onTaken: begin, onLost: halt, beat })
  return {
    start: leasedBeat.start,
    async stop() {
      halt()
      leasedBeat.stopBeat()
      starter.stop()
      await untilEnded(active, batcher, () => true)
      leasedBeat.release()
    },
    refresh,
    resumeConnection(connectionId) {
      pauses.resume(connectionId)
      // Files that the store lacks wait for the end of the pause.
      if (connectionId !== '' && deps.stores.storeOf(connectionId))
        jobs.resume(jobs.ids({ connectionId, states: ['waiting'] }, 0, Number.MAX_SAFE_INTEGER))
      refresh()
    },
    connectionsChanged() {
      runner.connectionsChanged()
      for (const { connectionId } of store.pauses.list()) pauses.resume(connectionId)
      refresh()
    },
    transfersEnded: (connectionId) => cancelledEnded(({ series }) => series.connectionId === connectionId),
    jobsEnded: (ids) => cancelledEnded(({ id }) => ids.includes(id)),
    isRunningHere: () => isWorking,
    isStoring: (connectionId) =>
      active.list().some(({ job, stage }) => stage !== 'on the network' && job.series.connectionId === connectionId),
    running: () => active.list().map(({ job, doneBytes, totalBytes }) => ({ job, doneBytes, totalBytes })),
    unstoredPauses: pauses.unstoredPauses,
    bytesPerSecond: rate.perSecond,
  }
}

interface LeasedBeatDeps {
  lease: Lease
  log: Logger
  onTaken(): void
  onLost(): void
  beat(): void
}

/** Holds the queue's lease from `start` to `release`, and calls `beat` once a second until `stopBeat`. */
function createLeasedBeat({ beat, ...deps }: LeasedBeatDeps) {
  let renewal: LeaseRenewal | null = null
  let timer: NodeJS.Timeout | null = null
  return {
    start() {
      renewal ??= renewLease(deps)
      timer ??= setInterval(beat, BEAT_MS).unref()
    },
    stopBeat() {
      if (timer) clearInterval(timer)
      timer = null
    },
    release() {
      renewal?.stop()
      renewal = null
    },
  }
}

/** Aborts the transfers of jobs that were paused or cancelled by any process. */
function abortStopped(active: ActiveTransfers, jobs: JobStore, batcher: WriteBatcher): void {
  const ids = [...active.byId.keys()].filter(batcher.isWritten)
  const stillRunning = jobs.stillRunning(ids)
  const stoppedIds = new Set(ids.filter((id) => !stillRunning.has(id)))
  active.abort(({ job }) => stoppedIds.has(job.id))
}

/** Waits until the ends of these transfers are in the store, at most `STOP_WITHIN_MS`. */
async function untilEnded(active: ActiveTransfers, batcher: WriteBatcher, isAwaited: (job: Job) => boolean) {
  const deadlineMs = performance.now() + STOP_WITHIN_MS
  batcher.flush()
  while (active.list().some(({ job }) => isAwaited(job)) && performance.now() < deadlineMs) {
    await new Promise((resume) => setTimeout(resume, 5))
    batcher.flush()
  }
}

interface JobStarterDeps {
  active: ActiveTransfers
  jobs: JobStore
  nextJobs: NextJobs
  servers: Servers
  pauses: ConnectionPauses
  refusals: Refusals
  urls: SignedUrls
  clock: Clock
  settings(): QueueSettings
  hasStore(connectionId: string): boolean
  run(job: Job): void
  /** Called when a waiting job becomes due. */
  onWake(): void
}

/** Limits on files that are downloaded but not stored yet; more of them would only fill the memory. */
const MAX_STORING_FILES = 256
const MAX_STORING_BYTES = 96 * 1024 * 1024

/** Starts as many queued jobs as the limits on concurrency, servers, pauses and memory allow. */
function createJobStarter(deps: JobStarterDeps) {
  const { active, clock, servers, jobs, nextJobs, pauses, refusals, urls } = deps
  let wakeTimer: NodeJS.Timeout | null = null
  /** Number of the latest start by server and by connection, of all starts so far. */
  const lastStarts = { ofServer: new Map<string, number>(), ofConnection: new Map<string, number>() }
  let startCount = 0

  /** Returns the order in which connections take turns: by server, then by connection, the least served first. */
  const turnOf = (counts: ConcurrencyCounts, connectionId: string): Turn => [
    counts.countOfServer(connectionId),
    lastStarts.ofServer.get(servers.serverOf(connectionId)) ?? 0,
    counts.countOfConnection(connectionId),
    lastStarts.ofConnection.get(connectionId) ?? 0,
  ]

  function noteTurn(connectionId: string): void {
    startCount++
    lastStarts.ofServer.set(servers.serverOf(connectionId), startCount)
    lastStarts.ofConnection.set(connectionId, startCount)
  }

  function start(): void {
    if (pauses.isPaused('')) return
    const { concurrency, serverConcurrency } = deps.settings()
    const networkTransfers = active.networkTransfers()
    const storingLoad = active.storingLoad()
    if (storingLoad.bytes >= MAX_STORING_BYTES) return
    const counts = createConcurrencyCounts(networkTransfers, servers)
    // A pause of the service leaves its connection the files of a shared store.
    const hasOnlyStore = (connectionId: string) =>
      pauses.shortPause(connectionId) !== null && deps.hasStore(connectionId)
    const mayStart = (connectionId: string) =>
      (hasOnlyStore(connectionId) ||
        (!pauses.isPaused(connectionId) &&
          // After several failures in a row, a connection is tried with one job before the others follow.
          !(pauses.isSuspect(connectionId) && counts.countOfConnection(connectionId) > 0))) &&
      counts.countOfServer(connectionId) < (serverConcurrency ?? Infinity)
    let room = Math.min(concurrency - networkTransfers.length, MAX_STORING_FILES - storingLoad.files)
    for (; room > 0; room--) {
      const job = nextJobs.take(mayStart, (connectionId) => turnOf(counts, connectionId))
      if (!job) return scheduleWake()
      counts.add(job)
      noteTurn(job.series.connectionId)
      deps.run(job)
      prefetchUrls(job.series.connectionId, concurrency)
    }
  }

  function prefetchUrls(connectionId: string, count: number): void {
    // If a connection has a shared store, its service is asked only for the files that the store lacks.
    if (pauses.isSuspect(connectionId) || deps.hasStore(connectionId)) return
    urls.prefetch(nextJobs.following(connectionId, count).filter(({ series }) => !refusals.find(series)))
  }

  function scheduleWake(): void {
    const dueAtMs = jobs.nextWakeMs()
    if (dueAtMs === null || wakeTimer) return
    const delayMs = dueAtMs - clock.nowMs()
    if (delayMs < 0 || delayMs > BEAT_MS) return
    wakeTimer = setTimeout(() => {
      wakeTimer = null
      nextJobs.forget()
      deps.onWake()
    }, delayMs + 1)
  }

  return {
    start,
    stop() {
      if (wakeTimer) clearTimeout(wakeTimer)
      wakeTimer = null
    },
  }
}

/** Numbers of running transfers, by connection and by server. */
interface ConcurrencyCounts {
  add(job: Job): void
  countOfConnection(connectionId: string): number
  /** Counts the transfers of all connections that share this connection's server. */
  countOfServer(connectionId: string): number
}

function createConcurrencyCounts(running: readonly { job: Job }[], servers: Servers): ConcurrencyCounts {
  const byConnection = new Map<string, number>()
  const byServer = new Map<string, number>()
  const increment = (counts: Map<string, number>, name: string) => counts.set(name, (counts.get(name) ?? 0) + 1)
  const add = ({ series: { connectionId } }: Job) => {
    increment(byConnection, connectionId)
    increment(byServer, servers.serverOf(connectionId))
  }
  for (const { job } of running) add(job)
  return {
    add,
    countOfConnection: (connectionId) => byConnection.get(connectionId) ?? 0,
    countOfServer: (connectionId) => byServer.get(servers.serverOf(connectionId)) ?? 0,
  }
}

/**
 * Servers of the connections' services, by name and port. The files of a service may be on another server, but then all
 * of them are on that one.
 */
interface Servers {
  serverOf(connectionId: string): string
  /** Forgets the servers; called when the addresses of connections may have changed. */
  forget(): void
}

function createServers(connections: ConnectionStore): Servers {
  const serverByConnection = new Map<string, string>()
  return {
    serverOf(connectionId) {
      let server = serverByConnection.get(connectionId)
      if (server === undefined) serverByConnection.set(connectionId, (server = findServer(connections, connectionId)))
      return server
    },
    forget: () => serverByConnection.clear(),
  }
}

/** Returns the server of the connection's address; a connection without a valid address counts as its own server. */
function findServer(connections: ConnectionStore, connectionId: string): string {
  const found = connections.list().find(({ id }) => id === connectionId)
  return found && URL.canParse(found.metricsUrl) ? new URL(found.metricsUrl).host : connectionId
}

/** Numbers by which connections take turns; the first ones count most, and the lowest goes first. */
type Turn = readonly number[]

/** The next runnable jobs, read in batches because one query per job would take longer than downloading its file. */
interface NextJobs {
  /**
   * Removes and returns the next job: of the highest priority, then of the connection whose turn comes first, then in
   * queue order; null if no connection may start one.
   */
  take(mayStart: (connectionId: string) => boolean, turnOf: (connectionId: string) => Turn): Job | null
  /** Returns up to `count` jobs that a connection would start next, of those read so far. */
  following(connectionId: string, count: number): Job[]
  /** Discards the jobs read so far, because the store has changed. */
  forget(): void
}

interface NextJobsDeps {
  jobs: JobStore
  nowMs(): number
  /** True if only jobs that copy from a shared store may run. */
  isOffline(): boolean
  /** Jobs that have been started but may not be recorded as running yet. */
  startedJobs: ReadonlyMap<number, unknown>
}

/** The next jobs of one connection. */
interface ConnectionJobs {
  jobs: Job[]
  /** True if the store has no further jobs. */
  isComplete: boolean
}

const JOBS_PER_QUERY = 64

function createNextJobs({ jobs, nowMs, isOffline, startedJobs }: NextJobsDeps): NextJobs {
  let byConnection: Map<string, ConnectionJobs> | null = null

  function read(connectionId: string): ConnectionJobs {
    const limit = JOBS_PER_QUERY + startedJobs.size
    const found = jobs.nextRunnable(connectionId, nowMs(), limit, isOffline())
    return { jobs: found.filter(({ id }) => !startedJobs.has(id)), isComplete: found.length < limit }
  }

  function firstOf(connectionId: string, next: ConnectionJobs): Job | undefined {
    if (next.jobs.length === 0 && !next.isComplete) Object.assign(next, read(connectionId))
    return next.jobs[0]
  }

  return {
    take(mayStart, turnOf) {
      byConnection ??= new Map(jobs.runnableConnections().map((id) => [id, { jobs: [], isComplete: false }]))
      let best: { next: ConnectionJobs; rank: readonly number[] } | null = null
      for (const [connectionId, next] of byConnection) {
        if (!mayStart(connectionId)) continue
        const job = firstOf(connectionId, next)
        if (!job) continue
        const rank = [-job.priority, ...turnOf(connectionId), job.position, job.id]
        if (!best || isBefore(rank, best.rank)) best = { next, rank }
      }
      return best?.next.jobs.shift() ?? null
    },
    following: (connectionId, count) => byConnection?.get(connectionId)?.jobs.slice(0, count) ?? [],
    forget() {
      byConnection = null
    },
  }
}

/** Tells whether a list of numbers comes before another one of the same length. */
function isBefore(a: readonly number[], b: readonly number[]): boolean {
  const differing = a.findIndex((value, index) => value !== b[index])
  return differing >= 0 && a[differing] < b[differing]
}
