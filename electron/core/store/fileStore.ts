import type { DayNumber, Period } from '#shared/time/periods.ts'
import type { SeriesKey } from './partitions.ts'

/** A series of one connection. */
export interface OwnedSeries extends SeriesKey {
  connectionId: string
}

/** What is known of one column of a file. */
export interface ColumnFacts {
  name: string
  /** The Parquet type in words: `int64`, `double`, `timestamp[us, UTC]` … */
  type: string
  nulls: number
  /** Null where nothing is comparable (text, all missing). NaN and infinities do not count. */
  min: number | null
  max: number | null
}

/** What was found when a file was proven whole; kept with its row so that nobody has to open the file to know it. */
export interface FileFacts {
  rows: number
  /** Milliseconds since the epoch; null for an empty file. */
  firstTimeMs: number | null
  lastTimeMs: number | null
  /** Where the rows lie on a regular grid: its step. Null where they do not. */
  stepMs: number | null
  duplicateTimes: number
  columns: ColumnFacts[]
}

export interface CachedFile {
  series: OwnedSeries
  period: Period
  startDay: DayNumber
  /** Exclusive. */
  endDay: DayNumber
  /** `partial`: the period was still running when it was fetched. */
  state: 'final' | 'partial'
  origin: 'service' | 'import' | 'computed'
  sizeBytes: number
  sha256: string
  etag: string | null
  fetchedAtMs: number
  usedAtMs: number
  pinned: boolean
  /** When a refresh brought other content than before; null where it never did. */
  changedUpstreamAtMs: number | null
}

export interface FileFilter {
  connectionId?: string
  kind?: 'metrics' | 'raw'
  datasets?: readonly string[]
  exchanges?: readonly string[]
  symbols?: readonly string[]
  intervals?: readonly string[]
  timestamps?: readonly string[]
  /** Files that touch the range, half-open. */
  startDay?: DayNumber
  endDay?: DayNumber
}

/** The index of the files that are here. Rows follow the files: written after a file is whole, dropped before it goes. */
export interface FileStore {
  /** The files of one series that touch the range, by period; what every chart and plan asks. */
  ofSeries(series: OwnedSeries, startDay: DayNumber, endDay: DayNumber): CachedFile[]
  find(series: OwnedSeries, period: Period): CachedFile | undefined
  facts(series: OwnedSeries, period: Period): FileFacts | undefined
  /** Pages by connection, series and period; `after` is the last file of the page before. */
  page(filter: FileFilter, after: CachedFile | null, limit: number): CachedFile[]
  totals(filter: FileFilter): { files: number; sizeBytes: number }
  /** Bytes a file of this dataset and interval usually has, from what was fetched before; null where nothing like it was. */
  usualBytes(dataset: string, interval: string, days: number): number | null
  /** One transaction for all. Clears a remembered absence of the same period. */
  record(files: readonly { file: CachedFile; facts: FileFacts }[]): void
  forget(files: readonly { series: OwnedSeries; period: Period }[]): void
  setPinned(series: OwnedSeries, period: Period, pinned: boolean): void
  /** Least recently used first, without pinned ones and ones that jobs wait for. */
  oldestUnused(limit: number): CachedFile[]
  /** Batched by the store; a crash may lose the last minute of it. */
  touch(series: OwnedSeries, period: Period, nowMs: number): void
}

/** What a service said is not there, or not open, and when. */
export interface AnswerStore {
  recordAbsent(series: OwnedSeries, periods: readonly Period[], nowMs: number): void
  absent(series: OwnedSeries, startDay: DayNumber, endDay: DayNumber): { period: Period; seenAtMs: number }[]
  recordRefusal(refusal: Refusal): void
  clearRefusal(connectionId: string, dataset: string, interval: string): void
  refusals(connectionId: string): Refusal[]
}

/** A dataset, or one interval of it (empty for all), that a connection's key does not open. */
export interface Refusal {
  connectionId: string
  dataset: string
  interval: string
  /** The service's own words. */
  words: string | null
  atMs: number
}
