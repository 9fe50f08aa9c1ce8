import * as z from '../../schemas/lazySchemas.ts'
import { storeEndpoint, storeLocation } from '../sharedStore.ts'
import { call } from '../spec.ts'
import type { PublishedFiles } from './downloads.ts'
import { csvTexts } from '../../units/csvCell.ts'
import type { Frame } from '../frame.ts'
import { connectionId } from './discovery.ts'
import { listFilter } from './lists.ts'
import type { Saved } from './requests.ts'

const name = z.string().min(1).max(300)
const points = z.int().min(1).max(20_000).default(2000)

const seriesFields = {
  connectionId,
  kind: z.enum(['metrics', 'raw']).default('metrics'),
  dataset: name,
  exchange: name,
  symbol: name,
  /** Interval such as `1h`; empty for raw events. */
  interval: z.string().max(20).default(''),
  /** Clock of the rows; for raw events, the one that orders them. */
  timestamp: z.enum(['exchange', 'true']),
}

/** From 1900 to 2200: beyond it there is nothing to count periods of. */
const instant = z.number().min(Date.UTC(1900, 0)).max(Date.UTC(2200, 0))
/** Half-open range; null means the first or last cached row. */
const openRange = { startMs: instant.nullable(), endMs: instant.nullable() }

/** A column of a series, as a formula names it. */
const seriesColumn = z.strictObject({ ...seriesFields, column: name })

const formulaFields = {
  /** A single name is a formula too: the column as it is. */
  formula: z.string().max(10_000),
  inputs: z.record(z.string().min(1).max(300), seriesColumn),
  ...openRange,
  /**
   * Start of sums and comparisons with the first value (`cumsum`, `index100`, `percentfromstart`); null: the start of
   * the range. What looks back over rows reads them from before the range in any case.
   */
  originMs: instant.nullable().default(null),
}

/** Instants at which buckets are parted, so that a view between them shows its own extremes. */
const edges = z.array(instant).max(4).default([])

const names = z.array(name).max(1000)

const hiveSeries = z.strictObject({
  dataset: name,
  exchange: name,
  symbol: name,
  interval: z.string().max(20),
  timestamp: z.string().max(20),
})

export const relationshipChanges = ['values', 'changes', 'logReturns'] as const
export type RelationshipChange = (typeof relationshipChanges)[number]

const hiveSelection = z.strictObject({
  connectionId,
  kind: z.enum(['metrics', 'raw']).default('metrics'),
  datasets: names.optional(),
  exchanges: names.optional(),
  symbols: names.optional(),
  list: listFilter,
  intervals: names.optional(),
  timestamps: names.optional(),
  /** Series to export; without it, every combination of the names is exported. */
  series: z.array(hiveSeries).min(1).max(500).optional(),
  ...openRange,
})

/** Number of columns by formula that a scan has at most. */
export const MOST_SCAN_FORMULAS = 8

