import type { DownloadHold, DownloadProgress } from '#shared/contract/areas/downloads.ts'
import type { EventPayload } from '#shared/contract/events.ts'
import type { Hold } from '#core/store/holdStore.ts'
import type { JobCounts } from '#core/store/jobStore.ts'
import type { Store } from '#core/store/store.ts'
import type { DownloadQueue } from './queue.ts'

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

export interface NewsParts {
  store: Store
  queue(): DownloadQueue
  tell: TellNews
}

const EVERY_MS = 100
/** Counting a long history takes a moment: counts are this old at least, and twenty times as old as counting took. */
const COUNTS_FRESH_MS = 1000
const COUNTING_SHARE = 20

export function createNews({ store, queue, tell }: NewsParts): News {
  let timer: NodeJS.Timeout | null = null
  let isChanged = false
  let counts: JobCounts | null = null
  let countAgainAtMs = 0
  let before: JobCounts | null = null
  const toldHolds = new Set<string>()

  function count(): JobCounts {
    const startedMs = performance.now()
    if (counts && startedMs < countAgainAtMs) return counts
    counts = store.jobs.counts()
    const endedMs = performance.now()
    countAgainAtMs = endedMs + Math.max(COUNTS_FRESH_MS, (endedMs - startedMs) * COUNTING_SHARE)
    return counts
  }

  function progress(): DownloadProgress {
    const { doneBytes, totalBytes, ...now } = count()
    const here = queue().isRunningHere()
    const running = here
      ? queue().running()
      : store.jobs.page({ states: ['running'] }, 0, 64).map((job) => ({ job, ...job }))
    const bytesPerSecond = queue().bytesPerSecond()
    return {
      counts: now,
      bytesPerSecond,
      secondsLeft: secondsLeft({ doneBytes, totalBytes, ...now }, bytesPerSecond),
      running: running.map(({ job, doneBytes: done, totalBytes: total }) => ({
        id: job.id,
        doneBytes: done,
        totalBytes: total,
      })),
      holds: store.holds.list().map(holdOf),
      here,
    }
  }

  function speak(): void {
    timer = null
    const now = progress()
    if (isChanged) tell('downloads.changed', {})
    isChanged = false
    tell('downloads.progressed', now)
    tellHolds(now.holds)
    tellFinished()
  }

  function tellHolds(holds: readonly DownloadHold[]): void {
    const lasting = holds.filter(({ until }) => until === null)
    for (const key of toldHolds) if (!lasting.some((hold) => keyOf(hold) === key)) toldHolds.delete(key)
    for (const hold of lasting) {
      if (toldHolds.has(keyOf(hold))) continue
      toldHolds.add(keyOf(hold))
      tell('downloads.held', { connectionId: hold.connectionId, code: hold.code, words: hold.sentence })
    }
  }

  /** Compared with the last time when nothing was left to do. */
  function tellFinished(): void {
    const now = count()
    const isIdle = now.queued + now.running + now.waiting === 0
    if (isIdle && before) {
      tell('downloads.finished', {
        done: Math.max(0, now.done - before.done),
        failed: Math.max(0, now.failed - before.failed),
      })
    }
    if (isIdle) before = null
    else before ??= now
  }

  const later = () => {
    timer ??= setTimeout(speak, EVERY_MS).unref()
  }

  return {
    changed() {
      isChanged = true
      later()
    },
    progressed: later,
    held: () => tellHolds(store.holds.list().map(holdOf)),
    progress,
    stop() {
      if (timer) clearTimeout(timer)
      timer = null
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
  until: untilMs,
})

/** By the bytes that files had so far, for those whose size is not known yet. */
function secondsLeft(counts: JobCounts, bytesPerSecond: number): number | null {
  const left = counts.queued + counts.running + counts.waiting
  if (left === 0 || bytesPerSecond === 0) return left === 0 ? 0 : null
  if (counts.done === 0) return null
  return Math.round((left * (counts.doneBytes / counts.done)) / bytesPerSecond)
}
