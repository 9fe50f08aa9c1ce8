import type { TimeRange } from '#shared/time/ranges.ts'
import type { VenueFinding } from '#shared/quality/compareRows.ts'
import type { RowFinding } from '#shared/quality/findings.ts'
import type { FileToRead } from '#core/series/readerTask.ts'

/** A series that files belong to. */
export interface CheckedSeries {
  dataset: string
  exchange: string
  symbol: string
  intervalMs: number
}

export interface FileCheck {
  name: 'file'
  series: CheckedSeries
  period: TimeRange
  /** Wrapped in a list, so that changed files are found in every kind of task alike. */
  slices: FileToRead[]
  /** Files with the trades of the same time, for open interest. */
  trades: FileToRead[]
}

export interface CompareCheck {
  name: 'overlap' | 'computed'
  series: CheckedSeries
  slices: FileToRead[]
  expected: FileToRead[]
}

export interface VenueCheck {
  name: 'venue'
  column: 'midprice' | 'funding_rate'
  intervalMs: number
  venues: { exchange: string; symbol: string; slices: FileToRead[] }[]
}

/** Work of one thread in one go. */
export type QualityTask = FileCheck | CompareCheck | VenueCheck

export interface QualityResult {
  findings: (RowFinding | VenueFinding)[]
  /** First and last time of the rows; null where there are none, or for other checks than of a file. */
  firstMs: number | null
  lastMs: number | null
  /** Rows without any event that follow each other at most. */
  longestEmpty: number
  /** Reason where a file cannot be read. */
  unread: string | null
}
