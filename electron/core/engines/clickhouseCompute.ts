import type { TimestampSource } from '#shared/catalog/intervals.ts'
import { metricDataset, type MetricDatasetId } from '#shared/catalog/metricDatasets.ts'
import { isRawDatasetId, type RawDatasetId } from '#shared/catalog/rawDatasets.ts'
import type { EngineComputed } from '#shared/contract/areas/raw.ts'
import type { EngineOrigin } from '#shared/contract/engineOrigin.ts'
import { AppError } from '#shared/contract/errors.ts'
import type { Progress } from '#shared/contract/protocol.ts'
import { isPlanned } from '#shared/engines/metricPlans.ts'
import { metricQuery, sourcesRead } from '#shared/engines/metricQuery.ts'
import type { PlannedDatasetId } from '#shared/engines/plan.ts'
import { engineFolder, type RawPlace } from '#shared/engines/script.ts'
import { clickHouseFiles } from '#shared/engines/spellings/sources.ts'
import type { MetricRows } from '#shared/metrics/metricRows.ts'
import { parseInterval } from '#shared/time.ts'
import { dayFromNumber, type DayNumber } from '#shared/time/periods.ts'
import type { ClickHouse } from '#core/clients/clickhouse.ts'
import { type ComputedFileDeps, computedPlace, engineMark } from '#core/compute/computedFile.ts'
import { missingDays } from '#core/compute/rawFiles.ts'
import { checkValues, type DayPlace, type EngineSource, findSource, hashOf } from './clickhouseSources.ts'
import { hasSize, writeDay } from './computedDay.ts'

export interface EngineOrder {
  connectionId: string
  datasets: MetricDatasetId[]
  pairs: { exchange: string; symbol: string }[]
  interval: string
  timestamp: TimestampSource
  startDay: DayNumber
  /** Not included. */
  endDay: DayNumber
  raw: RawPlace
  /** Folder or `s3://` address at the engine where the results stay; null for the cache. */
  out: string | null
  /** Number of statements that run at a time. */
  parallel: number
}

export interface EngineDeps extends ComputedFileDeps {
  engine: ClickHouse
  cluster: string
}

interface WorkOptions {
  signal: AbortSignal
  onProgress(progress: Progress): void
}

/**
 * Computes metrics on a ClickHouse server, day by day and symbol by symbol. A day is there whole or not at all; after an
 * interruption the days that are whole stay, and the same order again computes the others.
 */
export async function computeOnClickHouse(
  deps: EngineDeps,
  order: EngineOrder,
  { signal, onProgress }: WorkOptions,
): Promise<EngineComputed> {
  const datasets = order.datasets.map(plannedId)
  const { version, notes } = await greet(deps, signal)
  const missing: string[] = []
  const units: Unit[] = []
  for (const pair of order.pairs) units.push(...(await unitsOf(deps, { ...order, ...pair, datasets }, missing, signal)))
  if (units.length === 0) throw nothingThere(missing)
  const tallies = new Map<string, EngineComputed['outputs'][number]>()
  let done = 0
  await inParallel(units, order.parallel, signal, async (unit, together) => {
    const result = await computeUnit(deps, order, unit, version, together)
    add(tallies, unit, result)
    done++
    onProgress({ done, total: units.length, message: `${unit.symbol} ${dayFromNumber(unit.day)}` })
  })
  const outputs = [...tallies.values()]
  if (outputs.every(({ files, kept }) => files + kept === 0)) throw nothingThere(missing)
  return { engine: 'clickhouse', version, outputs, missing, notes }
}

function plannedId(dataset: MetricDatasetId): PlannedDatasetId {
  if (isPlanned(dataset)) return dataset
  throw new AppError('unsupported', `${dataset}: needs order-book snapshots, which raw events do not have.`)
}

const nothingThere = (missing: readonly string[]) =>
  new AppError(
    'not-found',
    `ClickHouse finds no raw events to compute this from${missing.length > 0 ? ` (${missing.slice(0, 3).join('; ')})` : ''}.`,
  )

