import * as z from '../../schemas/lazySchemas.ts'
import { storeEndpoint, storeLocation } from '../sharedStore.ts'
import { seriesTexts as texts } from '../fieldTexts.ts'
import { call } from '../spec.ts'
import type { PublishedFiles } from './downloads.ts'
import { csvTextModes } from '../../units/csvCell.ts'
import { distributionKinds } from '../../workspace/chartStyle.ts'
import type { FormulaProblem } from '../../workspace/expandFormula.ts'
import { MOST_SERIES } from '../../workspace/workspaceLimits.ts'
import type { Frame } from '../frame.ts'
import { connectionId } from './discovery.ts'
import { listFilter } from './lists.ts'
import type { SavedFile } from './requests.ts'

const name = z.string().min(1).max(300)
const points = z.int().min(1).max(20_000).default(2000)

const seriesFields = {
  connectionId,
  kind: z.enum(['metrics', 'raw']).default('metrics'),
  dataset: name.describe(texts.dataset),
  exchange: name.describe(texts.exchange),
  symbol: name.describe(texts.symbol),
  interval: z.string().max(20).default('').describe(texts.interval),
  /** For raw events, the clock by which they are ordered. */
  timestamp: z.enum(['exchange', 'true']).describe(texts.timestamp),
}

/** Instants from 1900 to 2200, the limits of the calendar. */
const instant = z.number().min(Date.UTC(1900, 0)).max(Date.UTC(2200, 0))
/** Half-open range; null means the first or last cached row. */
const optionalRange = { startMs: instant.nullable(), endMs: instant.nullable() }

/** A column of a series, as a formula names it. */
const seriesColumn = z.strictObject({
  ...seriesFields,
  column: name,
  /**
   * True to take rows of an own dataset at their own times, as a chart draws them; else they stand where they were known.
   */
  atLabel: z.boolean().optional(),
})

const formulaFields = {
  /** Formula over the columns; a single name stands for the column itself. */
  formula: z.string().max(10_000),
  inputs: z.record(z.string().min(1).max(300), seriesColumn),
  ...optionalRange,
  /**
   * Start of cumulative functions (`cumsum`, `index100`, `percentfromstart`); null for the start of the range. Window
   * functions always read rows before the range.
   */
  originMs: instant.nullable().default(null),
}

/** Instants at which bins are split. A view that starts or ends at such an instant then shows only its own extremes. */
const edges = z.array(instant).max(4).default([])

const names = z.array(name).max(1000)

const hiveSeries = z.strictObject({
  dataset: name,
  exchange: name,
  symbol: name,
  interval: z.string().max(20),
  timestamp: z.string().max(20),
})

export const comparedQuantities = ['values', 'changes', 'logReturns'] as const
export type ComparedQuantity = (typeof comparedQuantities)[number]

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
  ...optionalRange,
})

/** Maximum number of formula columns in a scan. */
export const MOST_SCAN_FORMULAS = 8

