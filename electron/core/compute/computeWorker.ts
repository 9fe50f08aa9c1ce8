/** Thread entry: computes stretches of metrics. */
import type { MetricRows } from '#shared/metrics/metricRows.ts'
import { answerTasks } from '#core/threads/answerTasks.ts'
import { runComputeTask, type ComputeTask } from './computeTask.ts'

answerTasks<ComputeTask, MetricRows[]>(
  runComputeTask,
  (rows) => rows.flatMap(({ timeMs, columns }) => [timeMs, ...columns].map(({ buffer }) => buffer)) as ArrayBuffer[],
)
