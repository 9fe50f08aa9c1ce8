import type { Frame } from '#shared/contract/frame.ts'
import type { TimeRange } from './seriesPlan.ts'

/** A part of a series to read, by one thread in one go. */
export interface SeriesTask {
  /** In the order of time, none over another. */
  stretches: (TimeRange & { path: string })[]
  columns: readonly string[]
  timeColumn: string
  /** Events may share an instant; of an interval's rows the last one stands. */
  keepEqualTimes: boolean
}

/** Something in a file that could not be read: its rows are not in the frame, or one of its columns is missing there. */
export interface UnreadStretch extends TimeRange {
  path: string
  message: string
}

export interface SeriesRows {
  /** The first column is `time`, in milliseconds and rising. */
  frame: Frame
  /** Rows left out because a later one has the same time. */
  duplicates: number
  withoutTime: number
  unread: UnreadStretch[]
}