export const seriesCalls = {
  /** Reads rows from the cache within a half-open range of instants. */
  'series.read': call(
    z.strictObject({
      ...seriesFields,
      columns: z.array(name).max(500).default([]).describe(texts.columns),
      startMs: z.number(),
      endMs: z.number(),
      /** Approximate number of rows per answer; continue from `nextMs`. */
      limitRows: z.int().min(1).max(5_000_000).default(2_000_000),
    }),
  )<SeriesRead>(),
  /** Reduces columns over any range to about the requested number of points. */
  'series.overview': call(
    z.strictObject({
      ...seriesFields,
      columns: z.array(name).min(1).max(100),
      /** True to place the events of an own dataset where they were known. */
      asKnown: z.boolean().optional(),
      ...optionalRange,
      points,
      edges,
    }),
  )<SeriesOverview>(),
  /** Evaluates a formula over all rows of the range, and reduces the result to points with one column, `value`. */
  'series.evaluate': call(z.strictObject({ ...formulaFields, points, edges }))<EvaluatedFormula>(),
  /** Computes statistics over all rows of the range; with a second formula, also their correlation and beta. */
  'series.statistics': call(
    z.strictObject({
      ...formulaFields,
      other: z.string().max(10_000).nullable().default(null),
      /**
       * True to resample the series with the shorter interval to the longer one before pairing, by the rule of its
       * column or, without a rule, by the last row.
       */
      atLongerInterval: z.boolean().default(false),
    }),
  )<SeriesStatistics>(),
  /**
   * Computes how the values of formulas are distributed over all rows of the range: in the bars of a histogram, or in
   * boxes by hour, weekday or month (UTC), by series, or by fifths of the values of the first formula.
   */
  'series.distribution': call(
    z.strictObject({
      inputs: formulaFields.inputs,
      ...optionalRange,
      originMs: formulaFields.originMs,
      formulas: z
        .array(z.strictObject({ name, formula: formulaFields.formula }))
        .min(1)
        .max(MOST_SERIES),
      by: z.enum(distributionKinds),
    }),
  )<Distribution>(),
  /**
   * Computes relationships of several formulas over all rows of the range: pairwise correlations, a regression of y on
   * x with its residuals, the correlation by lag, and the rolling correlation and residual. Series with shorter
   * intervals are first resampled to the longest one, so that no value counts twice.
   */
  'series.relationships': call(
    z.strictObject({
      inputs: formulaFields.inputs,
      ...optionalRange,
      originMs: formulaFields.originMs,
      formulas: z
        .array(z.strictObject({ name, formula: formulaFields.formula }))
        .min(2)
        .max(24),
      /** Indexes of the formulas to regress: `y` on `x`. */
      x: z.int().min(0),
      y: z.int().min(0),
      /** Quantity to compare: values, their changes from row to row, or changes of their logarithms. */
      compare: z.enum(comparedQuantities).default('values'),
      /** Length of the rolling window in rows. */
      windowRows: z.int().min(3).max(100_000).default(100),
      lags: z.int().min(0).max(200).default(24),
      /** Maximum number of pairs returned for the scatter plot; the figures use all pairs. */
      pairs: z.int().min(0).max(10_000).default(1500),
      points,
    }),
  )<Relationships>(),
  /** Computes one column over all cached series of a venue. Progress counts series. */
  'series.scan': call(
    z.strictObject({
      connectionId,
      dataset: name,
      exchange: name,
      interval: z.string().min(1).max(20),
      timestamp: z.enum(['exchange', 'true']),
      column: name,
      /** `moment` takes the last value known at `endMs`, `mean` averages all values of the range. */
      way: z.enum(['moment', 'mean']),
      startMs: instant,
      endMs: instant,
      /** Number of points per sparkline, spread over the range; 0 for none. */
      sparkPoints: z.int().min(0).max(60).default(60),
      /** Further formula columns for every series; names in them are columns of the dataset, or `dataset.column`. */
      formulas: z
        .array(z.strictObject({ name, formula: formulaFields.formula }))
        .max(MOST_SCAN_FORMULAS)
        .default([]),
    }),
  )<SeriesScan>(),
  /**
   * Exports rows of series and formulas, joined on their times, as one file; null if the user cancelled. The
   * provenance of a CSV is a second file, `….provenance.json`; in Parquet it is embedded. Progress counts rows.
   */
  'series.export': call(
    z.strictObject({
      format: z.enum(['csv', 'parquet']),
      /** Series to export; `columns` is empty for all. */
      series: z
        .array(z.strictObject({ ...seriesFields, columns: z.array(name).max(500).default([]) }))
        .max(50)
        .default([]),
      formulas: z
        .array(z.strictObject({ name, formula: formulaFields.formula, inputs: formulaFields.inputs }))
        .max(20)
        .default([]),
      ...optionalRange,
      originMs: formulaFields.originMs,
      /** Time zone of a CSV: `UTC`, or a name such as `Europe/Paris`. */
      zone: z.string().min(1).max(60).default('UTC'),
      /** Text cells of a CSV: `guarded` against formula injection in spreadsheets, or exact. */
      text: z.enum(csvTextModes).default('guarded'),
    }),
  )<ExportResult | null>(),
  /**
   * Exports cached files unchanged, in a Hive folder layout that other engines read, with a README and the origin of
   * each file. A window gets one tar file. Omitted filters match everything.
   */
  'series.exportHive': call(hiveSelection)<ExportResult | null>(),
  /**
   * Publishes cached files to a shared store in the layout of `exportHive`, under content-based names. The connection's
   * key is sent only if the connection's own store is on the same service.
   */
  'series.publishHive': call(
    hiveSelection.extend({ store: storeLocation, storeEndpoint, storePlainHttp: z.boolean() }),
  )<PublishedFiles & { store: string }>(),
  /** Returns code snippets that read the cached files of a series in other tools. */
  'series.snippets': call(
    z.strictObject({
      ...seriesFields,
      columns: z.array(name).max(500).default([]),
      ...optionalRange,
      /** Name of the Python variable. */
      variable: z
        .string()
        .regex(/^[a-z_]\w{0,99}$/i)
        .default('df'),
    }),
  )<Snippet[]>(),
}

