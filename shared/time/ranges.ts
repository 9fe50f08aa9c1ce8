import type { DayNumber } from './periods.ts'

/** UTC milliseconds since the epoch, half-open. */
export interface TimeRange {
  startMs: number
  endMs: number
}

/** A time range that is open at an end that is null: it reaches as far as there are data. */
export interface OpenTimeRange {
  startMs: number | null
  endMs: number | null
}

/** Whole UTC days, half-open. */
export interface DayRange {
  start: DayNumber
  end: DayNumber
}
