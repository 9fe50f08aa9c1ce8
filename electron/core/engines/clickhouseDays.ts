import type { TimestampSource } from '#shared/catalog/intervals.ts'
import { metricDataset, type MetricDatasetId } from '#shared/catalog/metricDatasets.ts'
import { isRawDatasetId, type RawDatasetId } from '#shared/catalog/rawDatasets.ts'
import { AppError } from '#shared/contract/errors.ts'
import { hasMetricPlan } from '#shared/metrics/datasetComputations.ts'
import { metricQuery, sourcesRead } from '#shared/engines/metricQuery.ts'
import type { PlannedDatasetId } from '#shared/metrics/plan.ts'
import type { MetricRows } from '#shared/metrics/metricRows.ts'
import type { Continuation } from '#shared/metrics/rowFiller.ts'
import { parseInterval } from '#shared/time.ts'
import type { DayNumber } from '#shared/time/periods.ts'
import type { ClickHouse } from '#core/clients/clickhouse.ts'
import type { Clock } from '#core/ports.ts'
import { checkSourceValues, type DayPlace, type EngineSource } from './clickhouseSources.ts'

export function requirePlannedDataset(dataset: MetricDatasetId): PlannedDatasetId {
  if (hasMetricPlan(dataset)) return dataset
  throw new AppError('unsupported', `${dataset} needs order-book snapshots, which raw events do not have.`)
}

/** Clock difference worth a note: results do not depend on it, but S3 signatures do. */
const SKEW_MS = 60_000

/** Requests the server's version, and notes whether its clock is off; throws if the server is not ClickHouse. */
export async function checkServer({ engine, clock }: { engine: ClickHouse; clock: Clock }, signal: AbortSignal) {
  const askedAtMs = clock.nowMs()
  const answer = await engine.rows('SELECT version(), toUnixTimestamp64Milli(now64(3)), 1', signal)
  const [version, nowMs, one] = answer[0] ?? []
  if (answer.length !== 1 || one !== '1' || !/^\d+\.\d+/.test(version) || !Number.isFinite(Number(nowMs)))
    throw new AppError('bad-answer', 'The server does not respond like ClickHouse; check the address and the port.')
  const skewMs = Number(nowMs) - askedAtMs
  const minutes = Math.round(Math.abs(skewMs) / 60_000)
  const notes =
    Math.abs(skewMs) > SKEW_MS
      ? [`the clock of the server is ${minutes} min ${skewMs > 0 ? 'ahead' : 'behind'}; results do not depend on it`]
      : []
  return { version, notes }
}

export function drivingDataset(dataset: PlannedDatasetId): RawDatasetId {
  const { drivingSource } = metricDataset(dataset)
  if (!isRawDatasetId(drivingSource)) throw new RangeError(`${dataset} has no raw events`)
  return drivingSource
}

/** Places from which a dataset reads the events of a day, by raw dataset. */
export type DayPlaces = ReadonlyMap<RawDatasetId, DayPlace>

/**
 * Creates a function that finds where to read a day; events of a source are validated once for all datasets that read
 * them the same way.
 */
export function createPlaceFinder(
  engine: ClickHouse,
  timestamp: TimestampSource,
  day: DayNumber,
  sourceOf: (id: RawDatasetId) => Promise<EngineSource>,
): (dataset: PlannedDatasetId, signal: AbortSignal) => Promise<DayPlaces> {
  const placeByKey = new Map<string, Promise<DayPlace>>()
  async function checkedPlace(id: RawDatasetId, needsPrevious: boolean, signal: AbortSignal): Promise<DayPlace> {
    const found = await (await sourceOf(id)).placeOf(day, needsPrevious, signal)
    await checkSourceValues(engine, { id, day, timestamp }, found, signal)
    return found
  }
  return async (dataset, signal) => {
    const { asOf } = metricDataset(dataset)
    const placeBySource = new Map<RawDatasetId, DayPlace>()
    for (const id of sourcesRead(dataset)) {
      const key = `${id} ${asOf.includes(id)}`
      const place = placeByKey.get(key) ?? checkedPlace(id, asOf.includes(id), signal)
      placeByKey.set(key, place)
      placeBySource.set(id, await place)
    }
    return placeBySource
  }
}