export interface ExportResult extends SavedFile {
  /** Number of rows written; 0 for folders of files. */
  rows: number
  /** Number of rows dropped because a later row has the same time. */
  duplicates: number
  files: number
  /** Unreadable files, which are left out. */
  unread: UnreadFile[]
  /** Labels and units of the file's columns, in order; empty for folders of files. */
  columns: { label: string; unit: string | null }[]
  /** Warnings about columns with mixed units, and about columns of the same name in different units. */
  unitWarnings: string[]
  /** Notes that times are modelled because a venue's feed carries none. */
  modelledTimes: string[]
  /** Notes on formula columns: where cumulative sums start, and which values are approximations. */
  notes: string[]
}

/** Code snippet to copy. */
export interface Snippet {
  name: 'DuckDB' | 'pandas' | 'Polars' | 'Spark' | 'ClickHouse'
  language: 'sql' | 'python'
  text: string
}

/** A time range and its coverage, as charts shade it. */
export interface CoverageRange {
  startMs: number
  endMs: number
  /** `cached`: on this machine. `available`: exists or may exist. `absent`: the service has no data. */
  state: 'cached' | 'available' | 'absent'
  /** True if the subscription does not include the range. */
  isLocked: boolean
  /** True if the download queue has the files of the range. */
  isQueued: boolean
}

/** A file from which rows were read. */
export interface SourceFile {
  period: string
  startMs: number
  endMs: number
  sha256: string
  state: 'final' | 'partial'
  fetchedAt: number
}

/** A file or column that could not be read; it has no rows in the answer. */
export interface UnreadFile {
  startMs: number
  endMs: number
  message: string
}

/**
 * Points of a range. `rows`: the unchanged rows, with a column for each requested one. `bins`: all bins of the
 * range in order, with those at an edge split; `time` is their start, and each column `c` has c.count (values),
 * c.first, c.last, c.min, c.max, c.mean, c.m2 (sum of squared deviations), missing if the count is 0, and the instants
 * c.firstAt, c.lastAt, c.minAt, c.maxAt. `drawnRows` and `drawnCandles` (shared/overview) convert both kinds to what a
 * chart draws.
 */
export interface OverviewPoints {
  kind: 'rows' | 'bins'
  /** Length of the bins that points stand for; null for rows. */
  binMs: number | null
  /** Time between consecutive rows; a longer step is a gap. Null for events. */
  stepMs: number | null
  frame: Frame
}

export interface SeriesOverview {
  points: OverviewPoints
  /** Requested range with its nulls resolved; start and end are equal if nothing is cached. */
  range: { startMs: number; endMs: number }
  /** Coverage of the complete range, in order. */
  coverage: CoverageRange[]
  unread: UnreadFile[]
  /** Requested columns that no file has. */
  absentColumns: string[]
  files: SourceFile[]
  /** Unit of the first column, if no catalog has it: that of an own dataset. */
  unit?: string | null
}

export interface EvaluatedFormula {
  points: OverviewPoints
  range: { startMs: number; endMs: number }
  /** Formula error with its position in the text; there are then no points. */
  problem: FormulaProblem | null
  /** Unit of the result; `mixed units: …` if different units were combined; null if one is undocumented. */
  unit: string | null
  /** Warnings about the unit, shown next to the number. */
  unitWarnings: string[]
  /** Notes shown next to the numbers, such as where cumulative sums start and which values are approximations. */
  notes: string[]
  /** Instruments whose funding period is not known at some of the rows, so that values are missing there. */
  unknownFunding: { exchange: string; symbol: string }[]
  /** Number of rows of the result over the whole range. */
  rows: number
  /** Coverage and files by input name. */
  inputs: Record<string, Pick<SeriesOverview, 'coverage' | 'unread' | 'absentColumns' | 'files'>>
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
  /** Sample standard deviation (n − 1). */
  deviation: number | null
  /** Quantiles at 1, 5, 25, 50, 75, 95 and 99 per cent. */
  quantiles: (number | null)[]
  /** Autocorrelation at a lag of one row. */
  autocorrelation: number | null
  /** Fraction of values that are at most the last one; null without values. */
  lastShare: number | null
  /** Number of unbroken runs of rows with the value 1, if the values are a state, only 0 and 1; else null. */
  spells: number | null
  /** Pairs used for correlation and beta; null without a second formula. */
  pairing: Pairing | null
  /** Correlation with the second formula over rows where both have values. */
  correlation: number | null
  /** Slope of the first formula on the second. */
  beta: number | null
  /** Unit of the first formula. */
  unit: string | null
  /** Unit of the slope; null without a second formula. */
  betaUnit: string | null
  unitWarnings: string[]
  /** Notes shown next to the figures, as for an evaluated formula. */
  notes: string[]
}

/** A series whose values are grouped. */
export interface DistributionSeries {
  name: string
  unit: string | null
  unitWarnings: string[]
  notes: string[]
  rows: number
  /** Number of rows with a value. */
  values: number
  /** Quantiles at 1, 5, 25, 50, 75, 95 and 99 per cent. */
  quantiles: (number | null)[]
}

