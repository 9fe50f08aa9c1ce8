import type { TimestampSource } from '#shared/catalog/intervals.ts'
import { metricDataset, type MetricDatasetId } from '#shared/catalog/metricDatasets.ts'
import { isRawDatasetId, type RawDatasetId } from '#shared/catalog/rawDatasets.ts'
import { AppError } from '#shared/contract/errors.ts'
import { datasetComputations } from '#shared/metrics/datasetComputations.ts'
import { dayFromNumber } from '#shared/time/periods.ts'
import { ParquetFile } from '#core/parquet/parquetFile.ts'
import { eventTimeColumn } from './eventColumns.ts'
import { readEventRowGroups, type EventRowGroup, lastKnownUs, groupsAsOf, groupsWithin } from './eventRowGroups.ts'
import { type FindRawFiles, missingDays, type RawFile } from './rawFiles.ts'

const usPerDay = 86_400_000_000
/**
 * Limits on the number of events per task. The tasks on both sides of a boundary decode the same row group, so there
 * are few tasks, but enough to show progress and to keep all threads busy until the end.
 */
const eventsPerTask = { least: 500_000, most: 2_500_000 }
const TASKS_PER_THREAD = 2

export interface PlanInput {
  datasets: MetricDatasetId[]
  intervalSeconds: number
  timestamp: TimestampSource
  /** Days since the epoch, end excluded. */
  startDay: number
  endDay: number
  /** Number of tasks that run at the same time. */
  threads: number
}

/** One part of a computation, which one thread or process does without interruption. */
export interface ComputeTask {
  datasets: MetricDatasetId[]
  intervalSeconds: number
  timestamp: TimestampSource
  startUs: number
  endUs: number
  /** The row groups to read from each source, in the order of files and rows. */
  rowGroups: Partial<Record<RawDatasetId, EventRowGroup[]>>
}

/** The files of each source of a computation. */
export type RawSourceFiles = Partial<Record<RawDatasetId, readonly RawFile[]>>

export interface ComputePlan {
  /** Tasks in time order that together cover the range. */
  tasks: ComputeTask[]
  /** Descriptions of what is missing: days of a source without a file, and earlier events to carry over. */
  missing: string[]
  /** True if a source has no file for some of the days, so that their rows or values are missing. */
  lacksDays: boolean
}

interface Source {
  id: RawDatasetId
  isDriving: boolean
  needsPrevious: boolean
  rowGroups: EventRowGroup[]
}

/**
 * Finds the files that a computation may read; throws `unsupported` for metrics that cannot be computed from raw
 * events.
 */
export const sourceFilesOf = (datasets: readonly MetricDatasetId[], findFiles: FindRawFiles): RawSourceFiles =>
  Object.fromEntries(sourcesOf(datasets).map(({ id }) => [id, findFiles(id)]))

/**
 * Splits a computation into tasks of about the same number of events; `taskEdges` chooses where.
 */
export function planCompute(input: PlanInput, sourceFiles: RawSourceFiles): ComputePlan {
  const missing: string[] = []
  let lacksDays = false
  const sources = sourcesOf(input.datasets).map((source) => {
    const files = sourceFiles[source.id] ?? []
    const gaps = missingDays(files, input.startDay, input.endDay)
    if (gaps.length > 0) missing.push(`${source.id}: no file for ${gaps.join(', ')}`)
    lacksDays ||= gaps.length > 0
    const rowGroups = rowGroupsOf(files, source, input)
    if (
      source.needsPrevious &&
      rowGroups.length > 0 &&
      rowGroups.every(({ minUs }) => minUs >= input.startDay * usPerDay)
    )
      missing.push(
        `${source.id}: no file before ${dayFromNumber(input.startDay)}, although the first rows need earlier events`,
      )
    return { ...source, rowGroups }
  })
  const edges = taskEdges(input, sources)
  const tasks = edges.slice(1).map((endUs, i): ComputeTask => {
    const rowGroups = sources.map(({ id, rowGroups: all, needsPrevious }) => [
      id,
      needsPrevious ? groupsAsOf(all, edges[i], endUs) : groupsWithin(all, edges[i], endUs),
    ])
    const { datasets, intervalSeconds, timestamp } = input
    return {
      datasets,
      intervalSeconds,
      timestamp,
      startUs: edges[i],
      endUs,
      rowGroups: Object.fromEntries(rowGroups),
    }
  })
  return { tasks, missing, lacksDays }
}

