/** This file is the entry of the thread that computes metrics. */
import { answerTasks } from '#core/threads/answerTasks.ts'
import { type ComputeAnswer, type ComputeWork, runComputeWork } from './computeTask.ts'

answerTasks<ComputeWork, ComputeAnswer>(runComputeWork, (answer) =>
  Array.isArray(answer)
    ? (answer.flatMap(({ timeMs, columns }) => [timeMs, ...columns].map(({ buffer }) => buffer)) as ArrayBuffer[])
    : [],
)