export const seriesCalls = {
  /** Rows from the cache, cut to a half-open range of instants. */
  'series.read': call(
    z.strictObject({
      ...seriesFields,
      /** Columns to export; empty for all. */
      columns: z.array(name).max(500).default([]),
      startMs: z.number(),
      endMs: z.number(),
      /** Approximate number of rows of one answer; the next one starts at `nextMs`. */
      limitRows: z.int().min(1).max(5_000_000).default(2_000_000),
    }),
  )<SeriesRead>(),
  /** Columns over any length of history with about so many points. */
  'series.overview': call(
    z.strictObject({ ...seriesFields, columns: z.array(name).min(1).max(100), ...openRange, points, edges }),
  )<SeriesOverview>(),
  /** Reduces a formula over columns, computed from all rows of the range. Its only column is `value`. */
  'series.evaluate': call(z.strictObject({ ...formulaFields, points, edges }))<EvaluatedFormula>(),
  /** Computes statistics over all rows of the range; with a second formula, also their correlation and beta. */
  'series.statistics': call(
    z.strictObject({
      ...formulaFields,
      other: z.string().max(10_000).nullable().default(null),
      /** Resamples the shorter interval to the longer one before the two are paired: by its column's rule, else its last row. */
      atLongerInterval: z.boolean().default(false),
    }),
  )<SeriesStatistics>(),
  /**
   * Relationships of several formulas over all rows of the range: their correlations, the line of one on another, and
   * both by lag and over time. Shorter intervals are resampled to the longest one first, so that no value counts twice.
   */
  'series.relationships': call(
    z.strictObject({
      inputs: formulaFields.inputs,
      ...openRange,
      originMs: formulaFields.originMs,
      formulas: z
        .array(z.strictObject({ name, formula: formulaFields.formula }))
        .min(2)
        .max(24),
      /** Positions among the formulas: the line is that of `y` on `x`. */
      x: z.int().min(0),
      y: z.int().min(0),
      /** Compares the values, their differences from row to row, or the differences of their logarithms. */
      compare: z.enum(relationshipChanges).default('values'),
      /** Rows of the rolling window. */
      windowRows: z.int().min(3).max(100_000).default(100),
      lags: z.int().min(0).max(200).default(24),
      /** Number of pairs at most that are given for a picture; the figures are computed from all. */
      pairs: z.int().min(0).max(10_000).default(1500),
      points,
    }),
  )<Relationships>(),
  /** One column over all series of a venue that have files here. Progress counts series. */
  'series.scan': call(
    z.strictObject({
      connectionId,
      dataset: name,
      exchange: name,
      interval: z.string().min(1).max(20),
      timestamp: z.enum(['exchange', 'true']),
      column: name,
      /** `moment`: the last value that was known at `endMs`; `mean`: of all values of the range. */
      way: z.enum(['moment', 'mean']),
      startMs: instant,
      endMs: instant,
      /** Number of points of each spark line, spread over the range; 0 for none. */
      sparkPoints: z.int().min(0).max(60).default(60),
      /** Further columns by formula over every series: names are columns of the dataset, or `dataset.column`. */
      formulas: z
        .array(z.strictObject({ name, formula: formulaFields.formula }))
        .max(MOST_SCAN_FORMULAS)
        .default([]),
    }),
  )<SeriesScan>(),
  /**
   * Rows of series and of formulas, joined on their times, as one file; null where the user closed the dialog. A CSV comes
   * with a second file beside it, `….provenance.json`; in a Parquet file it is inside. Progress counts rows.
   */
  'series.export': call(
    z.strictObject({
      format: z.enum(['csv', 'parquet']),
      /** `columns` empty for all. */
      series: z
        .array(z.strictObject({ ...seriesFields, columns: z.array(name).max(500).default([]) }))
        .max(50)
        .default([]),
      formulas: z
        .array(z.strictObject({ name, formula: formulaFields.formula, inputs: formulaFields.inputs }))
        .max(20)
        .default([]),
      ...openRange,
      originMs: formulaFields.originMs,
      /** Zone of the times in a CSV: `UTC`, or a name such as `Europe/Paris`. */
      zone: z.string().min(1).max(60).default('UTC'),
      /** Text of a CSV: guarded against spreadsheets that run formulas, or exactly as it is. */
      text: z.enum(csvTexts).default('guarded'),
    }),
  )<Exported | null>(),
  /**
   * Cached files as they are, in folders that other engines understand, with a README and where each file is from. To a
   * window as one tar file. Lists that are left out do not matter.
   */
  'series.exportHive': call(hiveSelection)<Exported | null>(),
  /**
   * Puts cached files into a shared store, in the folders of `exportHive` and under names by their content. The key of the
   * connection goes there only where its own store is at the same service.
   */
  'series.publishHive': call(
    hiveSelection.extend({ store: storeLocation, storeEndpoint, storePlainHttp: z.boolean() }),
  )<PublishedFiles & { store: string }>(),
  /** Snippets that read the cached files of a series in other tools. */
  'series.snippets': call(
    z.strictObject({
      ...seriesFields,
      columns: z.array(name).max(500).default([]),
      ...openRange,
      /** Name of the rows in Python. */
      variable: z
        .string()
        .regex(/^[a-z_]\w{0,99}$/i)
        .default('df'),
    }),
  )<Snippet[]>(),
}