/** A clock that is off by this much is worth a note: results do not depend on it, signatures of S3 do. */
const SKEW_MS = 60_000

/** Asks the server for its version and its clock. */
async function greet({ engine, clock }: EngineDeps, signal: AbortSignal) {
  const before = clock.nowMs()
  const answer = await engine.rows('SELECT version(), toUnixTimestamp64Milli(now64(3)), 1', signal)
  const [version, nowMs, one] = answer[0] ?? []
  if (answer.length !== 1 || one !== '1' || !/^\d+\.\d+/.test(version) || !Number.isFinite(Number(nowMs)))
    throw new AppError('bad-answer', 'The server does not answer as ClickHouse does; check the address and the port.')
  const skewMs = Number(nowMs) - before
  const minutes = Math.round(Math.abs(skewMs) / 60_000)
  const notes =
    Math.abs(skewMs) > SKEW_MS
      ? [`the clock of the server is ${minutes} min ${skewMs > 0 ? 'ahead' : 'behind'}; results do not depend on it`]
      : []
  return { version, notes }
}

/** One day of one symbol. */
interface Unit {
  exchange: string
  symbol: string
  day: DayNumber
  datasets: PlannedDatasetId[]
  sources: ReadonlyMap<RawDatasetId, EngineSource>
}

type PairOrder = Omit<EngineOrder, 'datasets' | 'pairs'> & {
  exchange: string
  symbol: string
  datasets: PlannedDatasetId[]
}

async function unitsOf(
  { engine, cluster }: EngineDeps,
  order: PairOrder,
  missing: string[],
  signal: AbortSignal,
): Promise<Unit[]> {
  const { exchange, symbol, startDay, endDay } = order
  const sources = new Map<RawDatasetId, EngineSource>()
  for (const id of new Set(order.datasets.flatMap(sourcesRead))) {
    const source = await findSource(engine, { ...order, cluster }, order, id, signal)
    sources.set(id, source)
    const gaps = source.files ? missingDays(source.files, startDay, endDay) : []
    if (gaps.length > 0) missing.push(`${symbol} on ${exchange}: ${id}: no file for ${gaps.join(', ')}`)
  }
  const units: Unit[] = []
  for (let day = startDay; day < endDay; day++) {
    const datasets = order.datasets.filter((dataset) => {
      const files = sources.get(drivingOf(dataset))?.files
      return !files || files.some((file) => file.startDay <= day && day < file.endDay)
    })
    if (datasets.length > 0) units.push({ exchange, symbol, day, datasets, sources })
  }
  return units
}

function drivingOf(dataset: PlannedDatasetId): RawDatasetId {
  const { driving } = metricDataset(dataset)
  if (!isRawDatasetId(driving)) throw new RangeError(`${dataset} has no raw events`)
  return driving
}

interface DayResult {
  dataset: PlannedDatasetId
  rows: number
  isKept: boolean
  place: string | null
}

async function computeUnit(
  deps: EngineDeps,
  order: EngineOrder,
  unit: Unit,
  version: string,
  signal: AbortSignal,
): Promise<DayResult[]> {
  const places = new Map<string, Promise<DayPlace>>()
  /** Looks at the events of a source once for all datasets that read them in the same way. */
  const placeOf = (id: RawDatasetId, isLookedBackAt: boolean) => {
    const key = `${id} ${isLookedBackAt}`
    const found =
      places.get(key) ?? checkedPlace(deps.engine, order, unit, unit.sources.get(id)!, isLookedBackAt, signal)
    places.set(key, found)
    return found
  }
  const results: DayResult[] = []
  for (const dataset of unit.datasets) {
    const { asOf } = metricDataset(dataset)
    const read = new Map<RawDatasetId, DayPlace>()
    for (const id of sourcesRead(dataset)) read.set(id, await placeOf(id, asOf.includes(id)))
    results.push(await computeDay(deps, order, { ...unit, dataset, read, version }, signal))
  }
  return results
}

