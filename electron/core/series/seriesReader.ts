import { availableParallelism } from 'node:os'
import { threadEntry } from '#core/threads/threadEntry.ts'
import { createThreadPool } from '#core/threads/threadPool.ts'
import { type ChangedFiles, forgetKnown } from './changedFiles.ts'
import type { ReaderResult, ReaderTask, ReaderWork, ReaderWorkName } from './readerTask.ts'

/** Reads series away from the main thread. */
export interface SeriesReader {
  run<Name extends ReaderWorkName>(
    name: Name,
    task: ReaderWork[Name]['task'],
    signal?: AbortSignal,
  ): Promise<ReaderWork[Name]['result']>
  /** Makes sure that threads of others, too, read only what was validated. */
  settle(task: object, signal?: AbortSignal): Promise<void>
  close(): Promise<void>
}

/** @param changedFiles null to read whatever lies in the cache folder */
export function createSeriesReader(
  changedFiles: ChangedFiles | null,
  threads = Math.min(4, availableParallelism()),
): SeriesReader {
  const pool = createThreadPool<ReaderTask, ReaderResult>(threadEntry('readerWorker', import.meta.url), threads)
  return {
    run(name, task, signal) {
      const work = () => pool.run({ name, task } as ReaderTask, signal) as Promise<never>
      if (changedFiles) return changedFiles.run(task, work, signal)
      forgetKnown(task)
      return work()
    },
    async settle(task, signal) {
      if (changedFiles) await changedFiles.settle(task, signal)
      else forgetKnown(task)
    },
    close: pool.close,
  }
}
