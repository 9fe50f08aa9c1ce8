import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Download, OpenRequest, WhichDownloads } from '#shared/contract/areas/downloads.ts'
import type { Clock } from '#core/ports.ts'
import type { Job } from '#core/store/jobTable.ts'
import type { Store } from '#core/store/store.ts'

/** Changes and sums up many jobs in slices, so that other work can run in between. */
export interface Downloads {
  /** @returns number of jobs changed */
  change(which: WhichDownloads, work: (ids: readonly number[]) => number, signal: AbortSignal): Promise<number>
  /** @returns number of jobs forgotten */
  forgetEnded(signal: AbortSignal): Promise<number>
  /** Sums up the latest `limit` requests, newest first, without requests that have no files left to download. */
  openRequests(limit: number, signal: AbortSignal): Promise<OpenRequest[]>
}

const JOBS_PER_SLICE = 1000
const JOBS_PER_SUM = 4000

export function createDownloads(store: Store, clock: Clock): Downloads {
  const { jobs } = store

  async function change(which: WhichDownloads, work: (ids: readonly number[]) => number, signal: AbortSignal) {
    let changedCount = 0
    for await (const ids of slicesOf(which)) {
      changedCount += work(ids)
      await nextTurn()
      signal.throwIfAborted()
    }
    return changedCount
  }

  async function* slicesOf(which: WhichDownloads): AsyncGenerator<number[]> {
    if ('ids' in which) {
      for (let start = 0; start < which.ids.length; start += JOBS_PER_SLICE)
        yield which.ids.slice(start, start + JOBS_PER_SLICE)
      return
    }
    let lastId = 0
    for (;;) {
      const ids = jobs.ids(which.filter, lastId, JOBS_PER_SLICE)
      if (ids.length === 0) return
      lastId = ids[ids.length - 1]
      yield ids
    }
  }

  /** Sums up a batch in slices, so that other work can run in between. */
  async function sumOf(batchId: number, signal: AbortSignal) {
    const files = { queued: 0, running: 0, waiting: 0, paused: 0, done: 0, failed: 0, cancelled: 0 }
    const bytes = { doneBytes: 0, knownBytes: 0 }
    for (let after: number | null = 0; after !== null;) {
      const { sums, lastId } = jobs.batchSlice(batchId, after, JOBS_PER_SUM)
      for (const sum of sums) {
        files[sum.state] += sum.jobs
        bytes.doneBytes += sum.doneBytes
        bytes.knownBytes += sum.knownBytes
      }
      after = lastId
      await nextTurn()
      signal.throwIfAborted()
    }
    return { files, ...bytes }
  }

  return {
    change,
    async openRequests(limit, signal) {
      const requests: OpenRequest[] = []
      for (const { id, label, createdAtMs } of jobs.latestBatches(limit)) {
        const sums = await sumOf(id, signal)
        const { queued, running, waiting, paused } = sums.files
        if (queued + running + waiting + paused > 0)
          requests.push({ batchId: id, label, createdAt: createdAtMs, ...sums })
      }
      return requests
    },
    async forgetEnded(signal) {
      let forgottenCount = 0
      for (let count = -1; count !== 0; forgottenCount += count) {
        count = jobs.trimHistory(clock.nowMs() + 1, JOBS_PER_SLICE)
        await nextTurn()
        signal.throwIfAborted()
      }
      return forgottenCount
    },
  }
}

const outcomesWithFile = new Set<Job['outcome']>([
  'downloaded',
  'copied',
  'unchanged',
  'changed upstream',
  'already here',
])

export function downloadOf(
  { folder, files, kept }: Pick<Store, 'folder' | 'files' | 'kept'>,
  { series, ...job }: Job,
): Download {
  const {
    notBeforeMs,
    createdAtMs,
    endedAtMs,
    id,
    period,
    state,
    priority,
    error,
    attempts,
    outcome,
    store,
    storeProblem,
  } = job
  return {
    ...series,
    id,
    period,
    state,
    priority,
    error,
    notBefore: notBeforeMs,
    attempts,
    doneBytes: job.doneBytes,
    totalBytes: job.totalBytes,
    createdAt: createdAtMs,
    endedAt: endedAtMs,
    path: outcomesWithFile.has(outcome) ? folder.pathOf(series, period) : null,
    outcome,
    store,
    storeProblem,
    difference: outcome === 'changed upstream' ? kept.noteOf(files.find(series, period)?.sha256 ?? '') : null,
  }
}
