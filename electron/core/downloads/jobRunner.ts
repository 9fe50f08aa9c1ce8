/** Runs a job from its start to its recorded end, and batches its writes to the index. */
import { AppError, toAppError } from '#shared/contract/errors.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import type { Clock, Logger } from '#core/ports.ts'
import type { RecordedFile } from '#core/store/fileTable.ts'
import type { EndedJob, Job } from '#core/store/jobTable.ts'
import type { JobStore } from '#core/store/jobStore.ts'
import type { Store } from '#core/store/store.ts'
import {
  consequenceOf,
  createStalledAttempts,
  ServicePausedError,
  type ConnectionPauses,
  type Refusals,
} from './retryPolicy.ts'
import { IN_MEMORY_BYTES, type RateMeter } from './transfer.ts'
import { runTransferJob, type JobResult, type TransferJobDeps } from './transferJob.ts'

export interface RunningJob {
  job: Job
  doneBytes: number
  totalBytes: number | null
}

/** A job that this process has started and whose end has not been recorded yet. */
interface ActiveTransfer extends RunningJob {
  /** Server of the connection's service when the transfer started. */
  server: string
  /** Number of connection changes that this process had seen when the transfer started. */
  connectionChanges: number
  controller: AbortController
  stage: 'on the network' | 'being stored' | 'being recorded'
  /** Sentence about a shared store that lacks a usable copy of the file; null if nothing is wrong. */
  storeProblem: string | null
}

/** Number of files that are downloaded but not stored yet, and their bytes in memory. */
interface StoringLoad {
  files: number
  bytes: number
}

/** The transfers of this process, by job id. */
export interface ActiveTransfers {
  readonly byId: ReadonlyMap<number, ActiveTransfer>
  add(transfer: ActiveTransfer): void
  remove(id: number): void
  list(): ActiveTransfer[]
  networkTransfers(): ActiveTransfer[]
  storingLoad(): StoringLoad
  /** Aborts the matching transfers, by default all. */
  abort(matches?: (transfer: ActiveTransfer) => boolean): void
}

export function createActiveTransfers(): ActiveTransfers {
  const byId = new Map<number, ActiveTransfer>()
  const list = () => [...byId.values()]
  return {
    byId,
    add: (transfer) => void byId.set(transfer.job.id, transfer),
    remove: (id) => void byId.delete(id),
    list,
    networkTransfers: () => list().filter(({ stage }) => stage === 'on the network'),
    storingLoad() {
      const storingTransfers = list().filter(({ stage }) => stage === 'being stored')
      const inMemoryTransfers = storingTransfers.filter(({ doneBytes }) => doneBytes <= IN_MEMORY_BYTES)
      return {
        files: storingTransfers.length,
        bytes: inMemoryTransfers.reduce((sum, { doneBytes }) => sum + doneBytes, 0),
      }
    },
    abort(matches = () => true) {
      for (const transfer of byId.values()) if (matches(transfer)) transfer.controller.abort()
    },
  }
}

interface JobRunnerDeps {
  active: ActiveTransfers
  jobs: JobStore
  transfer: TransferJobDeps
  nextJobs: { forget(): void }
  /** Returns the server of a connection's service. */
  servers: { serverOf(connectionId: string): string }
  pauses: ConnectionPauses
  refusals: Refusals
  batcher: WriteBatcher
  rate: RateMeter
  clock: Clock
  log: Logger
  random(): number
  /** Tells whether files of the connection may come from a shared store. */
  hasStore(connectionId: string): boolean
  onChange(): void
  onPause(): void
  onProgress(): void
  /** Called when a network slot is free, so that another job can start. */
  onSlotFree(): void
  onStoreError(thrown: unknown): void
}

/** Runs jobs, each from its start to its recorded end: transfer, result, and the consequences of a failure. */
interface JobRunner {
  run(job: Job): Promise<void>
  /**
   * Called when keys or addresses have changed: late failures of older transfers then no longer start a pause that only
   * the user can end.
   */
  connectionsChanged(): void
  /** Tells whether the transfer's connection was removed or now uses another service. */
  hasMoved(transfer: ActiveTransfer): boolean
}

