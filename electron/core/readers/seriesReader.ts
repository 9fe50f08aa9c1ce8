import { availableParallelism } from 'node:os'
import type { ReaderResult, ReaderTask, ReaderWork, ReaderWorkName } from './readerTask.ts'
import { createThreadPool } from './threadPool.ts'

// Sources run unbuilt in tests and command lines; the bundle has the entry beside its chunks.
const entry = import.meta.url.endsWith('.ts') ? './readerWorker.ts' : './readerWorker.js'

/** Reads series away from the main thread. */
export interface SeriesReader {
  run<Name extends ReaderWorkName>(
    name: Name,
    task: ReaderWork[Name]['task'],
    signal?: AbortSignal,
  ): Promise<ReaderWork[Name]['result']>
  close(): Promise<void>
}

export function createSeriesReader(): SeriesReader {
  const pool = createThreadPool<ReaderTask, ReaderResult>(
    new URL(entry, import.meta.url),
    Math.min(4, availableParallelism()),
  )
  return {
    run: (name, task, signal) => pool.run({ name, task } as ReaderTask, signal) as Promise<never>,
    close: pool.close,
  }
}