export interface Exported extends Saved {
  /** Number of rows written; 0 for folders of files. */
  rows: number
  /** Number of rows left out because a later one has the same time. */
  duplicates: number
  files: number
  /** Files that could not be read and are left out. */
  unread: UnreadFile[]
  /** Units of the columns of the file, in order; empty for folders of files. */
  columns: { label: string; unit: string | null }[]
  /** Columns whose unit is mixed, and columns that stand for the same in different units. */
  unitWarnings: string[]
  /** Notes on times that a venue's feed does not carry, so that they are modelled. */
  modelledTimes: string[]
  /** Facts on the columns of formulas: from when sums count, and what is only an approximation. */
  notes: string[]
}

/** Code to copy. */
export interface Snippet {
  name: 'DuckDB' | 'pandas' | 'Polars' | 'Spark' | 'ClickHouse'
  language: 'sql' | 'python'
  text: string
}

/** A time range and its coverage, as charts shade it. */
export interface CoverageRange {
  startMs: number
  endMs: number
  /** `cached` here; `available` known to exist, or not known not to; `absent` the service has nothing. */
  state: 'cached' | 'available' | 'absent'
  /** True if the subscription does not include the range. */
  isLocked: boolean
}

/** A file that rows come from. */
export interface SourceFile {
  period: string
  startMs: number
  endMs: number
  sha256: string
  state: 'final' | 'partial'
  fetchedAt: number
}

/** A file that could not be read, or one of its columns; nothing is shown for it. */
export interface UnreadFile {
  startMs: number
  endMs: number
  message: string
}

/**
 * `rows`: the rows as they are, a column for each that was requested. `buckets`: all buckets of the range in order, those that an
 * edge cuts in parts; `time` is their start, and for each column `c` there are
 *   c.count (values), c.first, c.last, c.min, c.max, c.mean, c.m2 (squared distances from the mean, summed): missing where
 *   the count is 0; and the instants c.firstAt, c.lastAt, c.minAt, c.maxAt.
 * `drawnRows` and `drawnCandles` (shared/overview) make of either what a chart draws.
 */
export interface OverviewPoints {
  kind: 'rows' | 'buckets'
  /** Length of the buckets that points stand for; null for rows. */
  bucketMs: number | null
  /** Time between consecutive rows; a longer step is a gap. Null for events. */
  stepMs: number | null
  frame: Frame
}

export interface SeriesOverview {
  points: OverviewPoints
  /** Range of the request with its nulls filled in; start and end are equal if nothing is cached. */
  range: { startMs: number; endMs: number }
  /** All of the range, in order. */
  coverage: CoverageRange[]
  unread: UnreadFile[]
  /** Requested columns that none of the files has. */
  absentColumns: string[]
  files: SourceFile[]
}

export interface EvaluatedFormula {
  points: OverviewPoints
  range: { startMs: number; endMs: number }
  /** Error of the formula with its place in the text; there are then no points. */
  problem: FormulaProblem | null
  /** Unit of the result; `mixed units: …` where units were put together that differ, null where one is not documented. */
  unit: string | null
  /** Problems of the unit, shown where the number stands. */
  unitWarnings: string[]
  /** Facts shown where the numbers stand: from when sums count, and what is only an approximation. */
  notes: string[]
  /** Number of rows of the result over the whole range. */
  rows: number
  /** Coverage and files by input name. */
  inputs: Record<string, Pick<SeriesOverview, 'coverage' | 'unread' | 'absentColumns' | 'files'>>
}

export interface FormulaProblem {
  message: string
  /** Positions in the text, half-open. */
  start: number
  end: number
}

export interface SeriesStatistics {
  problem: FormulaProblem | null
  /** Number of rows of the first formula. */
  rows: number
  missing: number
  first: number | null
  last: number | null
  min: number | null
  max: number | null
  mean: number | null
  /** Sample deviation: divided by the number of values less one. */
  deviation: number | null
  /** Quantiles at 1, 5, 25, 50, 75, 95 and 99 per cent. */
  quantiles: (number | null)[]
  /** Autocorrelation of each value with that of the row before. */
  autocorrelation: number | null
  /** Share of the values that are at most the last one; null without a value. */
  lastShare: number | null
  /** Rows behind correlation and beta; null without a second formula. */
  pairing: Pairing | null
  /** Correlation with the second formula, over the rows where both have a value. */
  correlation: number | null
  /** The first on the second: slope of the straight line. */
  beta: number | null
  /** Unit of the first formula. */
  unit: string | null
  /** Unit of the slope; null without a second formula. */
  betaUnit: string | null
  unitWarnings: string[]
  /** Facts shown where the figures stand, as of an evaluated formula. */
  notes: string[]
}

