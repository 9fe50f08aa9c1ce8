import * as z from '../../schemas/lazySchemas.ts'
import { metricDatasetIds, type MetricDatasetId } from '../../catalog/metricDatasets.ts'
import { call } from '../spec.ts'
import type { ErrorShape } from '../errors.ts'
import type { Frame } from '../frame.ts'
import { connectionId } from './discovery.ts'

const id = z.string().min(1).max(100)
const name = z.string().min(1).max(300)

/** Facts about a file of events, found by reading all of it. Counts are of events; times are those of the venue. */
export interface EventConditions {
  events: number
  /** Milliseconds since the epoch, with microseconds as fractions; null in a file without events. */
  firstMs: number | null
  lastMs: number | null
  firstArrivalMs: number | null
  lastArrivalMs: number | null
  /** The longest time without an event between the first and the last one, and when it began. */
  longestSilenceMs: number
  silenceStartMs: number | null
  /** Trades with the time and id of another one; other events with the time and values of another one. */
  duplicates: number
  /** Events that are behind a later one, by the venue's time and by arrival. */
  outOfOrder: number
  arrivalsOutOfOrder: number
  /** Quotes whose bid is not below the ask; null for other datasets. */
  crossedQuotes: number | null
  /** Quotes whose bid is above the ask. */
  negativeSpreads: number | null
  /** Events with an amount of 0; null where there are no amounts. */
  zeroSizes: number | null
  /** Trades whose side the venue did not tell; null for other datasets. */
  unknownSides: number | null
  /** Events whose arrival, or whose venue time, is modelled instead of measured. */
  modelledArrivals: number
  modelledTimes: number
  /** Events with a value that no metric can be computed from (missing, negative, not finite, a price of 0). */
  unusable: number
}

/** `error`: the file cannot be imported as it is. `warning`: it can, but look at it. `note`: nothing to worry about. */
export interface FileIssue {
  level: 'error' | 'warning' | 'note'
  message: string
}

/** Identity that a file seems to have; null for parts that nothing tells. */
export interface FileIdentity {
  dataset: string | null
  exchange: string | null
  symbol: string | null
  /** A day or a month of the venue's time. */
  period: string | null
}

/** A file that was handed over, or one of a folder that was. */
export interface InspectedFile extends FileIdentity {
  id: string
  /** Path of the file relative to the received folder, with `/`. */
  name: string
  sizeBytes: number
  /** Number of rows; null if it is not a readable Parquet file. */
  rows: number | null
  /** True if the file has a column that says how the venue's times were obtained; files of some venues must have it. */
  hasTimeKind: boolean
  /** About its content, whatever venue and symbol it is of; what speaks against these `placeIssues` tells. */
  issues: FileIssue[]
  conditions: EventConditions | null
}

/** Result of importing a file with its present identity. */
export interface ImportOutcome {
  id: string
  /** `cached`: the same content is here already. `conflict`: another file of the same series and period is. */
  state: 'imported' | 'cached' | 'conflict' | 'failed'
  sizeBytes: number
  /** Path of the imported file; null if it was not imported. */
  path: string | null
  error: ErrorShape | null
}

const condition = z.union([
  z.strictObject({ key: name, oneOf: z.array(z.string().max(300)).max(100) }),
  /** The range includes both ends; instants are in milliseconds. */
  z.strictObject({ key: name, from: z.number().optional(), to: z.number().optional() }),
])
export type EventCondition = z.infer<typeof condition>

const series = { connectionId, dataset: name, exchange: name, symbol: name }
const day = z.int().min(-200_000).max(200_000)
/** The files of one series that touch these days (since 1970-01-01, half-open), as one table. */
const table = { ...series, startDay: day, endDay: day, conditions: z.array(condition).max(20).default([]) }

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

/** Arrival less venue time, of the events where both are measured. */
export interface EventLatency {
  measured: number
  /** Left out: a modelled time tells nothing about latency. */
  modelledArrivals: number
  modelledTimes: number
  /** Events that arrived before they happened: one of the clocks is wrong. */
  negative: number
  minMs: number | null
  maxMs: number | null
  meanMs: number | null
  /** Latency quantiles at `latencyLevels`; empty without measured events. */
  quantilesMs: number[]
  /** Bars of equal width on a logarithmic axis. */
  bars: { fromMs: number; toMs: number; count: number }[]
  /** time, count, p50, p95, p99, max (milliseconds): the period in 288 parts. */
  overTime: Frame
}

