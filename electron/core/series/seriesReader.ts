import { availableParallelism } from 'node:os'
import { threadEntry } from '#core/threads/threadEntry.ts'
import { createThreadPool } from '#core/threads/threadPool.ts'
import type { ReaderResult, ReaderTask, ReaderWork, ReaderWorkName } from './readerTask.ts'

/** Reads series away from the main thread. */
export interface SeriesReader {
  run<Name extends ReaderWorkName>(
    name: Name,
    task: ReaderWork[Name]['task'],
    signal?: AbortSignal,
  ): Promise<ReaderWork[Name]['result']>
  close(): Promise<void>
}

export function createSeriesReader(threads = Math.min(4, availableParallelism())): SeriesReader {
  const pool = createThreadPool<ReaderTask, ReaderResult>(threadEntry('readerWorker', import.meta.url), threads)
  return {
    run: (name, task, signal) => pool.run({ name, task } as ReaderTask, signal) as Promise<never>,
    close: pool.close,
  }
}
