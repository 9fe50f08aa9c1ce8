import type { Resample } from '#shared/catalog/column.ts'
import type { FormulaProblem, OverviewPoints, Relationships, SeriesStatistics } from '#shared/contract/areas/series.ts'
import type { Frame } from '#shared/contract/frame.ts'
import type { BucketGrid } from '#shared/overview/buckets.ts'
import type { FileVersion } from '#core/parquet/parquetFile.ts'
import type { TimeRange } from '#shared/time/ranges.ts'

/** Everything that reading threads do: name → what they are given and what they give back. */
export interface ReaderWork {
  rows: { task: SeriesTask; result: SeriesRows }
  overview: { task: OverviewTask; result: OverviewBuckets }
  formula: { task: FormulaTask; result: FormulaAnswer }
  statistics: { task: StatisticsTask; result: StatisticsAnswer }
  relationships: { task: RelationshipsTask; result: RelationshipsAnswer }
  summary: { task: SummaryTask; result: boolean }
  scan: { task: ScanTask; result: ScannedSeries[] }
}

export type ReaderWorkName = keyof ReaderWork

export type ReaderTask = { [Name in ReaderWorkName]: { name: Name; task: ReaderWork[Name]['task'] } }[ReaderWorkName]
export type ReaderResult = ReaderWork[ReaderWorkName]['result']

/** Version and content of a file as the index recorded them at its validation. */
export interface KnownFile extends FileVersion {
  sha256: string
  /** Reason why the file at this place is not read, though it is of this version. */
  refusal?: string
}

/** A file to read, with what the index knows of it; without that, it is read as it is. */
export interface FileToRead {
  path: string
  known?: KnownFile
}

/** A part of a series to read, by one thread in one go. */
export interface SeriesTask {
  /** In time order, without overlap. */
  slices: (TimeRange & FileToRead)[]
  columns: readonly string[]
  timeColumn: string
  /** Events may share an instant; of an interval's rows the last one counts. */
  keepEqualTimes: boolean
}

/** Something in a file that could not be read: its rows are not in the frame, or one of its columns is missing there. */
export interface UnreadSlice extends TimeRange {
  path: string
  message: string
}

export interface SeriesRows {
  /** The first column is `time`, in milliseconds and rising. */
  frame: Frame
  /** Rows left out because a later one has the same time. */
  duplicates: number
  withoutTime: number
  unread: UnreadSlice[]
}

/** A column that a formula names, to be read with what its rule of resampling needs. */
export interface FormulaColumn extends SeriesTask {
  /** The one that is named stands first. */
  columns: readonly [string, ...string[]]
  intervalMs: number
  unit?: string
  contractSize?: number
  /** Rows before it are read only where the formula has not settled; absent where all ranges are read at once. */
  fromMs?: number
  /**
   * From the first row of the series to the end of its last one, as far as all files here know: intervals without a row between
   * them are rows without a value, also where the rows at hand begin later or end earlier.
   */
  extent?: TimeRange
  /** Range of the rows that are requested; its start is −Infinity for all there are. */
  reading: TimeRange
  resample?: Resample
  /** Rules by which the other columns are resampled to longer intervals. */
  companions: Record<string, Resample>
  /** Columns of other datasets that the rule needs, by the names that it gives them. */
  beside: Record<string, { task: SeriesTask; resample: Resample }>
}

export interface FormulaTask extends TimeRange {
  formula: string
  /** Rows before it are read for what looks back, and do not count. */
  inputs: Record<string, FormulaColumn>
  points: number
  /** Instants at which buckets are parted. */
  edges: readonly number[]
}

export interface FormulaAnswer {
  points: OverviewPoints | null
  problem: FormulaProblem | null
  unit: string | null
  unitWarnings: string[]
  notes: string[]
  rows: number
  unread: Record<string, UnreadSlice[]>
}

export interface StatisticsTask extends Omit<FormulaTask, 'points' | 'edges'> {
  other: string | null
  /** Resamples the shorter interval to the longer one before the two are paired. */
  atLongerInterval: boolean
  /** Rows whose interval ends later are left out, because their values were not known yet. */
  knownByMs?: number
}

export type StatisticsAnswer = SeriesStatistics

/** A formula whose rows are compared with those of others. */
export interface ComparedFormula {
  name: string
  /** Ways to write it on the common interval, the best first: a rule may need columns that are not here. */
  ways: { formula: string; resampled: string | null }[]
}

export interface RelationshipsTask extends Omit<FormulaTask, 'formula' | 'edges'> {
  formulas: ComparedFormula[]
  x: number
  y: number
  windowRows: number
  lags: number
  pairs: number
}

export type RelationshipsAnswer = Omit<Relationships, 'unread' | 'files'> & { unread: Record<string, UnreadSlice[]> }

/** Columns of a series reduced to buckets, by one thread in one go. */
export interface OverviewTask extends SeriesTask, TimeRange {
  /** With where the summary of the file is kept; null where it would be too coarse. */
  slices: (SeriesTask['slices'][number] & { summaryPath: string | null })[]
  bucketMs: number
}

export interface OverviewBuckets {
  frame: Frame
  unread: UnreadSlice[]
  /** Summaries of the columns for each part of the range; null where the rows were read. */
  summaries: (SummaryColumn[] | null)[]
}

/** One column of several series, each on its own, by one thread in one go. */
export interface ScanTask extends TimeRange {
  series: Pick<SeriesTask, 'slices'>[]
  column: string
  way: 'moment' | 'mean'
  /** A row's value is known when its interval is over. */
  stepMs: number
  sparkPoints: number
}

export interface ScannedSeries {
  /** Value at the end of the range or over it; null if there is none. */
  value: number | null
  timeMs: number | null
  first: number | null
  last: number | null
  min: number | null
  max: number | null
  /** Standard score of the last value among all; null where they do not differ. */
  z: number | null
  /** Share of the values that are at most the last one. */
  lastShare: number | null
  /** Number of values. */
  count: number
  rows: number
  spark: Float64Array
  unread: UnreadSlice[]
}

/** A column of a kept summary: its parts one after the other, in memory that can move to another thread. */
export interface SummaryColumn {
  grid: BucketGrid
  parts: Float64Array<ArrayBuffer>
}

/** A file whose summary is to be made. */
export interface SummaryTask extends FileToRead, Pick<SeriesTask, 'timeColumn' | 'keepEqualTimes'> {
  summaryPath: string
  /** Range of all rows of the file. */
  reach: TimeRange
  bucketMs: number
}