export interface ComputedSeries {
  /** A file a day and dataset. */
  files: number
  rows: number
  /** Days that could not be computed, or not from all that they look at, and what was not here. */
  missing: string[]
}

/** A series that was computed here. */
export interface ComputedEntry {
  dataset: string
  interval: string
  timestamp: 'exchange' | 'true'
  /** First day of the files; `endDay` is the day after the last one. */
  startDay: number
  endDay: number
  files: number
  sizeBytes: number
  /** Time at which its newest file was computed. */
  computedAt: number
  /** Days made from events that were replaced, removed, or came since. */
  outdatedDays: number[]
}

/** Comparison of a computed column with the served one. */
export interface ColumnAgreement {
  name: string
  /** Rows that are in both. */
  rows: number
  /** Number of these rows whose values differ by at most a millionth of the larger one, or are missing in both. */
  agree: number
  bothMissing: number
  onlyComputed: number
  onlyServed: number
  /** False where one side does not have the column. */
  isInBoth: boolean
  /** The largest difference relative to the larger value, the same in the column's unit, where it is and what stands there. */
  largestRelative: number
  largest: number
  largestAtMs: number | null
  computedThere: number | null
  servedThere: number | null
}

export interface Reconciliation {
  /** Rows with a time in both, and in one only. */
  compared: number
  onlyComputed: number
  onlyServed: number
  columns: ColumnAgreement[]
  /** Note on times that the venue's feed does not carry, so that they are modelled; null where none are. */
  modelledTime: string | null
}

const metricSeries = {
  connectionId,
  exchange: name,
  symbol: name,
  interval: z.string().min(2).max(20),
  timestamp: z.enum(['exchange', 'true']),
}
const reconciled = { ...metricSeries, dataset: name, startMs: z.number(), endMs: z.number() }

/** A folder or `s3://` address at an engine, without characters that it reads as a pattern or as the end of a text. */
const enginePlace = z
  .string()
  .min(1)
  .max(4096)
  .regex(/^[^*?[\]{}'"`\\\p{Cc}]+$/u)

/** Result of a computation on an engine. */
export interface EngineComputed {
  engine: 'clickhouse'
  version: string
  outputs: {
    dataset: string
    exchange: string
    symbol: string
    /** Files of a day that were written, and those that were there already from the same query and events. */
    files: number
    kept: number
    rows: number
    /** Paths here, or addresses at the engine. */
    places: string[]
  }[]
  missing: string[]
  notes: string[]
}

/** Instruments of which an engine has events. */
export interface EngineInstruments {
  instruments: {
    exchange: string
    symbol: string
    /** Raw datasets that it has. */
    datasets: string[]
    startDay: number
    /** Day after the last one. */
    endDay: number
  }[]
  /** True if there are more than are listed. */
  isCut: boolean
}

const rawPlace = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('folder'), address: enginePlace }),
  z.strictObject({ kind: z.literal('database'), name: z.string().regex(/^[A-Za-z_]\w*(\.[A-Za-z_]\w*)?$/) }),
])

/** Instruments and datasets over days, for engines. */
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

/** Engines that spell the definitions of the metrics; `local` is the built-in one. */
export const engineNames = ['local', 'duckdb', 'clickhouse', 'spark'] as const
export type EngineName = (typeof engineNames)[number]

/** Comparison of a column of one engine with the reference, over all symbol-days of a sample. */
export interface ComparedColumn {
  dataset: MetricDatasetId
  column: string
  engine: EngineName
  /** Relative to the larger value; 1 where one side has no value. */
  largest: number
  agrees: boolean
  rows: number
  /** The place of the largest difference, and what both have there; null where all values are equal. */
  worst: { exchange: string; symbol: string; time: number; expected: number | null; found: number | null } | null
}

export interface EngineComparison {
  /** The engine that the others are compared with. */
  reference: EngineName
  engines: { engine: EngineName; version: string | null }[]
  symbolDays: number
  columns: ComparedColumn[]
  /** Notes on what was not compared, and on differences that were found before. */
  notes: string[]
}

/** Result of the comparisons of an engine with a dataset. */
export interface EngineDatasetCheck {
  engine: EngineName
  dataset: string
  version: string | null
  checkedAt: number
  /** Columns that differ. */
  differing: string[]
  /** Sentence that says why the engine is not used for the dataset; null where all columns agree. */
  refusal: string | null
}

