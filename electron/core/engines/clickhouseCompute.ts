import type { TimestampSource } from '#shared/catalog/intervals.ts'
import type { MetricDatasetId } from '#shared/catalog/metricDatasets.ts'
import type { RawDatasetId } from '#shared/catalog/rawDatasets.ts'
import type { EngineComputationResult } from '#shared/contract/areas/raw.ts'
import type { EngineOrigin } from '#shared/contract/engineOrigin.ts'
import { AppError } from '#shared/contract/errors.ts'
import type { Progress } from '#shared/contract/protocol.ts'
import { sourcesRead } from '#shared/engines/metricQuery.ts'
import type { PlannedDatasetId } from '#shared/metrics/plan.ts'
import { engineFolder, type RawPlace } from '#shared/engines/script.ts'
import { clickHouseFiles, textLiteral } from '#shared/engines/dialects/sources.ts'
import type { Continuation } from '#shared/metrics/rowFiller.ts'
import { dayFromNumber, type DayNumber } from '#shared/time/periods.ts'
import type { ClickHouse } from '#core/clients/clickhouse.ts'
import { type ComputedFileDeps, computedPlace, engineEtag } from '#core/compute/computedFile.ts'
import { continuationOfDay, type EventExtent } from '#core/compute/continuation.ts'
import { missingDays } from '#core/compute/rawFiles.ts'
import {
  createPlaceFinder,
  dayQuery,
  type DayPlaces,
  dayRows,
  drivingDataset,
  checkServer,
  requirePlannedDataset,
} from './clickhouseDays.ts'
import { type EngineSource, findSource, sourceHash } from './clickhouseSources.ts'
import { hasSize, writeDay } from './computedDay.ts'