export function createJobRunner(deps: JobRunnerDeps): JobRunner {
  const { active, servers, batcher } = deps
  const failureRecorder = createFailureRecorder(deps, () => connectionChanges)
  let connectionChanges = 0

  const hasMoved = ({ job, server }: ActiveTransfer) => servers.serverOf(job.series.connectionId) !== server

  async function run(job: Job): Promise<void> {
    const transfer: ActiveTransfer = {
      job,
      server: servers.serverOf(job.series.connectionId),
      connectionChanges,
      doneBytes: 0,
      totalBytes: null,
      controller: new AbortController(),
      stage: 'on the network',
      storeProblem: null,
    }
    active.add(transfer)
    batcher.markRunning(job.id)
    deps.onChange()
    try {
      const result = await download(transfer)
      transfer.stage = 'being recorded'
      recordSuccess(deps, job, result, () => failureRecorder.forget(job.id))
    } catch (thrown) {
      // A failure must not end the program, even if recording it fails too.
      try {
        failureRecorder.record(transfer, toAppError(thrown))
      } catch (recordingError) {
        active.remove(job.id)
        deps.onStoreError(recordingError)
      }
    }
    deps.onSlotFree()
    if (active.list().every(({ stage }) => stage === 'being recorded')) batcher.flush()
  }

  function download(transfer: ActiveTransfer): Promise<JobResult> {
    let countedBytes = 0
    return runTransferJob(deps.transfer, transfer.job, {
      signal: transfer.controller.signal,
      onBytes(doneBytes, totalBytes) {
        deps.rate.add(Math.max(0, doneBytes - countedBytes))
        countedBytes = doneBytes
        Object.assign(transfer, { doneBytes, totalBytes })
        deps.onProgress()
      },
      onReceived() {
        if (hasMoved(transfer)) throw new AppError('cancelled')
        transfer.stage = 'being stored'
        deps.onSlotFree()
      },
      onStoreProblem: (problem) => void (transfer.storeProblem = problem),
    })
  }

  return { run, hasMoved, connectionsChanged: () => void connectionChanges++ }
}

/** Tells whether a metric file has rows outside its period; readers leave those out. */
const hasRowsOutside = ({ file, facts }: NonNullable<JobResult['file']>): boolean =>
  file.series.kind === 'metrics' &&
  facts.firstTimeMs !== null &&
  facts.lastTimeMs !== null &&
  (facts.firstTimeMs < file.startDay * MS_PER_DAY || facts.lastTimeMs >= file.endDay * MS_PER_DAY)

function recordSuccess(deps: JobRunnerDeps, job: Job, result: JobResult, forgetFailures: () => void): void {
  const { active, batcher, clock, jobs, nextJobs, pauses } = deps
  const { id, series, refresh, priority } = job
  const { outcome, file, otherPeriods, store, storeProblem } = result
  if (storeProblem) deps.log.write('warn', storeProblem)
  if (file && hasRowsOutside(file))
    deps.log.write('warn', `${series.dataset} ${series.symbol} ${file.file.period} has rows outside its period`)
  // A copy from a store says nothing about the service.
  if (store === undefined) pauses.noteSuccess(series.connectionId)
  forgetFailures()
  if (otherPeriods.length > 0 && jobs.find(id)?.state !== 'cancelled') {
    nextJobs.forget()
    // The days of a downloaded month count as cached, so only a refresh downloads their own files.
    const requested = otherPeriods.map((period) => ({ series, period, refresh: refresh || file !== null }))
    for (const batchId of jobs.batchesOf(id)) jobs.add(batchId, requested, { priority, nowMs: clock.nowMs() })
  }
  batcher.markEnded({ id, state: 'done', outcome, error: null, file, store, storeProblem }, () => {
    active.remove(id)
    deps.onChange()
  })
}

