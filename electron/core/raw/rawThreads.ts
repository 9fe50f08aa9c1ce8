import { availableParallelism } from 'node:os'
import { threadEntry } from '#core/threads/threadEntry.ts'
import type { OnDone } from '#core/threads/taskQueue.ts'
import { createThreadPool } from '#core/threads/threadPool.ts'
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

export function createRawThreads(threads = Math.min(4, availableParallelism())): RawThreads {
  const pool = createThreadPool<RawTask, RawResult>(threadEntry('rawWorker', import.meta.url), threads)
  return {
    run: (kind, input, signal, onDone) => pool.run({ kind, input } as RawTask, signal, onDone) as Promise<never>,
    close: pool.close,
  }
}
