import * as z from '../../schemas/lazySchemas.ts'
import { metricDatasetIds, type MetricDatasetId } from '../../catalog/metricDatasets.ts'
import { comparisonTexts } from '../fieldTexts.ts'
import { call } from '../spec.ts'
import type { ErrorShape } from '../errors.ts'
import type { Frame } from '../frame.ts'
import { connectionId } from './discovery.ts'

const id = z.string().min(1).max(100)
const name = z.string().min(1).max(300)

/**
 * Facts found by reading a file of events completely. Numbers count events; times are exchange times, unless the name
 * says arrival.
 */
export interface EventConditions {
  events: number
  /** Milliseconds since the epoch, with microseconds as fractions; null if the file has no events. */
  firstMs: number | null
  lastMs: number | null
  firstArrivalMs: number | null
  lastArrivalMs: number | null
  /** Longest time between consecutive events. */
  longestSilenceMs: number
  /** Time of the event before the longest silence; null if there is none. */
  silenceStartMs: number | null
  /**
   * Number of trades with the time and id of an earlier one; for other datasets, of events with the time and values of
   * an earlier one.
   */
  duplicates: number
  /** Number of events that follow an event with a later exchange time in the file. */
  outOfOrder: number
  /** Number of events that follow an event with a later arrival time in the file. */
  arrivalsOutOfOrder: number
  /** Number of quotes that are crossed (bid above ask) or locked (bid equal to ask); null for other datasets. */
  crossedQuotes: number | null
  /** Number of crossed quotes, whose bid is above the ask; null for other datasets. */
  negativeSpreads: number | null
  /** Number of events with an amount of 0; null if events have no amount. */
  zeroSizes: number | null
  /** Number of trades without a side from the venue; null for other datasets. */
  unknownSides: number | null
  /** Number of events whose arrival time is modelled, not measured. */
  modelledArrivals: number
  /** Number of events whose exchange time is modelled, not measured. */
  modelledTimes: number
  /**
   * Number of events with a value that no metric can be computed from (missing, negative, not finite, a price of 0).
   */
  unusable: number
}

/**
 * `error`: the file cannot be imported. `warning`: it can be imported, but should be looked at. `note`: information
 * only.
 */
export interface FileIssue {
  level: 'error' | 'warning' | 'note'
  message: string
}

/** Identity that a file appears to have; null for parts that are unknown. */
export interface FileIdentity {
  dataset: string | null
  exchange: string | null
  symbol: string | null
  /** Day or month in exchange time. */
  period: string | null
}

/** A received file, or a file in a received folder. */
export interface InspectedFile extends FileIdentity {
  id: string
  /** Path of the file relative to the received folder, with forward slashes. */
  name: string
  sizeBytes: number
  /** Number of rows; null if it is not a readable Parquet file. */
  rows: number | null
  /** True if the file has a column that says how its exchange times were obtained; files of some venues need one. */
  hasTimeKind: boolean
  /**
   * Problems with the content, whatever its venue and symbol; `identityIssues` lists the problems with venue and symbol.
   */
  issues: FileIssue[]
  conditions: EventConditions | null
}

/** Result of importing one file. */
export interface ImportOutcome {
  id: string
  /**
   * `cached`: the same content is already cached. `conflict`: a different file of the same series and period is cached.
   */
  state: 'imported' | 'cached' | 'conflict' | 'failed'
  sizeBytes: number
  /** Path of the imported file; null if it was not imported. */
  path: string | null
  error: ErrorShape | null
}

/** A received file and what became of it; `outcome` is null if the file has a problem, so that it was not imported. */
export interface TakenFile {
  file: InspectedFile
  outcome: ImportOutcome | null
}

const eventFilter = z.union([
  z.strictObject({ key: name, oneOf: z.array(z.string().max(300)).max(100) }),
  /** The range includes both ends; instants are in milliseconds. */
  z.strictObject({ key: name, from: z.number().optional(), to: z.number().optional() }),
])
export type EventFilter = z.infer<typeof eventFilter>

