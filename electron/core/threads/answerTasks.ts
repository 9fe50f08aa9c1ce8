import { parentPort, type Transferable } from 'node:worker_threads'
import { taskError } from './taskError.ts'
import type { OnProgress } from './taskQueue.ts'
import type { TaskAnswer, TaskMessage } from './threadPool.ts'

/** Runs a thread: receives tasks and sends back each result or error. */
export function answerTasks<Task, Result>(
  work: (task: Task, onProgress: OnProgress) => Result | Promise<Result>,
  buffersOf: (result: Result) => Transferable[] = () => [],
): void {
  async function answer({ id, task }: TaskMessage<Task>): Promise<void> {
    try {
      const result = await work(task, (done, total) =>
        parentPort?.postMessage({ id, done, total } satisfies TaskAnswer<Result>),
      )
      parentPort?.postMessage({ id, result } satisfies TaskAnswer<Result>, buffersOf(result))
    } catch (thrown) {
      parentPort?.postMessage({ id, ...taskError(thrown) } satisfies TaskAnswer<Result>)
    }
  }
  parentPort?.on('message', (message: TaskMessage<Task>) => void answer(message))
}