function sourcesOf(datasets: readonly MetricDatasetId[]): Omit<Source, 'rowGroups'>[] {
  const definitions = datasets.map(metricDataset)
  const ids = new Set(definitions.flatMap(({ drivingSource, asOf }) => [drivingSource, ...asOf]))
  return [...ids].map((id) => {
    if (!isRawDatasetId(id)) {
      const names = definitions.filter(({ drivingSource }) => drivingSource === id).map((dataset) => dataset.id)
      throw new AppError(
        'unsupported',
        `${names.join(', ')} ${names.length === 1 ? 'needs' : 'need'} order-book snapshots, which raw events do not have.`,
      )
    }
    return {
      id,
      isDriving: definitions.some(({ drivingSource }) => drivingSource === id),
      needsPrevious: definitions.some(({ asOf }) => asOf.includes(id)),
    }
  })
}

/**
 * Selects the row groups to read. Files are split by exchange time, so by arrival time an event may be in the file of
 * the day before or after. If earlier events are needed, older files are read too, latest first, until none of the rest
 * can contain the last event before the range.
 */
function rowGroupsOf(files: readonly RawFile[], source: Omit<Source, 'rowGroups'>, input: PlanInput): EventRowGroup[] {
  const column = eventTimeColumn(input.timestamp)
  const read = ({ path }: RawFile) => {
    using file = new ParquetFile(path)
    return readEventRowGroups(file, column)
  }
  const isNear = ({ startDay, endDay }: RawFile) => endDay >= input.startDay && startDay <= input.endDay
  const rowGroups = files.filter(isNear).flatMap(read)
  if (!source.needsPrevious) return rowGroups
  const startUs = input.startDay * usPerDay
  const earlierFiles = files.filter((file) => !isNear(file) && file.endDay < input.startDay)
  const daysLate = input.timestamp === 'true' ? 1 : 0
  for (const file of earlierFiles.toReversed()) {
    if (lastKnownUs(rowGroups, startUs) >= (file.endDay + daysLate) * usPerDay) break
    rowGroups.unshift(...read(file))
  }
  return rowGroups
}

/**
 * Chooses the boundaries of tasks in microseconds, the start and the end of the range included: ends of intervals (of
 * days if state is carried through a day), each after about the same number of events.
 */
function taskEdges(input: PlanInput, sources: readonly Source[]): number[] {
  const startUs = input.startDay * usPerDay
  const endUs = input.endDay * usPerDay
  const needsWholeDays = input.datasets.some((dataset) => datasetComputations[dataset].needsWholeDay)
  const stepUs = needsWholeDays ? usPerDay : input.intervalSeconds * 1e6
  const drivingRowGroups = sources
    .filter(({ isDriving }) => isDriving)
    .flatMap((source) => groupsWithin(source.rowGroups, startUs, endUs))
  const edges = [startUs]
  const total = drivingRowGroups.reduce((sum, { rows }) => sum + rows, 0)
  const wantedEvents = Math.ceil(total / (TASKS_PER_THREAD * input.threads))
  const { least, most } = eventsPerTask
  const taskCount = Math.ceil(total / Math.min(Math.max(wantedEvents, least), most))
  let events = 0
  for (const { maxUs, rows } of drivingRowGroups.toSorted((a, b) => a.maxUs - b.maxUs)) {
    events += rows
    const edgeUs = Math.ceil((maxUs + 1) / stepUs) * stepUs
    // All tasks should take equally long, and each task but the last also reads the row group after its own.
    const isEnough = edges.length < taskCount && events + rows >= (total * edges.length) / taskCount
    if (isEnough && edgeUs > edges[edges.length - 1] && edgeUs < endUs) edges.push(edgeUs)
  }
  return [...edges, endUs]
}
