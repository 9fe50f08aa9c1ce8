import { parentPort } from 'node:worker_threads'
import { toAppError } from '#shared/contract/errors.ts'
import { runComputeTask } from './computeTask.ts'
import type { TaskAnswer, TaskMessage } from './computePool.ts'

/** A thread's entry: one task in, its rows or its error out. */
parentPort?.on('message', ({ id, task }: TaskMessage) => {
  const answer = answerTo(id, task)
  const rows = 'rows' in answer ? answer.rows : []
  const buffers = rows.flatMap(({ timeMs, columns }) => [timeMs.buffer, ...columns.map((column) => column.buffer)])
  parentPort?.postMessage(answer, buffers as ArrayBuffer[])
})

function answerTo(id: number, task: TaskMessage['task']): TaskAnswer {
  try {
    return { id, rows: runComputeTask(task) }
  } catch (error) {
    const detail = error instanceof Error ? (error.stack ?? error.message) : String(error)
    return { id, error: toAppError(error).toShape(), detail }
  }
}
