import type { DayNumber } from './periods.ts'

/** Half-open range in UTC milliseconds since the epoch. */
export interface TimeRange {
  startMs: number
  endMs: number
}

/** A time range in which null means open: from the start of the data, or to its end. */
export interface OpenTimeRange {
  startMs: number | null
  endMs: number | null
}

/** Half-open range of UTC days. */
export interface DayRange {
  start: DayNumber
  end: DayNumber
}
