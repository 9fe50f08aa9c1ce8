/** This file is the entry of the thread that computes metrics. */
import { answerTasks } from '#core/threads/answerTasks.ts'
import { buffersOfRows, type ComputeAnswer, runComputeWork, type ThreadWork } from './computeTask.ts'
import { type EncodedRows, encodeRows } from './metricGroups.ts'

answerTasks<ThreadWork, ComputeAnswer | EncodedRows>(
  (work) => (work.kind === 'encode' ? encodeRows(work.rows) : runComputeWork(work)),
  (answer) => {
    if (Array.isArray(answer)) return buffersOfRows(answer)
    return 'rowGroups' in answer ? [answer.bytes.buffer] : []
  },
)