const series = { connectionId, dataset: name, exchange: name, symbol: name }
const day = z.int().min(-200_000).max(200_000)
/** Files of one series that overlap these days (since 1970-01-01, half-open), read as one table. */
const table = { ...series, startDay: day, endDay: day, filters: z.array(eventFilter).max(20).default([]) }

/** A file of raw events in the cache. */
export interface RawFileEntry {
  dataset: string
  period: string
  startDay: number
  endDay: number
  origin: 'service' | 'import' | 'computed'
  sizeBytes: number
  rows: number
  fetchedAt: number
  /** Conditions found in the events; null if the file has not been checked yet. */
  conditions: EventConditions | null
}

/** Arrival time minus exchange time of events where both are measured. */
export interface EventLatency {
  /** Number of events where both times are measured. */
  measured: number
  /** Number of events that are left out because their arrival time is modelled. */
  modelledArrivals: number
  /** Number of events that are left out because their exchange time is modelled. */
  modelledTimes: number
  /** Number of events that arrived before they happened: one of the clocks is wrong. */
  negative: number
  minMs: number | null
  maxMs: number | null
  meanMs: number | null
  /** Latency quantiles at `latencyLevels`; empty without measured events. */
  quantilesMs: number[]
  /** Histogram bars of equal width on a logarithmic axis. */
  bars: { fromMs: number; toMs: number; count: number }[]
  /** Columns time, count, p50, p95, p99, max (milliseconds) for 288 parts of the period. */
  overTime: Frame
}

export interface ComputationResult {
  /** Number of files, one per day and dataset. */
  files: number
  rows: number
  /** Days that were not computed, or were computed from only part of their inputs, and what was missing. */
  missing: string[]
}

/** A series that was computed on this machine. */
export interface ComputedEntry {
  dataset: string
  interval: string
  timestamp: 'exchange' | 'true'
  /** First day of the files (start) and the day after the last one (end). */
  startDay: number
  endDay: number
  files: number
  sizeBytes: number
  /** Time at which the newest file of the series was computed. */
  computedAt: number
  /** Days whose events were replaced, removed or added after the computation. */
  outdatedDays: number[]
}

/** Comparison of a computed column with the served one. */
export interface ColumnAgreement {
  name: string
  /** Number of timestamps with both a computed and a served row. */
  rows: number
  /**
   * Number of these rows whose values differ by at most one millionth of the larger one (or by 1e-12), or are both
   * missing.
   */
  agree: number
  bothMissing: number
  onlyComputed: number
  onlyServed: number
  /** False if the computed or the served rows lack the column. */
  isInBoth: boolean
  /** Largest difference, relative to the larger value. */
  largestRelative: number
  /** Difference in the unit of the column, at the time of the largest relative difference. */
  largest: number
  /** Time of the largest relative difference; null if all values are equal. */
  largestAtMs: number | null
  /** Computed value at this time. */
  computedThere: number | null
  /** Served value at this time. */
  servedThere: number | null
}

export interface Reconciliation {
  /** Number of timestamps with both a computed and a served row. */
  compared: number
  /** Number of timestamps with only a computed row. */
  onlyComputed: number
  onlyServed: number
  columns: ColumnAgreement[]
  /** Note that times are modelled because the venue's feed carries none; null if all are measured. */
  modelledTime: string | null
}

const metricSeries = {
  connectionId,
  exchange: name,
  symbol: name,
  interval: z.string().min(2).max(20),
  timestamp: z.enum(['exchange', 'true']),
}
const comparedRange = { ...metricSeries, dataset: name, startMs: z.number(), endMs: z.number() }

