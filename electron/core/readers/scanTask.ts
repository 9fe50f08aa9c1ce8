import type { TimeRange } from './seriesPlan.ts'
import type { SeriesTask, UnreadStretch } from './seriesTask.ts'

/** One column of several series, each on its own, by one thread in one go. */
export interface ScanTask extends TimeRange {
  series: Pick<SeriesTask, 'stretches'>[]
  column: string
  way: 'moment' | 'mean'
  /** A row's value is known when its interval is over. */
  stepMs: number
  sparkPoints: number
}

export interface ScannedSeries {
  /** Null where there is no value. */
  value: number | null
  timeMs: number | null
  first: number | null
  last: number | null
  min: number | null
  max: number | null
  /** Number of values. */
  count: number
  rows: number
  spark: Float64Array
  unread: UnreadStretch[]
}
