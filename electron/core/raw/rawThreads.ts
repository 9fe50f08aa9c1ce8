import { threadEntry } from '#core/threads/threadEntry.ts'
import type { OnProgress } from '#core/threads/taskQueue.ts'
import type { ChangedFiles } from '#core/series/changedFiles.ts'
import { createValidatedThreads } from '#core/series/seriesReader.ts'
import type { RawResult, RawTask, RawTasks } from './rawWorker.ts'

/** Runs work on raw-event files away from the main thread. */
export interface RawThreads {
  run<Kind extends keyof RawTasks>(
    kind: Kind,
    input: RawTasks[Kind]['input'],
    signal?: AbortSignal,
    onProgress?: OnProgress,
  ): Promise<RawTasks[Kind]['result']>
  close(): Promise<void>
}

export function createRawThreads(changedFiles: ChangedFiles | null, threads?: number): RawThreads {
  const entry = threadEntry('rawWorker', import.meta.url)
  const pool = createValidatedThreads<RawTask, RawResult>(entry, changedFiles, threads)
  return {
    run: (kind, input, signal, onProgress) =>
      pool.run(input, { kind, input } as RawTask, signal, onProgress) as Promise<never>,
    close: pool.close,
  }
}
