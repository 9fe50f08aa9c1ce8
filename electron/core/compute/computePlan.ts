import type { TimestampSource } from '#shared/catalog/intervals.ts'
import { metricDataset, type MetricDatasetId } from '#shared/catalog/metricDatasets.ts'
import { isRawDatasetId, type RawDatasetId } from '#shared/catalog/rawDatasets.ts'
import { AppError } from '#shared/contract/errors.ts'
import { buckets } from '#shared/metrics/buckets.ts'
import { dayFromNumber } from '#shared/time/periods.ts'
import { ParquetFile } from '#core/parquet/parquetFile.ts'
import { timeColumn } from './eventColumns.ts'
import { readEventRanges, type EventRange, lastKnownUs, rangesAsOf, rangesWithin } from './eventRowGroups.ts'
import { type FindRawFiles, missingDays, type RawFile } from './rawFiles.ts'

const usPerDay = 86_400_000_000
/**
 * Limits on the number of events per task. The tasks on both sides of a boundary decode the same row group, so there are
 * few tasks, but enough to show progress and to keep all threads busy until the end.
 */
const eventsPerTask = { least: 500_000, most: 2_500_000 }
const TASKS_PER_THREAD = 2

export interface ComputeRange {
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
  eventRanges: Partial<Record<RawDatasetId, EventRange[]>>
}

/** The files of each source of a computation. */
export type RawSourceFiles = Partial<Record<RawDatasetId, readonly RawFile[]>>

export interface ComputePlan {
  /** Tasks in time order that together cover the range. */
  tasks: ComputeTask[]
  /** Descriptions of what is missing: days of a source without a file, and earlier events to carry over. */
  missing: string[]
}

interface Source {
  id: RawDatasetId
  drives: boolean
  needsPrevious: boolean
  eventRanges: EventRange[]
}

/**
 * Finds the files that a computation may read; throws `unsupported` for metrics that cannot be computed from raw
 * events.
 */
export const sourceFilesOf = (datasets: readonly MetricDatasetId[], findFiles: FindRawFiles): RawSourceFiles =>
  Object.fromEntries(sourcesOf(datasets).map(({ id }) => [id, findFiles(id)]))

/**
 * Splits a computation into tasks of about the same number of events; each ends at the first interval end after a row
 * group.
 */
export function planCompute(range: ComputeRange, sourceFiles: RawSourceFiles): ComputePlan {
  const missing: string[] = []
  const sources = sourcesOf(range.datasets).map((source) => {
    const files = sourceFiles[source.id] ?? []
    const gaps = missingDays(files, range.startDay, range.endDay)
    if (gaps.length > 0) missing.push(`${source.id}: no file for ${gaps.join(', ')}`)
    const eventRanges = eventRangesOf(files, source, range)
    if (
      source.needsPrevious &&
      eventRanges.length > 0 &&
      eventRanges.every(({ minUs }) => minUs >= range.startDay * usPerDay)
    )
      missing.push(
        `${source.id}: no file before ${dayFromNumber(range.startDay)}, although the first rows need earlier events`,
      )
    return { ...source, eventRanges }
  })
  const edges = taskEdges(range, sources)
  const tasks = edges.slice(1).map((endUs, i): ComputeTask => {
    const eventRanges = sources.map(({ id, eventRanges: all, needsPrevious }) => [
      id,
      needsPrevious ? rangesAsOf(all, edges[i], endUs) : rangesWithin(all, edges[i], endUs),
    ])
    const { datasets, intervalSeconds, timestamp } = range
    return {
      datasets,
      intervalSeconds,
      timestamp,
      startUs: edges[i],
      endUs,
      eventRanges: Object.fromEntries(eventRanges),
    }
  })
  return { tasks, missing }
}

function sourcesOf(datasets: readonly MetricDatasetId[]): Omit<Source, 'eventRanges'>[] {
  const declared = datasets.map(metricDataset)
  const ids = new Set(declared.flatMap(({ drivingSource, asOf }) => [drivingSource, ...asOf]))
  return [...ids].map((id) => {
    if (!isRawDatasetId(id)) {
      const names = declared.filter(({ drivingSource }) => drivingSource === id).map((dataset) => dataset.id)
      throw new AppError(
        'unsupported',
        `${names.join(', ')} ${names.length === 1 ? 'needs' : 'need'} order-book snapshots, which raw events do not have.`,
      )
    }
    return {
      id,
      drives: declared.some(({ drivingSource }) => drivingSource === id),
      needsPrevious: declared.some(({ asOf }) => asOf.includes(id)),
    }
  })
}

/**
 * Selects the row groups to read. Files are split by exchange time, so by arrival time an event may be in the file of
 * the day before or after. Older files are read until none can contain a later event before the range.
 */
function eventRangesOf(
  files: readonly RawFile[],
  source: Omit<Source, 'eventRanges'>,
  range: ComputeRange,
): EventRange[] {
  const column = timeColumn(range.timestamp)
  const read = ({ path }: RawFile) => {
    using file = new ParquetFile(path)
    return readEventRanges(file, column)
  }
  const isNear = ({ startDay, endDay }: RawFile) => endDay >= range.startDay && startDay <= range.endDay
  const eventRanges = files.filter(isNear).flatMap(read)
  if (!source.needsPrevious) return eventRanges
  const startUs = range.startDay * usPerDay
  const earlier = files.filter((file) => !isNear(file) && file.endDay < range.startDay)
  const daysLate = range.timestamp === 'true' ? 1 : 0
  for (const file of earlier.toReversed()) {
    if (lastKnownUs(eventRanges, startUs) >= (file.endDay + daysLate) * usPerDay) break
    eventRanges.unshift(...read(file))
  }
  return eventRanges
}

/**
 * Chooses the boundaries of tasks in microseconds, the start and the end of the range included: ends of intervals (of
 * days if state is carried through a day), each after about the same number of events.
 */
function taskEdges(range: ComputeRange, sources: readonly Source[]): number[] {
  const startUs = range.startDay * usPerDay
  const endUs = range.endDay * usPerDay
  const needsWholeDays = range.datasets.some((dataset) => buckets[dataset].needsWholeDay)
  const stepUs = needsWholeDays ? usPerDay : range.intervalSeconds * 1e6
  const drivingSources = sources
    .filter(({ drives }) => drives)
    .flatMap((source) => rangesWithin(source.eventRanges, startUs, endUs))
  const edges = [startUs]
  const total = drivingSources.reduce((sum, { rows }) => sum + rows, 0)
  const wantedEvents = Math.ceil(total / (TASKS_PER_THREAD * range.threads))
  const { least, most } = eventsPerTask
  const taskCount = Math.ceil(total / Math.min(Math.max(wantedEvents, least), most))
  let events = 0
  for (const { maxUs, rows } of drivingSources.toSorted((a, b) => a.maxUs - b.maxUs)) {
    events += rows
    const edgeUs = Math.ceil((maxUs + 1) / stepUs) * stepUs
    // All tasks should take equally long, and each task but the last also reads the row group after its own.
    const isEnough = edges.length < taskCount && events + rows >= (total * edges.length) / taskCount
    if (isEnough && edgeUs > edges[edges.length - 1] && edgeUs < endUs) edges.push(edgeUs)
  }
  return [...edges, endUs]
}
