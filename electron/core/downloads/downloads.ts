import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Download, DownloadRequest, Enqueued, WhichDownloads } from '#shared/contract/areas/downloads.ts'
import type { Clock } from '#core/ports.ts'
import type { CacheFolder } from '#core/store/cacheFolder.ts'
import type { Job } from '#core/store/job.ts'
import type { NewJob } from '#core/store/jobStore.ts'
import type { Store } from '#core/store/store.ts'
import { planSeries, type PlannedSeries, type PreviewDeps } from './preview.ts'

/** Changes to many jobs, a slice at a time: whatever else wants to run runs in between. */
export interface Downloads {
  /** Puts what a plan wants into the queue. */
  enqueue(deps: PreviewDeps, request: DownloadRequest, options: EnqueueOptions): Promise<Enqueued>
  /** @returns how many jobs it concerned */
  change(which: WhichDownloads, work: (ids: readonly number[]) => number, signal: AbortSignal): Promise<number>
  forgetEnded(signal: AbortSignal): Promise<number>
}

export interface EnqueueOptions {
  label: string
  priority: number
}

const SLICE = 1000

export function createDownloads(store: Store, clock: Clock): Downloads {
  const { jobs } = store

  async function enqueue(deps: PreviewDeps, request: DownloadRequest, { label, priority }: EnqueueOptions) {
    const batchId = jobs.newBatch(label, clock.nowMs())
    let slice: NewJob[] = []
    let added = 0
    const add = async () => {
      if (slice.length === 0) return
      added += jobs.add(batchId, slice, { priority, nowMs: clock.nowMs() })
      slice = []
      await nextTurn()
      deps.signal.throwIfAborted()
    }
    for await (const planned of planSeries(deps, request)) {
      for (const period of wantedPeriods(planned)) {
        slice.push({ series: planned.series, period, refresh: request.refresh })
        if (slice.length >= SLICE) await add()
      }
    }
    await add()
    return { batchId, files: jobs.batchSize(batchId), added }
  }

  async function change(which: WhichDownloads, work: (ids: readonly number[]) => number, signal: AbortSignal) {
    let concerned = 0
    for await (const ids of slicesOf(which)) {
      concerned += work(ids)
      await nextTurn()
      signal.throwIfAborted()
    }
    return concerned
  }

  async function* slicesOf(which: WhichDownloads): AsyncGenerator<number[]> {
    if ('ids' in which) {
      for (let at = 0; at < which.ids.length; at += SLICE) yield which.ids.slice(at, at + SLICE)
      return
    }
    let last = 0
    for (;;) {
      const ids = jobs.ids(which.filter, last, SLICE)
      if (ids.length === 0) return
      last = ids[ids.length - 1]
      yield ids
    }
  }

  return {
    enqueue,
    change,
    async forgetEnded(signal) {
      let forgotten = 0
      for (let count = -1; count !== 0; forgotten += count) {
        count = jobs.trimHistory(clock.nowMs() + 1, SLICE)
        await nextTurn()
        signal.throwIfAborted()
      }
      return forgotten
    },
  }
}

/** The last and the first go before the others: whether a range is open at all shows early. */
function wantedPeriods({ periods, wanted }: PlannedSeries): string[] {
  const all = periods.filter((_, index) => wanted[index]).map(({ period }) => period)
  if (all.length < 3) return all.toReversed()
  return [all[all.length - 1], ...all.slice(0, -1)]
}

const withFile = new Set<Job['outcome']>(['downloaded', 'unchanged', 'changed upstream', 'already here'])

export function downloadOf(folder: CacheFolder, { series, ...job }: Job): Download {
  const { notBeforeMs, createdAtMs, endedAtMs, id, period, state, priority, error, attempts, outcome } = job
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
    path: withFile.has(outcome) ? folder.pathOf(series, period) : null,
    outcome,
  }
}
