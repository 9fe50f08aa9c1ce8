import type { DownloadHold, DownloadProgress } from '#shared/contract/areas/downloads.ts'
import type { EventPayload } from '#shared/contract/events.ts'
import type { Hold } from '#core/store/holdStore.ts'
import type { JobCounts } from '#core/store/jobStore.ts'
import type { Store } from '#core/store/store.ts'
import type { DownloadQueue } from './queue.ts'
import { createRateMeter } from './rateMeter.ts'

type NewsName = 'downloads.changed' | 'downloads.progressed' | 'downloads.finished' | 'downloads.held'
export type TellNews = <Name extends NewsName>(name: Name, payload: EventPayload<Name>) => void

/** What the windows hear of the queue, never more than ten times a second. */
export interface News {
  changed(): void
  progressed(): void
  /** At once: what the person must do something about is not lost between two looks. */
  held(): void
  progress(): DownloadProgress
  stop(): void
}

export interface NewsDeps {
  store: Store
  queue(): DownloadQueue
  tell: TellNews
}

const EVERY_MS = 100

export function createNews({ store, queue, tell }: NewsDeps): News {
  let timer: NodeJS.Timeout | null = null
  let isChanged = false
  let isStopped = false
  /** What had ended when there was nothing left to do the last time. */
  let told = store.jobs.counts().ever
  const toldHolds = new Set<string>()
  const elsewhere = createWatchedRate()

  function progressAt(counts: JobCounts): DownloadProgress {
    const { doneBytes } = counts
    const here = queue().isRunningHere()
    const running = here
      ? queue().running()
      : store.jobs.list({ states: ['running'] }, 0, 64).jobs.map((job) => ({ job, ...job }))
    if (!here) elsewhere.note(doneBytes + running.reduce((sum, each) => sum + each.doneBytes, 0))
    const bytesPerSecond = here ? queue().bytesPerSecond() : elsewhere.perSecond()
    return {
      counts: counts.now,
      bytesPerSecond,
      secondsLeft: secondsLeft(counts, bytesPerSecond),
      running: running.map(({ job, doneBytes: done, totalBytes: total }) => ({
        id: job.id,
        doneBytes: done,
        totalBytes: total,
      })),
      holds: [...queue().unstoredHolds(), ...store.holds.list()].map(holdOf),
      here,
    }
  }

  function speak(): void {
    timer = null
    const counts = store.jobs.counts()
    const now = progressAt(counts)
    if (isChanged) tell('downloads.changed', {})
    isChanged = false
    tell('downloads.progressed', now)
    tellHolds(now.holds)
    tellFinished(counts)
  }

  function tellHolds(holds: readonly DownloadHold[]): void {
    const lasting = holds.filter(({ until }) => until === null)
    for (const key of toldHolds) if (!lasting.some((hold) => keyOf(hold) === key)) toldHolds.delete(key)
    for (const hold of lasting) {
      if (toldHolds.has(keyOf(hold))) continue
      toldHolds.add(keyOf(hold))
      tell('downloads.held', { connectionId: hold.connectionId, code: hold.code, message: hold.sentence })
    }
  }

  function tellFinished({ now, ever }: JobCounts): void {
    if (now.queued + now.running + now.waiting > 0) return
    const done = ever.done - told.done
    const failed = ever.failed - told.failed
    told = ever
    if (done + failed > 0) tell('downloads.finished', { done, failed })
  }

  const later = () => {
    if (isStopped) return
    timer ??= setTimeout(speak, EVERY_MS).unref()
  }

  return {
    changed() {
      isChanged = true
      later()
    },
    progressed: later,
    held: () => tellHolds(store.holds.list().map(holdOf)),
    progress: () => progressAt(store.jobs.counts()),
    stop() {
      isStopped = true
      if (timer) clearTimeout(timer)
      timer = null
    },
  }
}

/** The rate of another process, by what its jobs have altogether each time one looks. */
function createWatchedRate() {
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

const keyOf = ({ connectionId, code }: DownloadHold) => `${connectionId}\n${code}`

const holdOf = ({ connectionId, error, untilMs }: Hold): DownloadHold => ({
  connectionId,
  code: error.code,
  sentence: error.sentence,
  remedy: error.remedy,
  detail: error.detail,
  service: error.service,
  until: untilMs,
})

/** By the bytes that files had so far, for those whose size is not known yet. */
function secondsLeft({ now, doneBytes }: JobCounts, bytesPerSecond: number): number | null {
  const left = now.queued + now.running + now.waiting
  if (left === 0 || bytesPerSecond === 0) return left === 0 ? 0 : null
  if (now.done === 0) return null
  return Math.round((left * (doneBytes / now.done)) / bytesPerSecond)
}