/** Pairs of rows of two intervals, and how they were made. */
export interface Pairing {
  /** Number of rows where both have a value. */
  pairs: number
  /** Number of pairs that have a value of their own on both sides: fewer, where a longer interval is beside several rows. */
  effectivePairs: number
  /** Interval of the pairs. */
  intervalMs: number
  /** The longer interval of the two; equal to the shorter one where they do not differ. */
  longerMs: number
  shorterMs: number
  /** Rule by which the shorter interval was resampled; null where it was not. */
  resampled: string | null
}

/** The least-squares line of y on x with intercept. Figures that are not defined are null. */
export interface FittedLine {
  n: number
  slope: number
  intercept: number
  slopeError: number | null
  /** Slope by its standard error, for residuals that are independent of one another. */
  t: number | null
  /** t of the slope by the Newey–West standard error with `robustLags` lags. */
  robustT: number | null
  robustLags: number
  correlation: number | null
  r2: number | null
  /** Standard deviation of the residuals, in the unit of y. */
  deviation: number
}

export interface Relationships {
  /** Error of one of the formulas, named; there are then no figures. */
  problem: (FormulaProblem & { name: string }) | null
  /** Interval of the compared rows. */
  intervalMs: number
  series: {
    name: string
    /** The formula whose rows are compared: resampled, and of changes where these were requested. */
    formula: string
    unit: string | null
    /** Number of values in the range. */
    values: number
    /** Rule by which a shorter interval was resampled; null where it was not. */
    resampled: string | null
  }[]
  /** Correlation of each with each, and the number of pairs behind it. */
  matrix: { r: (number | null)[][]; n: number[][] }
  /** Regression line; null with fewer than 3 pairs, or if x does not vary. */
  line: FittedLine | null
  slopeUnit: string | null
  /** time, x, y of every `every`-th pair. */
  pairs: { frame: Frame; every: number }
  /** lag, r, n: the correlation of x with y so many rows later. */
  lags: Frame
  /** Residuals of the line in time. */
  residuals: OverviewPoints
  rollingCorrelation: OverviewPoints
  /** Residual of each row from the line over the rows of its window. */
  rollingResidual: OverviewPoints
  unitWarnings: string[]
  notes: string[]
  unread: { name: string; message: string }[]
  files: SourceFile[]
}

/** A column of a scan that was computed by a formula. */
export interface ScannedFormula {
  name: string
  formula: string
  /** Unit of the values, as of the first symbol that has one. */
  unit: string | null
  unitWarnings: string[]
  /** Error of the formula; its columns are then empty. */
  problem: string | null
}

export interface SeriesScan {
  /**
   * symbol, value, time (of the value: its row's start), first, change (last less first), min, max, z (of the last value
   * among those of the range), percentile (the share of values that are at most the last one), count, missing, rows; and
   * for each formula, in order, formula0.value, formula0.z, formula0.percentile …
   */
  frame: Frame
  formulas: ScannedFormula[]
  /** Sparkline of each row of the frame, concatenated; NaN where a value is missing. */
  sparks: { points: number; values: Float64Array }
  /** Unit of the values at the venue; null where the column is not documented. */
  unit: string | null
  unread: { symbol: string; message: string }[]
}

export interface SeriesRead {
  rows: Frame
  /** Start of the next question; null where the range is read to its end. */
  nextMs: number | null
  /** Rows left out because a later one has the same time. */
  duplicates: number
  /** Rows left out because they have no time. */
  withoutTime: number
  /** Requested columns that none of the files has. */
  absentColumns: string[]
  /** Parts that are not on this machine. */
  missing: { startMs: number; endMs: number }[]
  /** Files that could not be read, or one of their columns. */
  unread: UnreadFile[]
  /** Sources of the rows. */
  files: SourceFile[]
}
