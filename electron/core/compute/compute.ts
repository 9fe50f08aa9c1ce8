import type { TimestampSource } from '#shared/catalog/intervals.ts'
import { metricDataset, type MetricDatasetId } from '#shared/catalog/metricDatasets.ts'
import { AppError } from '#shared/contract/errors.ts'
import type { MetricRows } from '#shared/metrics/metricRows.ts'
import { type Continuation, type RangePart, RowFiller } from '#shared/metrics/rowFiller.ts'
import { type Day, MS_PER_DAY } from '#shared/time.ts'
import { dayNumberOf } from '#shared/time/periods.ts'
import { type ComputeTask, sourceFilesOf } from './computePlan.ts'
import { type ComputePool, computeThreads, createComputePool } from './computePool.ts'
import { MetricFileWriter } from './metricFile.ts'
import type { FindRawFiles } from './rawFiles.ts'

export interface ComputeOutput {
  dataset: MetricDatasetId
  path: string
}

export interface ComputeRequest {
  /** Distinct datasets to compute; inputs that they share are read once. */
  outputs: ComputeOutput[]
  intervalSeconds: number
  timestamp: TimestampSource
  startDay: Day
  /** First day after the range. */
  endDay: Day
  findFiles: FindRawFiles
  /** Returns whether a longer range, of which this is a part, has events of a dataset before and after. */
  continuationOf?: ((dataset: MetricDatasetId) => Continuation) | undefined
}

interface ComputeProgress {
  doneTasks: number
  tasks: number
}

export interface ComputeResult {
  outputs: (ComputeOutput & { rows: number })[]
  /** Descriptions of what is missing, as in `ComputePlan`. */
  missing: string[]
  /** True if a source has no file for some of the days, as in `ComputePlan`. */
  lacksDays: boolean
}

export interface ComputeOptions {
  signal?: AbortSignal
  onProgress?: (progress: ComputeProgress) => void
  /** Number of threads for which the tasks are planned; the temporary pool has as many if no pool is given. */
  threads?: number
  pool?: ComputePool
}

const partOf = ({ continuationOf, startDay, endDay }: ComputeRequest, dataset: MetricDatasetId): RangePart | null =>
  continuationOf
    ? {
        ...continuationOf(dataset),
        startMs: dayNumberOf(startDay) * MS_PER_DAY,
        endMs: dayNumberOf(endDay) * MS_PER_DAY,
      }
    : null

/** Computes metric datasets from raw-event files; either all outputs appear or none. */
export async function computeMetrics(request: ComputeRequest, options: ComputeOptions = {}): Promise<ComputeResult> {
  const { outputs, intervalSeconds, timestamp, findFiles } = request
  const input = {
    datasets: outputs.map(({ dataset }) => dataset),
    intervalSeconds,
    timestamp,
    startDay: dayNumberOf(request.startDay),
    endDay: dayNumberOf(request.endDay),
    threads: options.threads ?? computeThreads(),
  }
  const sourceFiles = sourceFilesOf(input.datasets, findFiles)
  const pool = options.pool ?? createComputePool(options.threads ?? computeThreads())
  const files: MetricFileWriter[] = []
  try {
    const { tasks, missing, lacksDays } = await pool.plan(input, sourceFiles, options.signal)
    for (const { path, dataset } of outputs) files.push(new MetricFileWriter(path, dataset))
    const fillers = outputs.map(({ dataset }) => new RowFiller(dataset, intervalSeconds, partOf(request, dataset)))
    await runInOrder(tasks, pool, options, async (rows) => {
      for (const [i, datasetRows] of rows.entries()) await files[i].add(fillers[i].fill(datasetRows))
    })
    for (const [i, filler] of fillers.entries()) await files[i].add(filler.finish())
    for (const [i, file] of files.entries())
      if (file.rows + file.waitingRows === 0) throw noEventsError(outputs[i].dataset, missing)
    await MetricFileWriter.finishAll(files, pool.encode)
    return { outputs: outputs.map((output, i) => ({ ...output, rows: files[i].rows })), missing, lacksDays }
  } finally {
    for (const file of files) file.discard()
    if (!options.pool) await pool.close()
  }
}

/** Creates the error for a range without events to compute from. */
export function noEventsError(dataset: MetricDatasetId, missing: readonly string[]): AppError {
  const { drivingSource } = metricDataset(dataset)
  const missingText = missing.length > 0 ? ` (${missing.join('; ')})` : ''
  return new AppError(
    'not-here',
    `${dataset}: there are no raw events of ${drivingSource} in this range${missingText}.`,
  )
}

/** Submits tasks to the pool, some in advance, and passes their rows on in time order. */
async function runInOrder(
  tasks: readonly ComputeTask[],
  pool: ComputePool,
  { signal, onProgress }: ComputeOptions,
  onRows: (rows: MetricRows[]) => Promise<void>,
): Promise<void> {
  const tasksAhead = 2 * computeThreads() + 2
  const startedTasks: Promise<MetricRows[]>[] = []
  const start = () => {
    if (startedTasks.length === tasks.length) return
    const rows = pool.rows(tasks[startedTasks.length], signal)
    // The promise is awaited only when its turn comes; without a handler, an earlier failure would count as unhandled.
    rows.catch(() => undefined)
    startedTasks.push(rows)
  }
  for (let i = 0; i < tasksAhead; i++) start()
  for (let i = 0; i < tasks.length; i++) {
    await onRows(await startedTasks[i])
    onProgress?.({ doneTasks: i + 1, tasks: tasks.length })
    start()
  }
}
