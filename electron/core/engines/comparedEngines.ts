import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TimestampSource } from '#shared/catalog/intervals.ts'
import { metricDataset, type MetricDatasetId } from '#shared/catalog/metricDatasets.ts'
import type { RawDatasetId } from '#shared/catalog/rawDatasets.ts'
import type { EngineName } from '#shared/contract/areas/raw.ts'
import { isEngineOrigin } from '#shared/contract/engineOrigin.ts'
import { toAppError } from '#shared/contract/errors.ts'
import type { PlannedDatasetId } from '#shared/metrics/plan.ts'
import type { RawPlace } from '#shared/engines/script.ts'
import type { MetricRows } from '#shared/metrics/metricRows.ts'
import { parseInterval } from '#shared/time.ts'
import { dayFromNumber, type DayNumber } from '#shared/time/periods.ts'
import type { ClickHouse } from '#core/clients/clickhouse.ts'
import { computedPlace } from '#core/compute/computedFile.ts'
import { computeMetrics } from '#core/compute/compute.ts'
import {
  continuationOfDay,
  type EventExtent,
  type FindContinuation,
  findContinuations,
} from '#core/compute/continuation.ts'
import type { ComputePool } from '#core/compute/computePool.ts'
import { cachedRawFileFinder, type FindRawFiles, rawFileFinder, oncePerDataset } from '#core/compute/rawFiles.ts'
import type { Clock, StartProcess } from '#core/ports.ts'
import { storedJsonOr } from '#core/store/storedJson.ts'
import type { Store } from '#core/store/store.ts'
import {
  createPlaceFinder,
  dayQuery,
  dayRows,
  drivingDataset,
  checkServer,
  requirePlannedDataset,
} from './clickhouseDays.ts'
import { type EngineSource, findSource } from './clickhouseSources.ts'
import { computeOnDuckDb } from './duckdbCompute.ts'

/** One day of a symbol on a venue. */
export interface SymbolDay {
  exchange: string
  symbol: string
  day: DayNumber
}

/** An engine that computes days of metrics for a comparison and stores nothing. */
export interface ComparedEngine {
  name: EngineName
  /** Version of the engine; null if it belongs to the program, and for Spark. */
  version: string | null
  notes: readonly string[]
  /**
   * Tells whether the engine has input for a day; always true for a database table, whose content is unknown before it
   * is read.
   */
  covers(symbolDay: SymbolDay, signal: AbortSignal): Promise<boolean>
  /** Computes datasets for a day; those without events are left out. */
  rows(
    symbolDay: SymbolDay,
    datasets: readonly MetricDatasetId[],
    signal: AbortSignal,
  ): Promise<Map<string, MetricRows>>
}

export interface ComparedSelection {
  connectionId: string
  datasets: readonly MetricDatasetId[]
  interval: string
  timestamp: TimestampSource
  /** Range to which the compared days belong: their first and last intervals come from it. */
  startDay: DayNumber
  /** First day after the range. */
  endDay: DayNumber
  /** Location of the events for engines that do not read the cache; null for the cache. */
  raw: RawPlace | null
}

interface LocalDeps {
  store: Pick<Store, 'files' | 'folder'>
  pool: ComputePool
  start: StartProcess | undefined
}

const hasDay = (find: FindRawFiles, dataset: MetricDatasetId, day: DayNumber) =>
  find(drivingDataset(requirePlannedDataset(dataset))).some((file) => file.startDay <= day && day < file.endDay)

