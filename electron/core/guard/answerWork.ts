import { isMainThread, type Transferable } from 'node:worker_threads'
import { answerTasks } from '#core/threads/answerTasks.ts'
import type { OnProgress } from '#core/threads/taskQueue.ts'
import { answerGuarded } from './answerGuarded.ts'

/** Runs the tasks of a work pool in this thread or process. */
export function answerWork<Task, Result>(
  work: (task: Task, onProgress: OnProgress) => Result | Promise<Result>,
  buffersOf?: (result: Result) => Transferable[],
): void {
  if (isMainThread) answerGuarded(work)
  else answerTasks(work, buffersOf)
}