const given = { dataset: name.optional(), exchange: name.optional(), symbol: name.optional() }

export const rawCalls = {
  /** Looks into the files that were handed over; changes nothing. What is given counts instead of what is recognised. */
  'raw.inspect': call(z.strictObject({ ...given }))<{
    files: InspectedFile[]
    /** Files that were left out because their names do not end in .parquet. */
    others: number
  }>(),
  /** Copies inspected files into the cache of a connection. Each is there completely or not at all. */
  'raw.import': call(
    z.strictObject({
      connectionId,
      files: z
        .array(
          z.strictObject({
            id,
            exchange: name,
            symbol: name,
            /** Take the place of another file of the same series and period. */
            replace: z.boolean().default(false),
          }),
        )
        .max(100_000),
    }),
  )<{ files: ImportOutcome[] }>(),
  /** The files of one instrument, by dataset and period. */
  'raw.files': call(z.strictObject({ connectionId, exchange: name, symbol: name }))<{ files: RawFileEntry[] }>(),
  /** Rows in the order of the files, as they are, with `row` (their place in the table, from 1). */
  'raw.rows': call(z.strictObject({ ...table, offset: z.int().min(0), limit: z.int().min(1).max(5000) }))<{
    rows: Frame
    /** Rows that satisfy the conditions, and all rows. */
    count: number
    total: number
  }>(),
  /** The place (from 0) of the first row that is not before an instant, by one of the clocks; `count` where none is. */
  'raw.seek': call(z.strictObject({ ...table, timestamp: z.enum(['exchange', 'true']), timeMs: z.number() }))<{
    row: number
  }>(),
  'raw.latency': call(z.strictObject({ ...series, period: z.string().max(10) }))<EventLatency>(),
  /** Reads whole files that were not read yet, and keeps what was found. */
  'raw.conditions': call(z.strictObject({ ...series, startDay: day, endDay: day }))<{ files: RawFileEntry[] }>(),
  /** Computes metrics from the raw events here into the cache, under `computedOwner` of the connection. */
  'raw.compute': call(
    z.strictObject({
      ...metricSeries,
      datasets: z.array(z.enum(metricDatasetIds)).min(1).max(metricDatasetIds.length),
      startDay: day,
      endDay: day,
    }),
  )<ComputedSeries>(),
  /** Computes metrics on the ClickHouse server of the connection, into the cache or where the engine keeps them. */
  'raw.computeOnEngine': call(
    z.strictObject({
      ...engineSelection,
      raw: rawPlace,
      out: enginePlace.nullable(),
      parallel: z.int().min(1).max(64),
    }),
  )<EngineComputed>(),
  /** Lists the instruments of which the ClickHouse server of the connection has events. */
  'raw.engineInstruments': call(z.strictObject({ connectionId, raw: rawPlace }))<EngineInstruments>(),
  /** Computes a sample of symbol-days on several engines, compares all columns, and remembers which agree. */
  'raw.reconcileEngines': call(
    z.strictObject({
      ...engineSelection,
      engines: z.array(z.enum(engineNames)).min(2).max(engineNames.length),
      /** Place of the events for ClickHouse, and for the others where it is a folder; null for the cache. */
      raw: rawPlace.nullable(),
      /** Number of symbol-days. */
      sample: z.int().min(1).max(10_000),
    }),
  )<EngineComparison>(),
  /** Datasets of each engine that were compared with the built-in one or another. */
  'raw.engineChecks': call(z.strictObject({ connectionId }))<{ checks: EngineDatasetCheck[] }>(),
  /** Series that were computed from the events of an instrument. */
  'raw.computed': call(z.strictObject({ connectionId, exchange: name, symbol: name }))<{ series: ComputedEntry[] }>(),
  /** Compares what was computed with what the service sent. */
  'raw.reconcile': call(z.strictObject(reconciled))<Reconciliation>(),
  'raw.exportReconciliation': call(z.strictObject({ ...reconciled, format: z.enum(['csv', 'json']) }))<{
    name: string
    path: string | null
  } | null>(),
  /** Forgets files that were handed over and not imported; all of them if none are named. */
  'raw.dismiss': call(z.strictObject({ ids: z.array(id).max(100_000).optional() }))<null>(),
}