export interface Distribution {
  /** Error in one of the formulas, with its name; there are then no figures. */
  problem: (FormulaProblem & { name: string }) | null
  series: DistributionSeries[]
  /** Counts of the values of each series between neighbouring edges, which series of one unit share. */
  histograms: { edges: Float64Array; counts: Float64Array; below: number; above: number }[]
  /**
   * For each series (by fifths: for each but the first) its groups, ascending, with their number of values and their
   * quantiles at 5, 25, 50, 75 and 95 per cent. Groups are hours from 0, weekdays from 0 for Monday, months as
   * 12 · year + month from 0, or fifths from 0 for the lowest.
   */
  boxes: {
    groups: Float64Array
    counts: Float64Array
    low: Float64Array
    lower: Float64Array
    median: Float64Array
    upper: Float64Array
    high: Float64Array
  }[]
}

/** Facts about the pairing of two series, whose intervals may differ. */
export interface Pairing {
  /** Number of rows where both have a value. */
  pairs: number
  /**
   * Number of independent pairs, which is smaller if one row of the longer interval is paired with several rows of the
   * shorter.
   */
  effectivePairs: number
  /** Interval of the pairs. */
  intervalMs: number
  /** The longer of the two intervals; equal to the shorter one if they do not differ. */
  longerMs: number
  shorterMs: number
  /** Rule by which the series with the shorter interval was resampled; null if it was not. */
  resampled: string | null
}

/** Least-squares line of y on x with intercept. Undefined figures are null. */
export interface FittedLine {
  n: number
  slope: number
  intercept: number
  slopeError: number | null
  /** t statistic of the slope, assuming independent residuals. */
  t: number | null
  /** t statistic of the slope with Newey–West standard errors of `robustLags` lags. */
  robustT: number | null
  robustLags: number
  correlation: number | null
  r2: number | null
  /** Standard deviation of the residuals, in the unit of y. */
  deviation: number
}

export interface Relationships {
  /** Error in one of the formulas, with its name; there are then no figures. */
  problem: (FormulaProblem & { name: string }) | null
  /** Interval of the compared rows. */
  intervalMs: number
  series: {
    name: string
    /** Formula whose rows are compared, after resampling and differencing as requested. */
    formula: string
    unit: string | null
    /** Number of values in the range. */
    values: number
    /** Rule by which the series was resampled to a longer interval; null if it was not. */
    resampled: string | null
  }[]
  /** Pairwise correlations, and the number of pairs for each. */
  matrix: { r: (number | null)[][]; n: number[][] }
  /** Regression line; null with fewer than 3 pairs, or if x does not vary. */
  line: FittedLine | null
  slopeUnit: string | null
  /** Columns time, x, y of every `every`-th pair. */
  pairs: { frame: Frame; every: number }
  /** Columns lag, r, n: the correlation r of x with y `lag` rows later, over n pairs. */
  lags: Frame
  /** Residuals of the regression over time. */
  residuals: OverviewPoints
  rollingCorrelation: OverviewPoints
  /** Residual of each row from the regression over the window that ends at that row. */
  rollingResidual: OverviewPoints
  unitWarnings: string[]
  notes: string[]
  unread: { name: string; message: string }[]
  files: SourceFile[]
}

/** A formula column of a scan. */
export interface ScannedFormula {
  name: string
  formula: string
  /** Unit of the values, from the first symbol that has one. */
  unit: string | null
  unitWarnings: string[]
  /** Error in the formula, whose columns are then empty; null if there is none. */
  problem: string | null
}

export interface SeriesScan {
  /**
   * Columns symbol, value, time (start of the value's row), first, change (last minus first), min, max, z (of the last
   * value within the range), percentile (fraction of values that are at most the last one), count, missing, rows; and
   * for each formula, in order, formula0.value, formula0.z, formula0.percentile …
   */
  frame: Frame
  formulas: ScannedFormula[]
  /** Sparkline of each row of the frame, concatenated; NaN where a value is missing. */
  sparks: { points: number; values: Float64Array }
  /** Unit of the values on the venue; null if the column is undocumented. */
  unit: string | null
  unread: { symbol: string; message: string }[]
}

export interface SeriesRead {
  rows: Frame
  /** Start of the next request; null at the end of the range. */
  nextMs: number | null
  /** Number of rows dropped because a later row has the same time. */
  duplicates: number
  /** Number of rows dropped because they have no time. */
  withoutTime: number
  /** Requested columns that no file has. */
  absentColumns: string[]
  /** Parts of the range that are not cached. */
  missing: { startMs: number; endMs: number }[]
  /** Files or columns that could not be read. */
  unread: UnreadFile[]
  /** Files that the rows come from. */
  files: SourceFile[]
}