/** Records failed attempts and applies their consequence: wait, fail, release the job, or pause its connection. */
function createFailureRecorder(deps: JobRunnerDeps, connectionChanges: () => number) {
  const { active, batcher, clock, log, nextJobs, pauses, refusals } = deps
  const stalledAttempts = createStalledAttempts()

  function remove(id: number): void {
    active.remove(id)
    deps.onChange()
  }

  /**
   * Pauses the connection (or all of them) and stops its other transfers, which would fail for the same reason, unless
   * they may copy from a shared store.
   */
  function pause(connectionId: string, error: AppError, delayMs: number | null): void {
    pauses.pause(connectionId, error, delayMs)
    deps.onPause()
    if (connectionId !== '' && deps.hasStore(connectionId)) return
    active.abort(({ job }) => connectionId === '' || job.series.connectionId === connectionId)
  }

  function record(transfer: ActiveTransfer, error: AppError): void {
    const { job, controller, storeProblem } = transfer
    const { id, series, period } = job
    transfer.stage = 'being recorded'
    nextJobs.forget()
    if (controller.signal.aborted) {
      // Either the job was paused or cancelled, which is recorded already, or this process is ending and another takes
      // over.
      batcher.release([id])
      return remove(id)
    }
    if (error instanceof ServicePausedError) {
      batcher.markWaiting(id, error.toShape(), error.untilMs, storeProblem)
      return remove(id)
    }
    const failures = stalledAttempts.noteFailure(id, transfer.doneBytes)
    const consequence = consequenceOf(error, failures, deps.random(), deps.hasStore(series.connectionId))
    log.write('info', `download of ${series.dataset} ${series.symbol} ${period}: ${consequence.kind}: ${error.message}`)
    if (consequence.kind === 'wait') {
      const untilMs = pauses.noteFailure(series.connectionId, error, consequence.delayMs)
      batcher.markWaiting(id, error.toShape(), untilMs, storeProblem)
      return remove(id)
    }
    if (consequence.kind === 'fail' || consequence.kind === 'refused') {
      if (consequence.kind === 'refused') refusals.record(job, error, clock.nowMs())
      stalledAttempts.forget(id)
      const ended = { id, state: 'failed' as const, outcome: null, error: error.toShape(), file: null, storeProblem }
      return batcher.markEnded(ended, () => remove(id))
    }
    batcher.release([id])
    active.remove(id)
    // A late response to the previous key must not start a pause without a time limit, which only the user can end.
    const isOutdated = transfer.connectionChanges !== connectionChanges()
    if (consequence.kind === 'pause connection' && !(isOutdated && consequence.delayMs === null))
      pause(series.connectionId, error, consequence.delayMs)
    if (consequence.kind === 'pause all') pause('', error, consequence.delayMs)
    deps.onChange()
  }

  return { record, forget: stalledAttempts.forget }
}

/** A finished job with the file that it stored. */
interface RecordedEnd extends EndedJob {
  file: RecordedFile | null
}

/**
 * Writes state changes of running jobs in batches, because one disk commit per change would take longer than the
 * downloads.
 */
export interface WriteBatcher {
  markRunning(id: number): void
  /** @param onStored called when the change is on disk */
  markEnded(job: RecordedEnd, onStored: () => void): void
  markWaiting(...waiting: Parameters<JobStore['markWaiting']>): void
  release(ids: readonly number[]): void
  flush(): void
  /** Tells whether the store has recorded that this job is running. */
  isWritten(id: number): boolean
}

/**
 * Number of changes after which a batch is written without delay, because writing more at once would block the main
 * thread too long.
 */
const MAX_BATCH = 256
const MAX_DELAY_MS = 100

/** @param onError called if the store cannot be written; the changes are kept for the next flush */
export function createWriteBatcher(store: Store, clock: Clock, onError: (thrown: unknown) => void): WriteBatcher {
  let runningIds: number[] = []
  let pendingEnds: { job: RecordedEnd; onStored: () => void }[] = []
  let timer: NodeJS.Timeout | null = null
  const unwrittenIds = new Set<number>()

  function flush(): void {
    if (timer) clearTimeout(timer)
    timer = null
    if (runningIds.length === 0 && pendingEnds.length === 0) return
    try {
      store.database.writes.inTransaction(() => {
        store.jobs.markRunning(runningIds)
        const storedFiles = pendingEnds.flatMap(({ job: { file } }) => file ?? [])
        store.files.record(storedFiles)
        store.parts.forget(storedFiles.map(({ file }) => file))
        store.jobs.markEnded(
          pendingEnds.map(({ job }) => (job.file ? { ...job, sizeBytes: job.file.file.sizeBytes } : job)),
          clock.nowMs(),
        )
      })
    } catch (thrown) {
      return onError(thrown)
    }
    const endedJobs = pendingEnds
    runningIds = []
    pendingEnds = []
    unwrittenIds.clear()
    for (const { onStored } of endedJobs) onStored()
  }

  function scheduleFlush(): void {
    if (timer && runningIds.length + pendingEnds.length === MAX_BATCH) {
      clearTimeout(timer)
      timer = setTimeout(flush)
    }
    timer ??= setTimeout(flush, MAX_DELAY_MS)
  }

  return {
    flush,
    isWritten: (id) => !unwrittenIds.has(id),
    markRunning(id) {
      runningIds.push(id)
      unwrittenIds.add(id)
      scheduleFlush()
    },
    markEnded(job, onStored) {
      pendingEnds.push({ job, onStored })
      scheduleFlush()
    },
    markWaiting(...waiting) {
      flush()
      store.jobs.markWaiting(...waiting)
    },
    release(ids) {
      flush()
      store.jobs.release(ids)
    },
  }
}
