import { answerTasks } from '#core/threads/answerTasks.ts'
import type { TimestampSource } from '#shared/catalog/intervals.ts'
import type { MetricDatasetId } from '#shared/catalog/metricDatasets.ts'
import type { RawDatasetId } from '#shared/catalog/rawDatasets.ts'
import type { EventColumns } from '#shared/metrics/events.ts'
import { IntervalComputer } from '#shared/metrics/intervalComputer.ts'
import type { MetricRows } from '#shared/metrics/metricRows.ts'
import { columnsRead, timeColumn } from './eventColumns.ts'
import type { EventRange } from './eventRowGroups.ts'
import { eventStream } from './eventStream.ts'

/** Thread entry: computes stretches of metrics. */

answerTasks<ComputeTask, MetricRows[]>(
  runComputeTask,
  (rows) => rows.flatMap(({ timeMs, columns }) => [timeMs, ...columns].map(({ buffer }) => buffer)) as ArrayBuffer[],
)

/** One stretch of a computation, done by one thread in one go. */
export interface ComputeTask {
  datasets: MetricDatasetId[]
  intervalSeconds: number
  timestamp: TimestampSource
  startUs: number
  endUs: number
  /** The row groups to read of each source, in the order of files and rows. */
  eventRanges: Partial<Record<RawDatasetId, EventRange[]>>
}

/** The rows of a stretch: of the intervals that have events, gaps not filled. */
export function runComputeTask(task: ComputeTask): MetricRows[] {
  const computer = new IntervalComputer(task)
  const streams = new Map<string, Generator<EventColumns>>()
  try {
    for (let source = computer.wants(); source; source = computer.wants()) {
      if (source === 'book') throw new RangeError('order-book snapshots are not among the raw events')
      const stream = streams.get(source) ?? streamOf(source, task)
      streams.set(source, stream)
      const { value: events, done } = stream.next()
      if (done) computer.end(source)
      else computer.push(source, events as never)
    }
  } finally {
    for (const stream of streams.values()) stream.return(undefined)
  }
  return computer.take()
}

const streamOf = (source: RawDatasetId, { timestamp, datasets, eventRanges }: ComputeTask) =>
  eventStream(source, timeColumn(timestamp), columnsRead(source, datasets), eventRanges[source] ?? [])