/** Opens the built-in engine, or DuckDB in a guarded process; both read local files. */
export function fileEngine(
  name: 'local' | 'duckdb',
  { store, pool, start }: LocalDeps,
  { connectionId, datasets, interval, timestamp, raw, startDay, endDay }: ComparedSelection,
): ComparedEngine {
  const planInput = { datasets: [...datasets], intervalSeconds: parseInterval(interval)!, timestamp, startDay, endDay }
  const continuationByInstrument = new Map<string, Promise<FindContinuation>>()
  const continuationOf = ({ exchange, symbol }: SymbolDay, find: FindRawFiles, signal: AbortSignal) => {
    const key = `${exchange} ${symbol}`
    const finding = continuationByInstrument.get(key) ?? findContinuations(pool, planInput, find, signal)
    continuationByInstrument.set(key, finding)
    return finding
  }
  const finderByInstrument = new Map<string, FindRawFiles>()
  const finderOf = ({ exchange, symbol }: SymbolDay): FindRawFiles => {
    const key = `${exchange} ${symbol}`
    const find = finderByInstrument.get(key) ?? oncePerDataset(createFinder(exchange, symbol))
    finderByInstrument.set(key, find)
    return find
  }
  const createFinder = (exchange: string, symbol: string) =>
    isFolderHere(raw)
      ? rawFileFinder(raw.address, exchange, symbol)
      : cachedRawFileFinder(store.files, store.folder, { connectionId, exchange, symbol })
  const compute = name === 'local' ? computeMetrics : computeOnDuckDb
  async function rows(symbolDay: SymbolDay, wanted: readonly MetricDatasetId[], signal: AbortSignal) {
    const find = finderOf(symbolDay)
    const availableDatasets = wanted.filter((dataset) => hasDay(find, dataset, symbolDay.day))
    const continuation = await continuationOf(symbolDay, find, signal)
    const folder = mkdtempSync(join(tmpdir(), 'perpscope-compare-'))
    const range = {
      continuationOf: (dataset: MetricDatasetId) => continuation(symbolDay.day, dataset),
      intervalSeconds: parseInterval(interval)!,
      timestamp,
      startDay: dayFromNumber(symbolDay.day),
      endDay: dayFromNumber(symbolDay.day + 1),
      findFiles: find,
    }
    const rowsByDataset = new Map<string, MetricRows>()
    async function add(datasetsToCompute: readonly MetricDatasetId[]): Promise<void> {
      const outputs = datasetsToCompute.map((dataset) => ({ dataset, path: join(folder, `${dataset}.parquet`) }))
      await compute({ ...range, outputs }, { signal, pool, start })
      for (const { dataset, path } of outputs)
        rowsByDataset.set(dataset, await readRows(pool, { dataset, path, interval }, signal))
    }
    try {
      if (availableDatasets.length > 0) await add(availableDatasets)
    } catch (thrown) {
      if (toAppError(thrown).code !== 'not-here') throw thrown
      // One of the datasets has no events that day; the others are still computed.
      for (const dataset of availableDatasets) await add([dataset]).catch(ignoreMissingData)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
    return rowsByDataset
  }
  return {
    name,
    version: null,
    notes:
      raw && !isFolderHere(raw)
        ? [`${name} read the cache, because the events are not in a folder of this machine`]
        : [],
    covers: (symbolDay) =>
      Promise.resolve(datasets.some((dataset) => hasDay(finderOf(symbolDay), dataset, symbolDay.day))),
    rows,
  }
}

/**
 * Tells whether the events are in a folder of this machine. For an address or a table that only the server can read,
 * the cache is used instead.
 */
const isFolderHere = (raw: RawPlace | null): raw is RawPlace & { kind: 'folder' } =>
  raw?.kind === 'folder' && existsSync(raw.address)

function ignoreMissingData(thrown: unknown): void {
  if (toAppError(thrown).code !== 'not-here') throw thrown
}

/** Reads all rows of a metric file in a guarded process. */
async function readRows(
  pool: ComputePool,
  { dataset, path, interval }: { dataset: MetricDatasetId; path: string; interval: string },
  signal: AbortSignal,
): Promise<MetricRows> {
  const { version, runs } = await pool.checkPart({ path, dataset, stepMs: parseInterval(interval)! * 1000 }, signal)
  const rows = runs.reduce((sum, run) => sum + run.rows, 0)
  return pool.readPart({ path, version, dataset, from: 0, to: rows }, signal)
}

interface ClickHouseDeps {
  engine: ClickHouse
  cluster: string
  clock: Clock
}

/** Opens the ClickHouse server of a connection. */
export async function clickHouseEngine(
  { engine, cluster, clock }: ClickHouseDeps,
  { datasets, interval, timestamp, raw, startDay, endDay }: ComparedSelection & { raw: RawPlace },
  signal: AbortSignal,
): Promise<ComparedEngine> {
  const { version, notes } = await checkServer({ engine, clock }, signal)
  const sourceByKey = new Map<string, Promise<EngineSource>>()
  const sourceOf = (symbolDay: SymbolDay, id: RawDatasetId, taskSignal: AbortSignal) => {
    const key = `${symbolDay.exchange} ${symbolDay.symbol} ${id}`
    const source = sourceByKey.get(key) ?? findSource(engine, { raw, cluster, timestamp }, symbolDay, id, taskSignal)
    sourceByKey.set(key, source)
    return source
  }
  const extentByKey = new Map<string, Promise<EventExtent | null>>()
  const continuationOf = async (symbolDay: SymbolDay, dataset: PlannedDatasetId, taskSignal: AbortSignal) => {
    const id = drivingDataset(dataset)
    const key = `${symbolDay.exchange} ${symbolDay.symbol} ${id}`
    const source = await sourceOf(symbolDay, id, taskSignal)
    const finding = extentByKey.get(key) ?? source.extentIn({ startDay, endDay }, taskSignal)
    extentByKey.set(key, finding)
    const extent = await finding
    return continuationOfDay(extent ? [extent] : [], { startDay, endDay }, symbolDay.day)
  }
  const mayHaveEvents = async (symbolDay: SymbolDay, dataset: MetricDatasetId, taskSignal: AbortSignal) => {
    const { files } = await sourceOf(symbolDay, drivingDataset(requirePlannedDataset(dataset)), taskSignal)
    return !files || files.some(({ startDay, endDay }) => startDay <= symbolDay.day && symbolDay.day < endDay)
  }
  return {
    name: 'clickhouse',
    version,
    notes,
    async covers(symbolDay, taskSignal) {
      for (const dataset of datasets) if (await mayHaveEvents(symbolDay, dataset, taskSignal)) return true
      return false
    },
    async rows(symbolDay, wanted, taskSignal) {
      const placesOf = createPlaceFinder(engine, timestamp, symbolDay.day, (id) => sourceOf(symbolDay, id, taskSignal))
      const rowsByDataset = new Map<string, MetricRows>()
      for (const dataset of wanted.map(requirePlannedDataset)) {
        if (!(await mayHaveEvents(symbolDay, dataset, taskSignal))) continue
        const [places, continuation] = [
          await placesOf(dataset, taskSignal),
          await continuationOf(symbolDay, dataset, taskSignal),
        ]
        const sql = dayQuery({ interval, timestamp }, dataset, symbolDay.day, places, continuation)
        const rows = await dayRows(engine, { interval, dataset, day: symbolDay.day, sql }, taskSignal)
        if (rows.timeMs.length > 0) rowsByDataset.set(dataset, rows)
      }
      return rowsByDataset
    },
  }
}

/** Opens Spark. The user runs its jobs, so it covers only the days whose files were imported from it. */
export function importedEngine(
  { store, pool }: LocalDeps,
  { connectionId, datasets, interval, timestamp }: ComparedSelection,
): ComparedEngine {
  const fileOf = ({ exchange, symbol, day }: SymbolDay, dataset: MetricDatasetId) => {
    const place = computedPlace(store, { connectionId, exchange, symbol, dataset, interval, timestamp }, day)
    const facts = store.files.facts(place.series, dayFromNumber(day))
    const origin = storedJsonOr(facts?.provenance, isEngineOrigin, null)
    return origin?.engine === 'spark' ? place.path : null
  }
  return {
    name: 'spark',
    version: null,
    notes: [],
    covers: (symbolDay) => Promise.resolve(datasets.some((dataset) => fileOf(symbolDay, dataset) !== null)),
    async rows(symbolDay, wanted, signal) {
      const rowsByDataset = new Map<string, MetricRows>()
      for (const dataset of wanted) {
        const path = fileOf(symbolDay, dataset)
        if (path !== null) rowsByDataset.set(dataset, await readRows(pool, { dataset, path, interval }, signal))
      }
      return rowsByDataset
    },
  }
}

/** Lists the column names of a dataset in the order of `MetricRows`. */
export const columnNames = (dataset: MetricDatasetId): string[] =>
  metricDataset(dataset).columns.map(({ name }) => name)