const US_PER_DAY = 86_400_000_000

/** Builds the SQL query of a dataset for one day. */
export const dayQuery = (
  { interval, timestamp }: { interval: string; timestamp: TimestampSource },
  dataset: PlannedDatasetId,
  day: DayNumber,
  places: DayPlaces,
  continuation: Continuation,
): string =>
  metricQuery('clickhouse', {
    dataset,
    intervalSeconds: parseInterval(interval)!,
    timestamp,
    startUs: day * US_PER_DAY,
    endUs: (day + 1) * US_PER_DAY,
    places: Object.fromEntries([...places].map(([id, { place }]) => [id, place])),
    continuation,
  })

/** Queries the rows of a day. */
export async function dayRows(
  engine: ClickHouse,
  { interval, dataset, day, sql }: { interval: string; dataset: PlannedDatasetId; day: DayNumber; sql: string },
  signal: AbortSignal,
): Promise<MetricRows> {
  const width = metricDataset(dataset).columns.length
  const bytes = await engine.bytes(rowsQuery(dataset, sql), signal, maxBytesOf(interval, width))
  return metricRowsOf(dataset, bytes, { startMs: day * 86_400_000, stepMs: parseInterval(interval)! * 1000 })
}

/**
 * Returns the maximum size of the response for a day: one row (time, row count and values) per interval, and room for
 * an error message.
 */
const maxBytesOf = (interval: string, columns: number) =>
  (86_400 / parseInterval(interval)!) * (columns + 2) * 8 + MOST_MESSAGE_BYTES
const MOST_MESSAGE_BYTES = 65_536

/**
 * Builds a query that returns rows of 8-byte numbers: the time, the total row count, then the columns with NaN for
 * null. Each row repeats the count, because a truncated response, or one followed by an error message, could otherwise
 * pass for complete.
 */
function rowsQuery(dataset: PlannedDatasetId, sql: string): string {
  const columns = metricDataset(dataset).columns.map(({ name }) => `ifNull(toFloat64(${name}), nan)`)
  const selectList = ['toInt64(time) AS row_time', 'toFloat64(count() OVER ())', ...columns].join(', ')
  return `SELECT ${selectList} FROM (\n${sql}\n) ORDER BY row_time FORMAT RowBinary`
}

/** Parses the response to `rowsQuery`; throws if it is incomplete, or times are outside the day or not consecutive. */
function metricRowsOf(
  dataset: PlannedDatasetId,
  bytes: Uint8Array,
  { startMs, stepMs }: { startMs: number; stepMs: number },
): MetricRows {
  const { columns } = metricDataset(dataset)
  const rowBytes = (columns.length + 2) * 8
  const count = bytes.length / rowBytes
  if (!Number.isInteger(count)) throw incompleteAnswerError(dataset, bytes)
  const cells = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const timeMs = new Float64Array(count)
  const values = columns.map(() => new Float64Array(count))
  for (let row = 0; row < count; row++) {
    const offset = row * rowBytes
    timeMs[row] = Number(cells.getBigInt64(offset, true))
    const isInDay =
      timeMs[row] >= startMs && timeMs[row] < startMs + 86_400_000 && (timeMs[row] - startMs) % stepMs === 0
    const isNext = row === 0 || timeMs[row] === timeMs[row - 1] + stepMs
    if (!isInDay || !isNext || cells.getFloat64(offset + 8, true) !== count) throw incompleteAnswerError(dataset, bytes)
    for (const [j, column] of values.entries()) column[row] = cells.getFloat64(offset + 16 + j * 8, true)
  }
  return { dataset, timeMs, columns: values }
}

function incompleteAnswerError(dataset: string, bytes: Uint8Array): AppError {
  const serverMessage = /Code: \d+\. DB::Exception: [^\0]*/.exec(Buffer.from(bytes.subarray(-4096)).toString())?.[0]
  const reason = serverMessage ? ` (${serverMessage.replace(/\s+/g, ' ').slice(0, 300)})` : ''
  return new AppError('bad-answer', `ClickHouse: the answer for ${dataset} is incomplete${reason}.`)
}
