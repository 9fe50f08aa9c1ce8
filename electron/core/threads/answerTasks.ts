import { parentPort, type Transferable } from 'node:worker_threads'
import { toAppError } from '#shared/contract/errors.ts'
import type { OnDone, TaskAnswer, TaskMessage } from './threadPool.ts'

/** The whole of a thread's entry: one task in, its result or its error out. */
export function answerTasks<Task, Result>(
  work: (task: Task, onDone: OnDone) => Result,
  buffersOf: (result: Result) => Transferable[] = () => [],
): void {
  parentPort?.on('message', ({ id, task }: TaskMessage<Task>) => {
    try {
      const result = work(task, (done, total) =>
        parentPort?.postMessage({ id, done, total } satisfies TaskAnswer<Result>),
      )
      parentPort?.postMessage({ id, result } satisfies TaskAnswer<Result>, buffersOf(result))
    } catch (thrown) {
      const detail = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)
      parentPort?.postMessage({ id, error: toAppError(thrown).toShape(), detail } satisfies TaskAnswer<Result>)
    }
  })
}
