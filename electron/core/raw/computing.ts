import { rm } from 'node:fs/promises'
import type { TimestampSource } from '#shared/catalog/intervals.ts'
import { metricDataset, type MetricDatasetId } from '#shared/catalog/metricDatasets.ts'
import { isRawDatasetId } from '#shared/catalog/rawDatasets.ts'
import type { ComputationResult } from '#shared/contract/areas/raw.ts'
import { AppError, toAppError } from '#shared/contract/errors.ts'
import { parseInterval } from '#shared/time.ts'
import { dayFromNumber, type DayNumber } from '#shared/time/periods.ts'
import { cachedRawFileFinder, type FindRawFiles, oncePerDataset } from '#core/compute/rawFiles.ts'
import { computeMetrics, type ComputeRequest } from '#core/compute/compute.ts'
import { findContinuations } from '#core/compute/continuation.ts'
import { computedPlace, recordComputedDay } from '#core/compute/computedFile.ts'
import { PART_SUFFIX } from '#core/store/cacheFolder.ts'
import { createSourceHashes, type SourceHashOf } from './computedSeries.ts'
import { createGuardedComputePool } from '#core/compute/computePool.ts'
import type { StartProcess } from '#core/ports.ts'
import type { ImportFileDeps } from './importFile.ts'
import type { WorkOptions } from './imports.ts'

interface ComputeIntoCacheRequest {
  connectionId: string
  datasets: MetricDatasetId[]
  exchange: string
  symbol: string
  interval: string
  timestamp: TimestampSource
  startDay: DayNumber
  /** First day after the range. */
  endDay: DayNumber
}

export interface ComputingDeps extends ImportFileDeps {
  /** Starts separate processes that read the events, because cached files may have changed unnoticed. */
  startProcess?: StartProcess | undefined
}

/**
 * Computes metrics from cached raw events into daily files, which are stored apart from the connection's downloads. A
 * day is stored completely or not at all; after a cancellation, the finished days stay.
 */
export async function computeIntoCache(
  deps: ComputingDeps,
  request: ComputeIntoCacheRequest,
  { signal, onProgress }: WorkOptions,
): Promise<ComputationResult> {
  checkInterval(request.interval)
  const findFiles = oncePerDataset(cachedRawFileFinder(deps.store.files, deps.store.folder, request))
  const sourceHashOf = createSourceHashes(deps.store.files, request)
  const missing: string[] = []
  let files = 0
  let rows = 0
  const pool = createGuardedComputePool({ start: deps.startProcess })
  try {
    const { datasets, timestamp, startDay, endDay } = request
    const intervalSeconds = parseInterval(request.interval)!
    const range = { datasets, intervalSeconds, timestamp, startDay, endDay }
    const continuationOf = await findContinuations(pool, range, findFiles, signal)
    for (let day = startDay; day < endDay; day++) {
      const name = dayFromNumber(day)
      const availableDatasets = request.datasets.filter((dataset) => hasDrivingEvents(findFiles, dataset, day))
      const absentDatasets = request.datasets.filter((dataset) => !availableDatasets.includes(dataset))
      if (absentDatasets.length > 0) missing.push(`${name}: no raw events for ${absentDatasets.join(', ')}`)
      if (availableDatasets.length === 0) continue
      const onDay = ({ doneTasks, tasks }: { doneTasks: number; tasks: number }) =>
        onProgress({
          done: day - request.startDay + doneTasks / tasks,
          total: request.endDay - request.startDay,
          message: name,
        })
      try {
        const dayResult = await computeDay(
          deps,
          { ...request, datasets: availableDatasets },
          day,
          { findFiles, sourceHashOf, continuationOf: (dataset) => continuationOf(day, dataset) },
          {
            signal,
            pool,
            onProgress: onDay,
          },
        )
        files += dayResult.files
        rows += dayResult.rows
        missing.push(...dayResult.missing.map((message) => `${name}: ${message}`))
      } catch (thrown) {
        const error = toAppError(thrown)
        if (error.code !== 'not-here') throw thrown
        missing.push(`${name}: ${error.detail ?? error.sentence}`)
      }
    }
  } finally {
    await pool.close()
  }
  if (files === 0)
    throw new AppError(
      'not-here',
      `No raw events are cached for these metrics and days (${missing.slice(0, 3).join('; ')}).`,
    )
  return { files, rows, missing }
}

export function checkInterval(interval: string): void {
  if (parseInterval(interval) === null)
    throw new AppError(
      'bad-input',
      `“${interval.slice(0, 20)}” is not an interval. Enter a number and s, m, h or d that divide a day, such as 15m.`,
    )
}

function hasDrivingEvents(findFiles: FindRawFiles, id: MetricDatasetId, day: DayNumber): boolean {
  const { drivingSource } = metricDataset(id)
  if (!isRawDatasetId(drivingSource))
    throw new AppError('unsupported', `${id} needs order-book snapshots, which raw events do not have.`)
  return findFiles(drivingSource).some(({ startDay, endDay }) => startDay <= day && day < endDay)
}

type DayOptions = Parameters<typeof computeMetrics>[1]

async function computeDay(
  { store, commit, clock }: ImportFileDeps,
  { connectionId, datasets, exchange, symbol, interval, timestamp }: ComputeIntoCacheRequest,
  day: DayNumber,
  inputs: Pick<ComputeRequest, 'findFiles' | 'continuationOf'> & { sourceHashOf: SourceHashOf },
  options: DayOptions,
): Promise<{ files: number; rows: number; missing: string[] }> {
  const period = dayFromNumber(day)
  const places = datasets.map((dataset) => ({
    dataset,
    ...computedPlace(store, { connectionId, exchange, symbol, dataset, interval, timestamp }, day),
  }))
  try {
    const { outputs, missing } = await computeMetrics(
      {
        outputs: places.map(({ dataset, path }) => ({ dataset, path: path + PART_SUFFIX })),
        intervalSeconds: parseInterval(interval)!,
        timestamp,
        startDay: period,
        endDay: dayFromNumber(day + 1),
        findFiles: inputs.findFiles,
        continuationOf: inputs.continuationOf,
      },
      options,
    )
    const computedFiles = places.map((place) => ({
      ...place,
      etag: inputs.sourceHashOf(place.dataset, timestamp, day),
    }))
    await recordComputedDay({ store, commit, clock }, day, computedFiles)
    return { files: computedFiles.length, rows: outputs.reduce((sum, output) => sum + output.rows, 0), missing }
  } catch (thrown) {
    for (const { path } of places) await rm(path + PART_SUFFIX, { force: true }).catch(() => {})
    throw thrown
  }
}
