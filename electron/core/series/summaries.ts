import { summaryWidthMs } from '#shared/overview/bucketWidths.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import type { SummaryTask } from '#core/readers/summariseFile.ts'
import { createSeriesReader } from '#core/readers/seriesReader.ts'
import type { CachedFile } from '#core/store/fileStore.ts'
import type { Store } from '#core/store/store.ts'
import { stepMsOf, timeColumnOf } from './seriesFiles.ts'

/** Makes the summaries of files, one after the other on a thread of its own, while nothing else waits for it. */
export interface Summaries {
  /** Does not wait; a file that is waiting already is not added again. */
  want(files: readonly CachedFile[], timestamp: 'exchange' | 'true'): void
  /** When nothing waits any more. */
  settled(): Promise<void>
  stop(): Promise<void>
}

export function createSummaries({ folder }: Store): Summaries {
  const reader = createSeriesReader(1)
  const stopped = new AbortController()
  const waiting = new Map<string, SummaryTask>()
  let running: Promise<void> | null = null

  async function workOff(): Promise<void> {
    for (const [key, task] of waiting) {
      if (stopped.signal.aborted) return
      // What cannot be summarised is read in full each time, and its trouble told there.
      await reader.run('summary', task, stopped.signal).catch(() => false)
      waiting.delete(key)
    }
  }

  return {
    want(files, timestamp) {
      for (const { series, period, sha256, startDay, endDay } of files) {
        const summaryPath = folder.summaryPathOf(sha256, timestamp)
        waiting.set(summaryPath, {
          path: folder.pathOf(series, period),
          summaryPath,
          period: { startMs: startDay * MS_PER_DAY, endMs: endDay * MS_PER_DAY },
          bucketMs: summaryWidthMs(stepMsOf(series)),
          timeColumn: timeColumnOf({ series, timestamp }),
          keepEqualTimes: series.kind === 'raw',
        })
      }
      running ??= workOff().finally(() => (running = null))
    },
    async settled() {
      while (running) await running
    },
    async stop() {
      stopped.abort()
      await reader.close()
    },
  }
}
