import type { TimeRange } from '#shared/time/ranges.ts'
import type { VenueFinding } from '#shared/quality/compareRows.ts'
import type { RowFinding } from '#shared/quality/findings.ts'
import type { FileToRead } from '#core/series/readerTask.ts'

/** Series that the checked files belong to. */
interface QualitySeries {
  dataset: string
  exchange: string
  symbol: string
  intervalMs: number
}

export interface FileCheck {
  name: 'file'
  series: QualitySeries
  period: TimeRange
  /** The checked file in a list of one, so that all kinds of tasks have their files under the same name. */
  slices: FileToRead[]
  /** Candle files of the same period; their volume shows whether there were trades while the open interest was 0. */
  candles: FileToRead[]
  /** True for own rows that stand at any time: neither gaps nor equal values are faults of them. */
  areEvents?: boolean
}

/** Check of a file of raw events. */
export interface EventsCheck {
  name: 'events'
  dataset: string
  slices: FileToRead[]
}

export interface CompareCheck {
  name: 'overlap' | 'computed'
  series: QualitySeries
  slices: FileToRead[]
  expected: FileToRead[]
}

export interface VenueCheck {
  name: 'venue'
  column: 'midprice' | 'funding_rate'
  intervalMs: number
  venues: { exchange: string; symbol: string; slices: FileToRead[] }[]
}

/** Task of a quality thread. */
export type QualityTask = FileCheck | EventsCheck | CompareCheck | VenueCheck

export interface QualityResult {
  findings: (RowFinding | VenueFinding)[]
  /** First and last time of the rows; null if there are none, and in checks of several files. */
  firstMs: number | null
  lastMs: number | null
  /** Largest number of consecutive rows without any event; of raw events, half the minutes that may be silent. */
  longestEmpty: number
  /** Reason why a file could not be read; null if all were read. */
  unread: string | null
}
