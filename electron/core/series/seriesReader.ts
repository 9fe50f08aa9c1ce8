import { availableParallelism } from 'node:os'
import type { OnProgress, OnWait } from '#core/threads/taskQueue.ts'
import { threadEntry } from '#core/threads/threadEntry.ts'
import { createThreadPool } from '#core/threads/threadPool.ts'
import { type ChangedFiles, forgetKnown, runValidated } from './changedFiles.ts'
import type { ReaderResult, ReaderTask, ReaderWork, ReaderWorkName } from './readerTask.ts'

/** Reads series away from the main thread. */
export interface SeriesReader {
  /** Number of tasks of one caller that run at the same time. */
  readonly threads: number
  run<Name extends ReaderWorkName>(
    name: Name,
    task: ReaderWork[Name]['task'],
    signal?: AbortSignal,
    onWait?: OnWait,
  ): Promise<ReaderWork[Name]['result']>
  /** Validates all changed files of a task before other threads work on it. */
  settle(task: object, signal?: AbortSignal): Promise<void>
  close(): Promise<void>
}

const readingThreadCount = () => Math.min(4, availableParallelism())

/**
 * Creates threads that read only validated files.
 * @param entry file that the threads run
 * @param changedFiles detects files changed outside the app; null to trust the cache folder
 */
export function createValidatedThreads<Message, Result>(
  entry: URL,
  changedFiles: ChangedFiles | null,
  threads = readingThreadCount(),
) {
  // One more thread than a caller may use, so that the others need not wait until its work is done.
  const pool = createThreadPool<Message, Result>(entry, threads + 1, { mostPerCaller: threads })
  return {
    /** @param task the part of the message that names files */
    run: (
      task: object,
      message: Message,
      signal?: AbortSignal,
      onProgress?: OnProgress,
      onWait?: OnWait,
    ): Promise<Result> => runValidated(changedFiles, task, () => pool.run(message, signal, onProgress, onWait), signal),
    close: pool.close,
  }
}

export function createSeriesReader(changedFiles: ChangedFiles | null, threads = readingThreadCount()): SeriesReader {
  const entry = threadEntry('readerWorker', import.meta.url)
  const pool = createValidatedThreads<ReaderTask, ReaderResult>(entry, changedFiles, threads)
  return {
    threads,
    run: (name, task, signal, onWait) =>
      pool.run(task, { name, task } as ReaderTask, signal, undefined, onWait) as Promise<never>,
    async settle(task, signal) {
      if (changedFiles) await changedFiles.settle(task, signal)
      else forgetKnown(task)
    },
    close: pool.close,
  }
}
