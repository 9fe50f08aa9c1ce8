import type { ErrorShape } from '#shared/contract/errors.ts'
import type { Clock } from '#core/ports.ts'
import type { FileFacts } from '#core/store/fileTable.ts'
import type { CachedFile } from '#core/store/fileTable.ts'
import type { EndedJob } from '#core/store/jobTable.ts'
import type { Store } from '#core/store/store.ts'

/** A job that has ended, with the file that it stored. */
export interface RecordedEnd extends EndedJob {
  file: { file: CachedFile; facts: FileFacts } | null
}

/** Writes state changes of running jobs in batches, because one disk commit per change would cost more than the files. */
export interface WriteBatcher {
  markRunning(id: number): void
  /** @param then runs when the change is on disk */
  markEnded(job: RecordedEnd, then: () => void): void
  markWaiting(id: number, error: ErrorShape, untilMs: number): void
  release(ids: readonly number[]): void
  flush(): void
  /** Returns true where the store knows that this job runs. */
  isWritten(id: number): boolean
}

/** Changes after which a batch is written at once, because a longer write would block the main thread. */
const MAX_BATCH = 256
const MAX_DELAY_MS = 100

/** @param onError called where the store cannot be written; the changes are kept for the next flush */
export function createWriteBatcher(store: Store, clock: Clock, onError: (thrown: unknown) => void): WriteBatcher {
  let running: number[] = []
  let ended: { job: RecordedEnd; then: () => void }[] = []
  let timer: NodeJS.Timeout | null = null
  const unwritten = new Set<number>()

  function flush(): void {
    if (timer) clearTimeout(timer)
    timer = null
    if (running.length === 0 && ended.length === 0) return
    try {
      store.database.writes.inTransaction(() => {
        store.jobs.markRunning(running)
        const stored = ended.flatMap(({ job: { file } }) => file ?? [])
        store.files.record(stored)
        store.parts.forget(stored.map(({ file }) => file))
        store.jobs.markEnded(
          ended.map(({ job }) => (job.file ? { ...job, sizeBytes: job.file.file.sizeBytes } : job)),
          clock.nowMs(),
        )
      })
    } catch (thrown) {
      return onError(thrown)
    }
    const done = ended
    running = []
    ended = []
    unwritten.clear()
    for (const { then } of done) then()
  }

  function scheduleFlush(): void {
    if (timer && running.length + ended.length === MAX_BATCH) {
      clearTimeout(timer)
      timer = setTimeout(flush)
    }
    timer ??= setTimeout(flush, MAX_DELAY_MS)
  }

  return {
    flush,
    isWritten: (id) => !unwritten.has(id),
    markRunning(id) {
      running.push(id)
      unwritten.add(id)
      scheduleFlush()
    },
    markEnded(job, then) {
      ended.push({ job, then })
      scheduleFlush()
    },
    markWaiting(id, error, untilMs) {
      flush()
      store.jobs.markWaiting(id, error, untilMs)
    },
    release(ids) {
      flush()
      store.jobs.release(ids)
    },
  }
}
