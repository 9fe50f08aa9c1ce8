import { availableParallelism } from 'node:os'
import { threadEntry } from '#core/threads/threadEntry.ts'
import type { OnDone } from '#core/threads/taskQueue.ts'
import { createThreadPool } from '#core/threads/threadPool.ts'
import { type ChangedFiles, runValidated } from '#core/series/seriesReader.ts'
import type { RawResult, RawTask, RawTasks } from './rawWorker.ts'

/** Does work on files of raw events away from the main thread. */
export interface RawThreads {
  run<Kind extends keyof RawTasks>(
    kind: Kind,
    input: RawTasks[Kind]['input'],
    signal?: AbortSignal,
    onDone?: OnDone,
  ): Promise<RawTasks[Kind]['result']>
  close(): Promise<void>
}

/** @param changedFiles null to read the cache folder as it is */
export function createRawThreads(
  changedFiles: ChangedFiles | null,
  threads = Math.min(4, availableParallelism()),
): RawThreads {
  const pool = createThreadPool<RawTask, RawResult>(threadEntry('rawWorker', import.meta.url), threads)
  return {
    run(kind, input, signal, onDone) {
      const work = () => pool.run({ kind, input } as RawTask, signal, onDone) as Promise<never>
      return runValidated(changedFiles, input, work, signal)
    },
    close: pool.close,
  }
}
