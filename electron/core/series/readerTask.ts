import type { Resample } from '#shared/catalog/column.ts'
import type { Distribution, OverviewPoints, Relationships, SeriesStatistics } from '#shared/contract/areas/series.ts'
import type { FormulaProblem } from '#shared/workspace/expandFormula.ts'
import type { Frame } from '#shared/contract/frame.ts'
import type { FundedInstrument, SeriesFunding } from '#shared/formula/series.ts'
import type { OwnTiming } from '#shared/formula/ownData.ts'
import type { BinGrid } from '#shared/overview/bins.ts'
import type { FileVersion } from '#core/parquet/fileVersion.ts'
import type { DistributionKind } from '#shared/workspace/chartStyle.ts'
import type { TimeRange } from '#shared/time/ranges.ts'
import type { DatedSizes } from '#shared/units/contractSizes.ts'

/** All tasks of reading threads by name, each with its input and its result. */
export interface ReaderWork {
  rows: { task: SeriesTask; result: SeriesRows }
  overview: { task: OverviewTask; result: OverviewBins }
  formula: { task: FormulaTask; result: FormulaAnswer }
  statistics: { task: StatisticsTask; result: StatisticsAnswer }
  distribution: { task: DistributionTask; result: Distribution }
  relationships: { task: RelationshipsTask; result: RelationshipsAnswer }
  summary: { task: SummaryTask; result: boolean }
  scan: { task: ScanTask; result: ScannedSeries[] }
  funding: { task: FundingTask; result: (Float64Array | null)[] }
}

export type ReaderWorkName = keyof ReaderWork

export type ReaderTask = { [Name in ReaderWorkName]: { name: Name; task: ReaderWork[Name]['task'] } }[ReaderWorkName]
export type ReaderResult = ReaderWork[ReaderWorkName]['result']

/** Version and hash of a file as recorded in the index when it was validated. */
export interface KnownFile extends FileVersion {
  sha256: string
  /** Reason why this version of the file must not be read. */
  refusal?: string
}

/** A file to read, with its version from the index; without a version it is read as it is. */
export interface FileToRead {
  path: string
  known?: KnownFile
  /** The rows of the file that belong to the series; all of them if absent. */
  rows?: { from: number; to: number }
}

/** A part of a series, read by one thread in one go. */
export interface SeriesTask {
  /** Files to read in time order, without overlap. */
  slices: (TimeRange & FileToRead)[]
  columns: readonly string[]
  timeColumn: string
  /** True for events, which may share a time; of metric rows with the same time only the last one counts. */
  keepEqualTimes: boolean
  /** Columns of integers that doubles would round, to be read as texts; left out where numbers are needed. */
  longIntegers?: readonly string[]
}

/** A part of a file that could not be read in full: the frame lacks its rows, or the values of one of its columns. */
export interface UnreadSlice extends TimeRange {
  path: string
  message: string
}

export interface SeriesRows {
  /** Rows read; the first column is `time`, in milliseconds and ascending. */
  frame: Frame
  /** Number of rows left out because a later row has the same time. */
  duplicates: number
  withoutTime: number
  unread: UnreadSlice[]
}

/** A column that a formula names, with everything that its resampling rule needs. */
export interface FormulaInput extends SeriesTask {
  /** Columns to read; the first one is the column that the formula names. */
  columns: readonly [string, ...string[]]
  intervalMs: number
  unit?: string
  contractSizes?: DatedSizes
  /** Left out if no formula needs it. */
  funding?: SeriesFunding
  /**
   * Start of the rows that are read in the first step; earlier ones are read only until the formula has settled. Absent
   * if all rows are read in one step.
   */
  fromMs?: number
  /**
   * Range from the series' first row to the end of its last row, in all cached files. Within it, intervals without a
   * row count as rows without a value, even if the rows that were read begin later or end earlier.
   */
  extent?: TimeRange
  /** Range of the requested rows; its start is −Infinity for all rows up to its end. */
  rangeToRead: TimeRange
  resample?: Resample
  /** When the rows are known, if they are of an own dataset; they are joined to the grid of the interval. */
  own?: OwnTiming
  /** Rules by which the other columns in `columns` are resampled to longer intervals. */
  companions: Record<string, Resample>
  /** Columns of other datasets that the rule needs, by their names in the rule. */
  otherDatasets: Record<string, { task: SeriesTask; resample: Resample }>
}