async function checkedPlace(
  engine: ClickHouse,
  { timestamp }: EngineOrder,
  { day }: Unit,
  source: EngineSource,
  isLookedBackAt: boolean,
  signal: AbortSignal,
): Promise<DayPlace> {
  const found = await source.placeOf(day, isLookedBackAt, signal)
  await checkValues(engine, { id: source.id, day, timestamp }, found, signal)
  return found
}

interface DayOfDataset extends Unit {
  dataset: PlannedDatasetId
  read: ReadonlyMap<RawDatasetId, DayPlace>
  version: string
}

const US_PER_DAY = 86_400_000_000

async function computeDay(
  deps: EngineDeps,
  order: EngineOrder,
  unit: DayOfDataset,
  signal: AbortSignal,
): Promise<DayResult> {
  const { dataset, day, read, version } = unit
  const sql = metricQuery('clickhouse', {
    dataset,
    intervalSeconds: parseInterval(order.interval)!,
    timestamp: order.timestamp,
    startUs: day * US_PER_DAY,
    endUs: (day + 1) * US_PER_DAY,
    places: Object.fromEntries([...read].map(([id, { place }]) => [id, place])),
  })
  if (order.out !== null) return leaveThere(deps.engine, { ...order, out: order.out }, unit, sql, signal)
  const source = [...read.values()].flatMap((each) => each.source)
  const origin: EngineOrigin = { engine: 'clickhouse', version, sqlSha256: hashOf(sql), source }
  const mark = engineMark(hashOf(sql, ...[...read.values()].map(({ stamp }) => stamp)))
  return bringHome(deps, order, unit, { sql, origin, mark }, signal)
}

/** Brings the rows of a day into the cache, unless the same query over the same events was brought before. */
async function bringHome(
  deps: EngineDeps,
  order: EngineOrder,
  { exchange, symbol, dataset, day }: DayOfDataset,
  { sql, origin, mark }: { sql: string; origin: EngineOrigin; mark: string },
  signal: AbortSignal,
): Promise<DayResult> {
  const { connectionId, interval, timestamp } = order
  const place = computedPlace(deps.store, { connectionId, exchange, symbol, dataset, interval, timestamp }, day)
  const known = deps.store.files.find(place.series, dayFromNumber(day))
  if (known?.etag === mark && (await hasSize(place.path, known.sizeBytes)))
    return { dataset, rows: 0, isKept: true, place: null }
  const width = metricDataset(dataset).columns.length
  const bytes = await deps.engine.bytes(rowsQuery(dataset, sql), signal, maxBytesOf(order.interval, width))
  const rows = metricRowsOf(dataset, bytes, { startMs: day * 86_400_000, stepMs: parseInterval(interval)! * 1000 })
  if (rows.timeMs.length === 0) return { dataset, rows: 0, isKept: false, place: null }
  await writeDay(deps, day, { ...place, mark, origin }, rows)
  return { dataset, rows: rows.timeMs.length, isKept: false, place: place.path }
}

/** Largest answer of a day: one row an interval, with its time and the number of all rows, or what the server says instead. */
const maxBytesOf = (interval: string, columns: number) =>
  (86_400 / parseInterval(interval)!) * (columns + 2) * 8 + MOST_WORDS_BYTES
const MOST_WORDS_BYTES = 65_536

/** Writes the rows of a day where the engine keeps them, in the layout of the cache. */
async function leaveThere(
  engine: ClickHouse,
  order: EngineOrder & { out: string },
  { exchange, symbol, dataset, day }: DayOfDataset,
  sql: string,
  signal: AbortSignal,
): Promise<DayResult> {
  const { interval, timestamp, out } = order
  const place = `${engineFolder({ exchange, symbol, dataset, interval, timestamp, out })}/${dayFromNumber(day)}.parquet`
  const file = clickHouseFiles([place], 'Parquet')
  await engine.bytes(`INSERT INTO FUNCTION ${file}\n${sql}`, signal)
  const [[rows]] = await engine.rows(`SELECT count() FROM ${file}`, signal)
  return { dataset, rows: Number(rows), isKept: false, place }
}

