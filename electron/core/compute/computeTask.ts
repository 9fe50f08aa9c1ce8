import type { RawDatasetId } from '#shared/catalog/rawDatasets.ts'
import type { EventColumns } from '#shared/metrics/events.ts'
import { IntervalComputer } from '#shared/metrics/intervalComputer.ts'
import type { MetricRows } from '#shared/metrics/metricRows.ts'
import { type ComputePlan, planCompute, type PlanInput, type ComputeTask, type RawSourceFiles } from './computePlan.ts'
import { columnsRead, eventTimeColumn } from './eventColumns.ts'
import { eventStream } from './eventStream.ts'
import type { RowsToEncode } from './metricGroups.ts'
import { checkMetricPart, type MetricPart, type PartFacts, type PartRange, readMetricPart } from './metricPart.ts'

/**
 * Work for a computing thread or process: splitting a computation into tasks, running one of them, or reading what
 * another engine computed.
 */
export type ComputeWork =
  | { kind: 'plan'; input: PlanInput; sourceFiles: RawSourceFiles }
  | { kind: 'rows'; task: ComputeTask }
  | { kind: 'checkPart'; part: MetricPart }
  | { kind: 'readPart'; range: PartRange }

/** Work for a thread, which is given the memory of rows instead of a copy. */
export type ThreadWork = ComputeWork | { kind: 'encode'; rows: RowsToEncode }

/** Lists the memory blocks of rows, each once; several columns can share a block. */
export const buffersOfRows = (rows: readonly MetricRows[]): ArrayBuffer[] => [
  ...new Set(rows.flatMap(({ timeMs, columns }) => [timeMs, ...columns].map(({ buffer }) => buffer as ArrayBuffer))),
]

export type ComputeAnswer = ComputePlan | MetricRows[] | PartFacts

export function runComputeWork(work: ComputeWork): ComputeAnswer {
  switch (work.kind) {
    case 'plan':
      return planCompute(work.input, work.sourceFiles)
    case 'rows':
      return runComputeTask(work.task)
    case 'checkPart':
      return checkMetricPart(work.part)
    case 'readPart':
      return [readMetricPart(work.range)]
  }
}

/** Computes the rows of the intervals that have events; gaps are not filled. */
function runComputeTask(task: ComputeTask): MetricRows[] {
  const expectedEvents = Object.fromEntries(
    Object.entries(task.rowGroups).map(([id, groups]) => [id, groups.reduce((sum, { rows }) => sum + rows, 0)]),
  )
  const computer = new IntervalComputer({ ...task, expectedEvents })
  const streamBySource = new Map<string, Generator<EventColumns>>()
  try {
    for (let source = computer.wants(); source; source = computer.wants()) {
      if (source === 'book') throw new RangeError('order-book snapshots are not among the raw events')
      const stream = streamBySource.get(source) ?? streamOf(source, task)
      streamBySource.set(source, stream)
      const { value: events, done } = stream.next()
      if (done) computer.end(source)
      else computer.push(source, events as never)
    }
  } finally {
    for (const stream of streamBySource.values()) stream.return(undefined)
  }
  return computer.take()
}

const streamOf = (source: RawDatasetId, { timestamp, datasets, rowGroups }: ComputeTask) =>
  eventStream(source, eventTimeColumn(timestamp), columnsRead(source, datasets), rowGroups[source] ?? [])
