import type { ErrorShape } from '#shared/contract/errors.ts'
import type { Clock } from '#core/ports.ts'
import type { FileFacts } from '#core/store/fileFacts.ts'
import type { CachedFile } from '#core/store/fileStore.ts'
import type { EndedJob } from '#core/store/jobStore.ts'
import type { Store } from '#core/store/store.ts'

export interface Ended extends EndedJob {
  file: { file: CachedFile; facts: FileFacts } | null
}

/** What happens to running jobs, written many at a time: a commit to disk for each would cost more than the files. */
export interface Ledger {
  running(id: number): void
  /** @param then runs when it is on disk */
  ended(job: Ended, then: () => void): void
  waiting(id: number, error: ErrorShape, untilMs: number): void
  released(ids: readonly number[]): void
  flush(): void
  /** Ids that were said to run and that the store knows of. */
  written(id: number): boolean
}

/** More is written as soon as what is at hand is done: a longer write would hold up everything else. */
const MOST_AT_ONCE = 256
const LONGEST_MS = 100

/** @param onTrouble the store could not be written; everything said is kept and written with the next flush */
export function createLedger(store: Store, clock: Clock, onTrouble: (thrown: unknown) => void): Ledger {
  let running: number[] = []
  let ended: { job: Ended; then: () => void }[] = []
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
      return onTrouble(thrown)
    }
    const done = ended
    running = []
    ended = []
    unwritten.clear()
    for (const { then } of done) then()
  }

  function later(): void {
    if (timer && running.length + ended.length === MOST_AT_ONCE) {
      clearTimeout(timer)
      timer = setTimeout(flush)
    }
    timer ??= setTimeout(flush, LONGEST_MS)
  }

  return {
    flush,
    written: (id) => !unwritten.has(id),
    running(id) {
      running.push(id)
      unwritten.add(id)
      later()
    },
    ended(job, then) {
      ended.push({ job, then })
      later()
    },
    waiting(id, error, untilMs) {
      flush()
      store.jobs.markWaiting(id, error, untilMs)
    },
    released(ids) {
      flush()
      store.jobs.release(ids)
    },
  }
}