/** A folder or `s3://` address as an engine sees it, without wildcards and quotes. */
const enginePlace = z
  .string()
  .min(1)
  .max(4096)
  .regex(/^[^*?[\]{}'"`\\\p{Cc}]+$/u)

/** Result of a computation on an engine. */
export interface EngineComputationResult {
  engine: 'clickhouse'
  version: string
  outputs: {
    dataset: string
    exchange: string
    symbol: string
    /** Number of day files that were written. */
    files: number
    /** Number of day files that already existed from the same query and events. */
    kept: number
    rows: number
    /** Local paths, or addresses on the server. */
    places: string[]
  }[]
  missing: string[]
  notes: string[]
}

/** Instruments for which an engine has events. */
export interface EngineInstruments {
  instruments: {
    exchange: string
    symbol: string
    /** Raw datasets that the engine has for the instrument. */
    datasets: string[]
    startDay: number
    /** Day after the last day with events. */
    endDay: number
  }[]
  /** True if the list is cut off. */
  isCut: boolean
}

const rawPlace = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('folder'), address: enginePlace }),
  z.strictObject({ kind: z.literal('database'), name: z.string().regex(/^[A-Za-z_]\w*(\.[A-Za-z_]\w*)?$/) }),
])

/** Instruments, datasets and days for which an engine computes metrics. */
const engineSelection = {
  connectionId,
  interval: metricSeries.interval,
  timestamp: metricSeries.timestamp,
  pairs: z
    .array(z.strictObject({ exchange: name, symbol: name }))
    .min(1)
    .max(10_000),
  datasets: z.array(z.enum(metricDatasetIds)).min(1).max(metricDatasetIds.length),
  startDay: day,
  endDay: day,
}

/** Engines that implement the metric definitions; `local` is the built-in one. */
export const engineNames = ['local', 'duckdb', 'clickhouse', 'spark'] as const
export type EngineName = (typeof engineNames)[number]

/** Comparison of one column between an engine and the reference engine, over all symbol-days of a sample. */
export interface ComparedColumn {
  dataset: MetricDatasetId
  column: string
  engine: EngineName
  /** Largest relative difference; 1 if only one of the engines has a value. */
  largest: number
  agrees: boolean
  rows: number
  /** Row with the largest difference and its two values; null if all values are equal. */
  worst: { exchange: string; symbol: string; time: number; expected: number | null; found: number | null } | null
}

export interface EngineComparison {
  /** The engine that the others are compared with. */
  reference: EngineName
  engines: { engine: EngineName; version: string | null }[]
  symbolDays: number
  columns: ComparedColumn[]
  /** Notes on what was not compared, and on known differences. */
  notes: string[]
}

/** Result of comparing an engine with the reference on a dataset. */
export interface EngineDatasetCheck {
  engine: EngineName
  dataset: string
  version: string | null
  checkedAt: number
  /** Names of the columns that differ. */
  differing: string[]
  /** Sentence that says why the engine is not used for the dataset; null if all columns agree. */
  refusal: string | null
}

const overrides = { dataset: name.optional(), exchange: name.optional(), symbol: name.optional() }

/** A metric file that another program downloaded, and what the names of its folders say it is. */
export interface MetricFileGuess {
  file: string
  dataset: string | null
  exchange: string | null
  symbol: string | null
  interval: string | null
  timestamp: string | null
  period: string
  /** Why it cannot be imported as it is; null if it can. */
  problem: string | null
}

export interface MetricFileImport extends MetricFileGuess {
  state: 'imported' | 'cached' | 'failed'
  rows: number
  bytes: number
  sha256: string | null
  /** Path in the cache; null if it is not there. */
  path: string | null
  error: string | null
}

const metricFolder = {
  connectionId,
  folder: z.string().min(1).max(4096),
  dataset: name.optional(),
  exchange: name.optional(),
  symbol: name.optional(),
  interval: z.string().max(20).optional(),
  timestamp: z.string().max(20).optional(),
}

