import type { Frame } from '#shared/contract/frame.ts'
import type { TimeRange } from './seriesPlan.ts'
import type { SeriesTask, UnreadStretch } from './seriesTask.ts'

/** Columns of a series reduced to buckets, by one thread in one go. */
export interface OverviewTask extends SeriesTask, TimeRange {
  bucketMs: number
}

export interface OverviewBuckets {
  frame: Frame
  unread: UnreadStretch[]
}
