import { metricDataset, type MetricDatasetId } from '#shared/catalog/metricDatasets.ts'
import { isRawDatasetId } from '#shared/catalog/rawDatasets.ts'
import type { Continuation } from '#shared/metrics/rowFiller.ts'
import type { DayNumber } from '#shared/time/periods.ts'
import { type PlanInput, sourceFilesOf } from './computePlan.ts'
import type { ComputePool } from './computePool.ts'
import { mayHaveEventsIn } from './eventRowGroups.ts'
import type { FindRawFiles } from './rawFiles.ts'

/** Times of events, both inclusive, in microseconds since the epoch. */
export interface EventExtent {
  minUs: number
  maxUs: number
}

const US_PER_DAY = 86_400_000_000

/** Days whose rows belong together, although each is computed by itself. */
export interface ContinuedDays {
  startDay: DayNumber
  /** First day after the range. */
  endDay: DayNumber
}

/** Tells whether a range has driving events before and after one of its days. */
export const continuationOfDay = (
  extents: readonly EventExtent[],
  { startDay, endDay }: ContinuedDays,
  day: DayNumber,
): Continuation => ({
  before: extents.some((each) => mayHaveEventsIn(each, startDay * US_PER_DAY, day * US_PER_DAY)),
  after: extents.some((each) => mayHaveEventsIn(each, (day + 1) * US_PER_DAY, endDay * US_PER_DAY)),
})

/** Returns, for a day and a dataset, whether the range has events before and after. */
export type FindContinuation = (day: DayNumber, dataset: MetricDatasetId) => Continuation

/**
 * Reads from the footers of raw files when the driving events of a range are, so that its days can be computed one by
 * one. A file that cannot be read counts with the days in its name, because only its own day fails.
 */
export async function findContinuations(
  pool: Pick<ComputePool, 'plan'>,
  input: Omit<PlanInput, 'threads'>,
  findFiles: FindRawFiles,
  signal?: AbortSignal,
): Promise<FindContinuation> {
  const { datasets } = input
  const sourceFiles = sourceFilesOf(datasets, findFiles)
  const planned = await pool.plan({ ...input, threads: 1 }, sourceFiles, signal).catch((thrown: unknown) => {
    if (signal?.aborted) throw thrown
    return null
  })
  const extentsOf = (dataset: MetricDatasetId): readonly EventExtent[] => {
    const { drivingSource } = metricDataset(dataset)
    if (!isRawDatasetId(drivingSource)) return []
    if (planned) return planned.tasks.flatMap(({ rowGroups }) => rowGroups[drivingSource] ?? [])
    const files = sourceFiles[drivingSource] ?? []
    return files.map(({ startDay, endDay }) => ({ minUs: startDay * US_PER_DAY, maxUs: endDay * US_PER_DAY - 1 }))
  }
  const extentsByDataset = new Map(datasets.map((dataset) => [dataset, extentsOf(dataset)]))
  return (day, dataset) => continuationOfDay(extentsByDataset.get(dataset) ?? [], input, day)
}