export interface EngineRequest {
  connectionId: string
  datasets: MetricDatasetId[]
  pairs: { exchange: string; symbol: string }[]
  interval: string
  timestamp: TimestampSource
  startDay: DayNumber
  /** First day after the range. */
  endDay: DayNumber
  raw: RawPlace
  /** Folder or `s3://` address, as the server sees it, where the results stay; null to store them in the cache. */
  out: string | null
  /** Number of statements to run in parallel. */
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
 * Computes metrics on a ClickHouse server, day by day and symbol by symbol. A day of a dataset is stored completely or
 * not at all; after an interruption the complete days stay, and a second run into the cache computes only the rest.
 */
export async function computeOnClickHouse(
  deps: EngineDeps,
  request: EngineRequest,
  { signal, onProgress }: WorkOptions,
): Promise<EngineComputationResult> {
  const datasets = request.datasets.map(requirePlannedDataset)
  const { version, notes } = await checkServer(deps, signal)
  const missing: string[] = []
  const symbolDays: SymbolDayWork[] = []
  for (const pair of request.pairs)
    symbolDays.push(...(await symbolDaysOf(deps, { ...request, ...pair, datasets }, missing, signal)))
  if (symbolDays.length === 0) throw noEventsError(missing)
  const tallyByKey = new Map<string, EngineComputationResult['outputs'][number]>()
  let done = 0
  await inParallel(symbolDays, request.parallel, signal, async (symbolDay, combinedSignal) => {
    const result = await computeSymbolDay(deps, request, symbolDay, version, combinedSignal)
    addToTally(tallyByKey, symbolDay, result)
    done++
    onProgress({ done, total: symbolDays.length, message: `${symbolDay.symbol} ${dayFromNumber(symbolDay.day)}` })
  })
  const outputs = [...tallyByKey.values()].map((output) => ({ ...output, places: output.places.toSorted() }))
  if (outputs.every(({ files, kept }) => files + kept === 0)) throw noEventsError(missing)
  return { engine: 'clickhouse', version, outputs, missing, notes }
}

const noEventsError = (missing: readonly string[]) =>
  new AppError(
    'not-found',
    `ClickHouse found no raw events of this selection${missing.length > 0 ? ` (${missing.slice(0, 3).join('; ')})` : ''}.`,
  )

/** One day of one symbol. */
interface SymbolDayWork {
  exchange: string
  symbol: string
  day: DayNumber
  datasets: PlannedDatasetId[]
  sourceById: ReadonlyMap<RawDatasetId, EngineSource>
  /** Returns whether the range has events of a dataset before and after the day. */
  continuationOf: (dataset: PlannedDatasetId) => Continuation
}

type PairRequest = Omit<EngineRequest, 'datasets' | 'pairs'> & {
  exchange: string
  symbol: string
  datasets: PlannedDatasetId[]
}

async function symbolDaysOf(
  { engine, cluster }: EngineDeps,
  request: PairRequest,
  missing: string[],
  signal: AbortSignal,
): Promise<SymbolDayWork[]> {
  const { exchange, symbol, startDay, endDay } = request
  const sourceById = new Map<RawDatasetId, EngineSource>()
  for (const id of new Set(request.datasets.flatMap(sourcesRead))) {
    const source = await findSource(engine, { ...request, cluster }, request, id, signal)
    sourceById.set(id, source)
    const gaps = source.files ? missingDays(source.files, startDay, endDay) : []
    if (gaps.length > 0) missing.push(`${symbol} on ${exchange}: ${id}: no file for ${gaps.join(', ')}`)
  }
  const extentById = new Map<RawDatasetId, EventExtent | null>()
  for (const id of new Set(request.datasets.map(drivingDataset)))
    extentById.set(id, endDay - startDay > 1 ? await sourceById.get(id)!.extentIn(request, signal) : null)
  const symbolDays: SymbolDayWork[] = []
  for (let day = startDay; day < endDay; day++) {
    const datasets = request.datasets.filter((dataset) => {
      const files = sourceById.get(drivingDataset(dataset))?.files
      return !files || files.some((file) => file.startDay <= day && day < file.endDay)
    })
    const continuationOf = (dataset: PlannedDatasetId) => {
      const extent = extentById.get(drivingDataset(dataset))
      return continuationOfDay(extent ? [extent] : [], request, day)
    }
    if (datasets.length > 0) symbolDays.push({ exchange, symbol, day, datasets, sourceById, continuationOf })
  }
  return symbolDays
}

interface DayResult {
  dataset: PlannedDatasetId
  rows: number
  isKept: boolean
  place: string | null
}

async function computeSymbolDay(
  deps: EngineDeps,
  request: EngineRequest,
  symbolDay: SymbolDayWork,
  version: string,
  signal: AbortSignal,
): Promise<DayResult[]> {
  const placesOf = createPlaceFinder(deps.engine, request.timestamp, symbolDay.day, (id) =>
    Promise.resolve(symbolDay.sourceById.get(id)!),
  )
  const results: DayResult[] = []
  for (const dataset of symbolDay.datasets) {
    const places = await placesOf(dataset, signal)
    results.push(await computeDay(deps, request, { ...symbolDay, dataset, places, version }, signal))
  }
  return results
}

interface DatasetDay extends SymbolDayWork {
  dataset: PlannedDatasetId
  places: DayPlaces
  version: string
}

async function computeDay(
  deps: EngineDeps,
  request: EngineRequest,
  datasetDay: DatasetDay,
  signal: AbortSignal,
): Promise<DayResult> {
  const { dataset, day, places, version } = datasetDay
  const sql = dayQuery(request, dataset, day, places, datasetDay.continuationOf(dataset))
  const source = [...places.values()].flatMap((each) => each.source)
  const origin: EngineOrigin = { engine: 'clickhouse', version, sqlSha256: sourceHash(sql), source }
  if (request.out !== null)
    return writeOnServer(deps.engine, { ...request, out: request.out }, datasetDay, { sql, origin }, signal)
  const etag = engineEtag(sourceHash(sql, ...[...places.values()].map(({ stamp }) => stamp)))
  return storeInCache(deps, request, datasetDay, { sql, origin, etag }, signal)
}

/** Stores the rows of a day in the cache, unless they were already computed by the same query over the same events. */
async function storeInCache(
  deps: EngineDeps,
  request: EngineRequest,
  { exchange, symbol, dataset, day }: DatasetDay,
  { sql, origin, etag }: { sql: string; origin: EngineOrigin; etag: string },
  signal: AbortSignal,
): Promise<DayResult> {
  const { connectionId, interval, timestamp } = request
  const place = computedPlace(deps.store, { connectionId, exchange, symbol, dataset, interval, timestamp }, day)
  const cachedFile = deps.store.files.find(place.series, dayFromNumber(day))
  if (cachedFile?.etag === etag && (await hasSize(place.path, cachedFile.sizeBytes)))
    return { dataset, rows: 0, isKept: true, place: null }
  const rows = await dayRows(deps.engine, { interval, dataset, day, sql }, signal)
  if (rows.timeMs.length === 0) return { dataset, rows: 0, isKept: false, place: null }
  await writeDay(deps, day, { ...place, etag, origin }, rows)
  return { dataset, rows: rows.timeMs.length, isKept: false, place: place.path }
}

/**
 * Writes the rows of a day to the engine's own storage, in the layout of the cache, and their origin in a file beside
 * them, because ClickHouse writes no metadata of ours into Parquet. Engines skip a file whose name begins with `_`.
 */
async function writeOnServer(
  engine: ClickHouse,
  request: EngineRequest & { out: string },
  { exchange, symbol, dataset, day }: DatasetDay,
  { sql, origin }: { sql: string; origin: EngineOrigin },
  signal: AbortSignal,
): Promise<DayResult> {
  const { interval, timestamp, out } = request
  const folder = engineFolder({ exchange, symbol, dataset, interval, timestamp, out })
  const place = `${folder}/${dayFromNumber(day)}.parquet`
  const fileFunction = clickHouseFiles([place], 'Parquet')
  await engine.run(`INSERT INTO FUNCTION ${fileFunction}\n${sql}`, signal)
  const originFile = clickHouseFiles([`${folder}/_${dayFromNumber(day)}.provenance.json`], 'RawBLOB')
  const originText = textLiteral.clickhouse(JSON.stringify(origin))
  await engine.run(`INSERT INTO TABLE FUNCTION ${originFile} SELECT ${originText}`, signal)
  const [[rows]] = await engine.rows(`SELECT count() FROM ${fileFunction}`, signal)
  return { dataset, rows: Number(rows), isKept: false, place }
}

function addToTally(
  tallyByKey: Map<string, EngineComputationResult['outputs'][number]>,
  symbolDay: SymbolDayWork,
  results: readonly DayResult[],
): void {
  const { exchange, symbol } = symbolDay
  for (const { dataset, rows, isKept, place } of results) {
    const key = JSON.stringify([exchange, symbol, dataset])
    const tally = tallyByKey.get(key) ?? { dataset, exchange, symbol, files: 0, kept: 0, rows: 0, places: [] }
    tallyByKey.set(key, tally)
    if (isKept) tally.kept++
    if (place !== null) tally.places.push(place)
    if (place !== null) tally.files++
    tally.rows += rows
  }
}

/** Runs work on the items with limited parallelism; the first failure stops the rest. */
async function inParallel<Item>(
  items: readonly Item[],
  parallel: number,
  signal: AbortSignal,
  work: (item: Item, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const stop = new AbortController()
  const combinedSignal = AbortSignal.any([signal, stop.signal])
  let next = 0
  const worker = async () => {
    while (next < items.length && !combinedSignal.aborted) await work(items[next++], combinedSignal)
  }
  const workers = Array.from({ length: Math.min(parallel, items.length) }, () =>
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