export interface FormulaTask extends TimeRange {
  formula: string
  /**
   * Inputs by name. Their rows before `startMs` are read for functions that look back, but are not part of the result.
   */
  inputs: Record<string, FormulaInput>
  points: number
  /** Times at which bins are split. */
  edges: readonly number[]
}

export interface FormulaAnswer {
  points: OverviewPoints | null
  problem: FormulaProblem | null
  unit: string | null
  unitWarnings: string[]
  notes: string[]
  unknownFunding: FundedInstrument[]
  rows: number
  unread: Record<string, UnreadSlice[]>
}

export interface StatisticsTask extends Omit<FormulaTask, 'points' | 'edges'> {
  other: string | null
  /** True to resample the shorter interval to the longer one before pairing the two. */
  atLongerInterval: boolean
  /** Latest time at which values may be known: rows whose interval ends later are left out. */
  knownByMs?: number
}

type StatisticsAnswer = SeriesStatistics

/** Formulas whose values are grouped, by time or by each other. */
export interface DistributionTask extends Pick<FormulaTask, 'inputs' | 'startMs' | 'endMs'> {
  formulas: { name: string; formula: string }[]
  by: DistributionKind
}

/** A formula whose rows are compared with those of other formulas. */
export interface FormulaVariants {
  name: string
  /**
   * Variants of the formula at the common interval, in order of preference. There are several, because the resampling
   * rule that the first one uses may need columns that are not cached.
   */
  variants: { formula: string; resampled: string | null }[]
}

export interface RelationshipsTask extends Omit<FormulaTask, 'formula' | 'edges'> {
  formulas: FormulaVariants[]
  /** Indexes in `formulas` of the two formulas that are paired. */
  x: number
  y: number
  /** Number of rows in a window of the rolling statistics. */
  windowRows: number
  /** Largest lag of the correlations, in rows. */
  lags: number
  /** Maximum number of pairs in the scatter chart. */
  pairs: number
}

export type RelationshipsAnswer = Omit<Relationships, 'unread' | 'files'> & { unread: Record<string, UnreadSlice[]> }

/** Columns of a series to reduce to bins, by one thread in one go. */
export interface OverviewTask extends SeriesTask, TimeRange {
  /** Files with the path of their summary; null if the summary would be too coarse. */
  slices: (SeriesTask['slices'][number] & { summaryPath: string | null })[]
  binMs: number
}

export interface OverviewBins {
  frame: Frame
  unread: UnreadSlice[]
  /** Summaries of the columns for each part of the range; null if the rows were read instead. */
  summaries: (SummaryColumn[] | null)[]
}

/** One column of several series, which one thread reads one after the other. */
export interface ScanTask extends TimeRange {
  series: Pick<SeriesTask, 'slices'>[]
  column: string
  /** `moment` for the last value in the range, `mean` for the mean over it. */
  statistic: 'moment' | 'mean'
  /** Length of the interval of a row; the value of the row is known when the interval is over. */
  stepMs: number
  sparkPoints: number
}

export interface ScannedSeries {
  /** Last value in the range, or its mean over the range, depending on `statistic`; null if there is none. */
  value: number | null
  timeMs: number | null
  first: number | null
  last: number | null
  min: number | null
  max: number | null
  /** Standard score of the last value among all values; null if no two values differ. */
  z: number | null
  /** Share of the values that are not above the last value; null if there are none. */
  lastShare: number | null
  /** Number of values. */
  count: number
  rows: number
  spark: Float64Array
  unread: UnreadSlice[]
}

/** A column of a summary: its arrays one after the other, in memory that can be transferred to another thread. */
export interface SummaryColumn {
  grid: BinGrid
  arrays: Float64Array<ArrayBuffer>
}

export interface SummaryTask extends FileToRead, Pick<SeriesTask, 'timeColumn' | 'keepEqualTimes'> {
  summaryPath: string
  /** Range in which the rows of the file may lie. */
  reach: TimeRange
  binMs: number
}

/** Files of funding rates, of which only what they tell about funding periods is read. */
export interface FundingTask {
  files: FileToRead[]
  /** Interval of the served rates; null for files of raw events. */
  intervalMs: number | null
}