function add(tallies: Map<string, EngineComputed['outputs'][number]>, unit: Unit, results: readonly DayResult[]): void {
  const { exchange, symbol } = unit
  for (const { dataset, rows, isKept, place } of results) {
    const key = JSON.stringify([exchange, symbol, dataset])
    const tally = tallies.get(key) ?? { dataset, exchange, symbol, files: 0, kept: 0, rows: 0, places: [] }
    tallies.set(key, tally)
    if (isKept) tally.kept++
    if (place !== null) tally.places.push(place)
    if (place !== null) tally.files++
    tally.rows += rows
  }
}

/** Does work for each item, some at a time; the first failure ends the others. */
async function inParallel<Item>(
  items: readonly Item[],
  atATime: number,
  signal: AbortSignal,
  work: (item: Item, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const stop = new AbortController()
  const together = AbortSignal.any([signal, stop.signal])
  let next = 0
  const worker = async () => {
    while (next < items.length && !together.aborted) await work(items[next++], together)
  }
  const workers = Array.from({ length: Math.min(atATime, items.length) }, () =>
    worker().catch((thrown: unknown) => {
      const isFirst = !stop.signal.aborted
      stop.abort()
      if (isFirst) throw thrown
    }),
  )
  const ends = await Promise.allSettled(workers)
  signal.throwIfAborted()
  for (const end of ends) if (end.status === 'rejected') throw end.reason
}

/**
 * Asks for the rows of a query as fixed numbers of 8 bytes: time, the number of all rows, then the columns with NaN for null.
 * Each row says how many there are, because an answer that was cut, or goes on with a message of the server, could otherwise
 * pass for a whole one.
 */
function rowsQuery(dataset: PlannedDatasetId, sql: string): string {
  const columns = metricDataset(dataset).columns.map(({ name }) => `ifNull(toFloat64(${name}), nan)`)
  const selected = ['toInt64(time) AS row_time', 'toFloat64(count() OVER ())', ...columns].join(', ')
  return `SELECT ${selected} FROM (\n${sql}\n) ORDER BY row_time FORMAT RowBinary`
}

/** Reads the answer of `rowsQuery`; refuses one that is not whole or has times that no row of the day can have. */
function metricRowsOf(
  dataset: PlannedDatasetId,
  bytes: Uint8Array,
  { startMs, stepMs }: { startMs: number; stepMs: number },
): MetricRows {
  const { columns } = metricDataset(dataset)
  const rowBytes = (columns.length + 2) * 8
  const count = bytes.length / rowBytes
  if (!Number.isInteger(count)) throw notWhole(dataset, bytes)
  const cells = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const timeMs = new Float64Array(count)
  const values = columns.map(() => new Float64Array(count))
  for (let row = 0; row < count; row++) {
    const at = row * rowBytes
    timeMs[row] = Number(cells.getBigInt64(at, true))
    const isOfDay =
      timeMs[row] >= startMs && timeMs[row] < startMs + 86_400_000 && (timeMs[row] - startMs) % stepMs === 0
    const isNext = row === 0 || timeMs[row] === timeMs[row - 1] + stepMs
    if (!isOfDay || !isNext || cells.getFloat64(at + 8, true) !== count) throw notWhole(dataset, bytes)
    for (const [j, column] of values.entries()) column[row] = cells.getFloat64(at + 16 + j * 8, true)
  }
  return { dataset, timeMs, columns: values }
}

function notWhole(dataset: string, bytes: Uint8Array): AppError {
  const own = /Code: \d+\. DB::Exception: [^\0]*/.exec(Buffer.from(bytes.subarray(-4096)).toString())?.[0]
  const reason = own ? ` (${own.replace(/\s+/g, ' ').slice(0, 300)})` : ''
  return new AppError('bad-answer', `ClickHouse: the answer for ${dataset} is not whole${reason}.`)
}
