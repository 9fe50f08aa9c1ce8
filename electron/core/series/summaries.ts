import { dirname } from 'node:path'
import type { SummaryColumn, SummaryTask } from '#core/series/readerTask.ts'
import type { ChangedFiles } from './changedFiles.ts'
import { createSeriesReader } from './seriesReader.ts'
import { removeFile } from '#core/store/cacheFolder.ts'
import type { CachedFile } from '#core/store/fileTable.ts'
import type { Store } from '#core/store/store.ts'
import { summaryWidthMs } from '#shared/overview/bins.ts'
import { knownFileOf, reachOf, stepMsOf, summaryClockOf, timeColumnOf } from './seriesFiles.ts'

/**
 * Summarises files one after the other on a separate thread. A file that a chart has just had to read in full is queued
 * immediately; new metric files wait until no download is running. A summary is removed together with its file.
 */
export interface Summaries {
  /** Queues files; a file that is queued already is not added again. */
  request(files: readonly CachedFile[], timestamp: 'exchange' | 'true'): void
  /** Resolves once no summary waits to be written or removed. */
  waitUntilIdle(): Promise<void>
  stop(): Promise<void>
}

/** Time to wait after the last download, because summaries would take the CPU time that downloads need. */
const QUIET_MS = 2000
/** Number of files that may wait for a summary; further new files are summarised when they are first shown. */
const MOST_QUEUED = 20_000

export function createSummaries({ folder, files }: Store, changedFiles: ChangedFiles | null): Summaries {
  const reader = createSeriesReader(changedFiles, 1)
  const stopController = new AbortController()
  const queue = new Map<string, SummaryTask>()
  const removals = new Set<Promise<void>>()
  let runningQueue: Promise<void> | null = null
  let timer: NodeJS.Timeout | null = null

  async function processQueue(): Promise<void> {
    for (const [key, task] of queue) {
      if (stopController.signal.aborted) return
      // A file that cannot be summarised is read in full each time, which reports its problem.
      await reader.run('summary', task, stopController.signal).catch(() => false)
      // If the file was removed while it was summarised, its new summary must go too.
      if (!queue.delete(key)) remove(key)
    }
  }

  function start(): void {
    if (timer) clearTimeout(timer)
    timer = null
    if (queue.size > 0 && !stopController.signal.aborted)
      runningQueue ??= processQueue().finally(() => (runningQueue = null))
  }

  function add(file: CachedFile, timestamp: 'exchange' | 'true'): void {
    const { series, period, sha256 } = file
    const clock = summaryClockOf({ series, timestamp })
    const summaryPath = folder.summaryPathOf(sha256, clock)
    queue.set(summaryPath, {
      path: folder.pathOf(series, period),
      known: knownFileOf(file),
      summaryPath,
      reach: reachOf(file, clock),
      binMs: summaryWidthMs(stepMsOf(series)),
      timeColumn: timeColumnOf({ series, timestamp }),
      keepEqualTimes: series.kind === 'raw',
    })
  }

  function remove(path: string): void {
    queue.delete(path)
    // If the removal fails, the summary merely takes up space.
    const removal = removeFile(path, dirname(dirname(path)))
      .catch(() => {})
      .finally(() => removals.delete(removal))
    removals.add(removal)
  }

  files.listen({
    added(files) {
      for (const file of files) {
        // Raw-event files are summarised when a chart needs them, because there are many and each has two clocks.
        if (file.series.kind === 'metrics' && queue.size < MOST_QUEUED)
          add(file, file.series.timestamp === 'true' ? 'true' : 'exchange')
      }
      if (stopController.signal.aborted) return
      if (timer) timer.refresh()
      else timer = setTimeout(start, QUIET_MS).unref()
    },
    removed(contents) {
      for (const sha256 of contents)
        for (const clock of ['exchange', 'true', 'arrival'] as const) remove(folder.summaryPathOf(sha256, clock))
    },
  })

  return {
    request(files, timestamp) {
      for (const file of files) add(file, timestamp)
      start()
    },
    async waitUntilIdle() {
      start()
      while (runningQueue || removals.size > 0) await Promise.all([runningQueue, ...removals])
    },
    async stop() {
      stopController.abort()
      if (timer) clearTimeout(timer)
      await reader.close()
      await Promise.all(removals)
    },
  }
}

/** Summaries of recently used files, for reuse without disk or thread. */
export interface SummaryCache {
  /** Returns the summaries of columns of a file by one clock; null if one of the columns is not cached. */
  find(sha256: string, clock: string, columns: readonly string[]): SummaryColumn[] | null
  keep(sha256: string, clock: string, columns: readonly string[], summary: readonly SummaryColumn[]): void
}

/** Creates a cache of summaries by file hash; the least recently used is evicted first. */
export function createSummaryCache(mostBytes = 64 * 2 ** 20): SummaryCache {
  const summaryColumns = new Map<string, SummaryColumn>()
  let bytes = 0
  const keyOf = (sha256: string, clock: string, column: string) => `${sha256} ${clock} ${column}`

  function drop(key: string): void {
    bytes -= summaryColumns.get(key)?.arrays.byteLength ?? 0
    summaryColumns.delete(key)
  }

  return {
    find(sha256, clock, columns) {
      const found: SummaryColumn[] = []
      for (const column of columns) {
        const key = keyOf(sha256, clock, column)
        const one = summaryColumns.get(key)
        if (!one) return null
        summaryColumns.delete(key)
        summaryColumns.set(key, one)
        found.push(one)
      }
      return found
    },
    keep(sha256, clock, columns, summary) {
      for (const [at, one] of summary.entries()) {
        const key = keyOf(sha256, clock, columns[at])
        drop(key)
        summaryColumns.set(key, one)
        bytes += one.arrays.byteLength
      }
      for (const key of summaryColumns.keys()) {
        if (bytes <= mostBytes) break
        drop(key)
      }
    },
  }
}