export const rawCalls = {
  /** Finds the metric files of a folder and what each is of; imports nothing. */
  'raw.metricFiles': call(z.strictObject(metricFolder))<{ files: MetricFileGuess[]; others: number }>(),
  /** Imports the metric files of a folder, each checked like a download. */
  'raw.importMetrics': call(z.strictObject(metricFolder))<{ files: MetricFileImport[]; others: number }>(),
  /** Inspects received files without changing anything. Given values take precedence over recognised ones. */
  'raw.inspect': call(z.strictObject({ connectionId, ...overrides }))<{
    files: InspectedFile[]
    /** Number of files skipped because their names do not end in .parquet. */
    others: number
  }>(),
  /** Imports all received files without problems; those of a file are listed with those of its venue and symbol. */
  'raw.importReceived': call(z.strictObject({ connectionId, ...overrides }))<{ files: TakenFile[]; others: number }>(),
  /** Copies inspected files into the cache of a connection. Each file is imported completely or not at all. */
  'raw.import': call(
    z.strictObject({
      connectionId,
      files: z
        .array(
          z.strictObject({
            id,
            exchange: name,
            symbol: name,
            /** True to replace another file of the same series and period. */
            replace: z.boolean().default(false),
          }),
        )
        .max(100_000),
    }),
  )<{ files: ImportOutcome[] }>(),
  /** Lists the files of one instrument by dataset and period. */
  'raw.files': call(z.strictObject({ connectionId, exchange: name, symbol: name }))<{ files: RawFileEntry[] }>(),
  /** Returns the matching rows, unchanged and in file order, with `row` (position among matching rows, from 1). */
  'raw.rows': call(z.strictObject({ ...table, offset: z.int().min(0), limit: z.int().min(1).max(5000) }))<{
    rows: Frame
    /** Number of rows that satisfy the filters. */
    count: number
    /** Number of all rows. */
    total: number
  }>(),
  /**
   * Finds the position (from 0) of the first row at or after an instant on one of the clocks; `count` if there is none.
   */
  'raw.seek': call(z.strictObject({ ...table, timestamp: z.enum(['exchange', 'true']), timeMs: z.number() }))<{
    row: number
  }>(),
  'raw.latency': call(z.strictObject({ ...series, period: z.string().max(10) }))<EventLatency>(),
  /** Reads in full the files that have not been read yet, and stores their conditions. */
  'raw.conditions': call(z.strictObject({ ...series, startDay: day, endDay: day }))<{ files: RawFileEntry[] }>(),
  /** Computes metrics from cached raw events into the cache, under the connection's `computedOwner`. */
  'raw.compute': call(
    z.strictObject({
      ...metricSeries,
      datasets: z.array(z.enum(metricDatasetIds)).min(1).max(metricDatasetIds.length),
      startDay: day,
      endDay: day,
    }),
  )<ComputationResult>(),
  /** Computes metrics on the connection's ClickHouse server, into the cache or to a location on the server. */
  'raw.computeOnEngine': call(
    z.strictObject({
      ...engineSelection,
      raw: rawPlace,
      out: enginePlace.nullable(),
      parallel: z.int().min(1).max(64),
    }),
  )<EngineComputationResult>(),
  /** Lists the instruments for which the connection's ClickHouse server has events. */
  'raw.engineInstruments': call(z.strictObject({ connectionId, raw: rawPlace }))<EngineInstruments>(),
  /** Computes a sample of symbol-days on several engines, compares all columns, and records which agree. */
  'raw.reconcileEngines': call(
    z.strictObject({
      ...engineSelection,
      engines: z.array(z.enum(engineNames)).min(2).max(engineNames.length).describe(comparisonTexts.engines),
      /** For ClickHouse, and for the other engines if it is a folder; null for the cache. */
      raw: rawPlace.nullable().describe(comparisonTexts.raw),
      sample: z.int().min(1).max(10_000).describe(comparisonTexts.sample),
    }),
  )<EngineComparison>(),
  /** Lists the datasets of each engine that were compared with the reference engine. */
  'raw.engineChecks': call(z.strictObject({ connectionId }))<{ checks: EngineDatasetCheck[] }>(),
  /** Lists the series that were computed from the events of an instrument. */
  'raw.computed': call(z.strictObject({ connectionId, exchange: name, symbol: name }))<{ series: ComputedEntry[] }>(),
  /** Compares computed with served values. */
  'raw.reconcile': call(z.strictObject(comparedRange))<Reconciliation>(),
  'raw.exportReconciliation': call(z.strictObject({ ...comparedRange, format: z.enum(['csv', 'json']) }))<{
    name: string
    path: string | null
  } | null>(),
  /** Drops received files that were not imported; all of them if none are named. */
  'raw.dismiss': call(z.strictObject({ ids: z.array(id).max(100_000).optional() }))<null>(),
}
