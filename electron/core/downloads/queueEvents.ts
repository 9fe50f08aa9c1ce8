import type { DownloadPause, DownloadProgress } from '#shared/contract/areas/downloads.ts'
import type { EventPayload } from '#shared/contract/events.ts'
import type { ConnectionPause } from '#core/store/pauseStore.ts'
import type { JobCounts } from '#core/store/jobStore.ts'
import type { Store } from '#core/store/store.ts'
import { createRateMeter } from './transfer.ts'
import type { DownloadQueue } from './scheduler.ts'

type QueueEventName = 'downloads.changed' | 'downloads.progressed' | 'downloads.finished' | 'downloads.held'
type EmitQueueEvent = <Name extends QueueEventName>(name: Name, payload: EventPayload<Name>) => void

/** Emits the queue's events to the windows, at most ten times a second. */
export interface QueueEvents {
  jobsChanged(): void
  progressed(): void
  /**
   * Emits the new pauses that only the user can end. This does not wait for the next batch of events, because the user
   * might end a pause before then.
   */
  connectionPaused(): void
  progress(): DownloadProgress
  stop(): void
}

interface QueueEventsDeps {
  store: Store
  queue(): DownloadQueue
  emit: EmitQueueEvent
}

const EMIT_EVERY_MS = 100

export function createQueueEvents({ store, queue, emit }: QueueEventsDeps): QueueEvents {
  let timer: NodeJS.Timeout | null = null
  let isChanged = false
  let isStopped = false
  /** Totals when the queue was last empty. */
  let reportedTotals = store.jobs.counts().ever
  const sizeMeter = createSizeMeter(store.jobs.counts())
  const reportedPauses = new Set<string>()
  const observedRate = createObservedRate()

  function progressAt(counts: JobCounts): DownloadProgress {
    const { doneBytes } = counts
    const isRunningHere = queue().isRunningHere()
    const runningJobs = isRunningHere
      ? queue().running()
      : store.jobs.list({ states: ['running'] }, 0, 64).jobs.map((job) => ({ job, ...job }))
    if (!isRunningHere) observedRate.note(doneBytes + runningJobs.reduce((sum, each) => sum + each.doneBytes, 0))
    const bytesPerSecond = isRunningHere ? queue().bytesPerSecond() : observedRate.perSecond()
    return {
      counts: counts.now,
      bytesPerSecond,
      secondsLeft: secondsLeft(counts.now, sizeMeter.finishedSince(counts), bytesPerSecond),
      running: runningJobs.map(({ job, doneBytes: done, totalBytes: total }) => ({
        id: job.id,
        doneBytes: done,
        totalBytes: total,
      })),
      holds: [...queue().unstoredPauses(), ...store.pauses.list()].map(pauseOf),
      here: isRunningHere,
    }
  }

  function emitNow(): void {
    timer = null
    const counts = store.jobs.counts()
    const progress = progressAt(counts)
    if (isChanged) emit('downloads.changed', {})
    isChanged = false
    emit('downloads.progressed', progress)
    emitPauses(progress.holds)
    emitFinished(counts)
  }

  function emitPauses(pauses: readonly DownloadPause[]): void {
    const lastingPauses = pauses.filter(({ until }) => until === null)
    for (const key of reportedPauses)
      if (!lastingPauses.some((pause) => keyOf(pause) === key)) reportedPauses.delete(key)
    for (const pause of lastingPauses) {
      if (reportedPauses.has(keyOf(pause))) continue
      reportedPauses.add(keyOf(pause))
      emit('downloads.held', { connectionId: pause.connectionId, code: pause.code, message: pause.sentence })
    }
  }

  function emitFinished({ now, ever }: JobCounts): void {
    if (now.queued + now.running + now.waiting > 0) return
    const done = ever.done - reportedTotals.done
    const failed = ever.failed - reportedTotals.failed
    reportedTotals = ever
    if (done + failed > 0) emit('downloads.finished', { done, failed })
  }

  const schedule = () => {
    if (isStopped) return
    timer ??= setTimeout(emitNow, EMIT_EVERY_MS).unref()
  }

  return {
    jobsChanged() {
      isChanged = true
      schedule()
    },
    progressed: schedule,
    connectionPaused: () => emitPauses(store.pauses.list().map(pauseOf)),
    progress: () => progressAt(store.jobs.counts()),
    stop() {
      isStopped = true
      if (timer) clearTimeout(timer)
      timer = null
    },
  }
}

/** Measures the download rate of another process from the total bytes of its jobs at each observation. */
function createObservedRate() {
  const meter = createRateMeter(() => performance.now())
  let lastBytes: number | null = null
  return {
    perSecond: meter.perSecond,
    note(bytes: number) {
      meter.add(lastBytes === null ? 0 : bytes - lastBytes)
      lastBytes = bytes
    },
  }
}

const keyOf = ({ connectionId, code }: DownloadPause) => `${connectionId}\n${code}`

const pauseOf = ({ connectionId, error, untilMs }: ConnectionPause): DownloadPause => ({
  connectionId,
  code: error.code,
  sentence: error.sentence,
  remedy: error.remedy,
  detail: error.detail,
  service: error.service,
  until: untilMs,
})

/** Number of finished files, and the sum of their bytes. */
type FinishedTotals = Record<'files' | 'bytes', number>

/**
 * Counts the files that finished since the queue was last empty, because files finished earlier may belong to other
 * datasets and intervals, and so differ in size. The count starts again when the history is cleared.
 */
export function createSizeMeter(start: JobCounts) {
  let countsAtStart = start
  let countsBefore = start
  return {
    finishedSince(counts: JobCounts): FinishedTotals {
      if (filesLeft(countsBefore.now) === 0) countsAtStart = countsBefore
      if (counts.doneBytes < countsBefore.doneBytes) countsAtStart = counts
      countsBefore = counts
      return { files: counts.ever.done - countsAtStart.ever.done, bytes: counts.doneBytes - countsAtStart.doneBytes }
    },
  }
}

const filesLeft = ({ queued, running, waiting }: JobCounts['now']) => queued + running + waiting

/** Number of finished files after which their mean size is a fair estimate for the remaining ones. */
const ENOUGH_DONE = 10

/**
 * Estimates the remaining time from the mean size of the finished files; 0 if no files remain. Null while nothing is
 * being received, and until ten files, or as many as remain, are finished.
 */
export function secondsLeft(counts: JobCounts['now'], finished: FinishedTotals, bytesPerSecond: number): number | null {
  const remaining = filesLeft(counts)
  if (remaining === 0 || bytesPerSecond === 0) return remaining === 0 ? 0 : null
  if (finished.files < Math.min(ENOUGH_DONE, remaining)) return null
  return Math.round((remaining * (finished.bytes / finished.files)) / bytesPerSecond)
}
