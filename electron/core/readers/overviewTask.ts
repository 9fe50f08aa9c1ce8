import type { Frame } from '#shared/contract/frame.ts'
import type { TimeRange } from './seriesPlan.ts'
import type { SeriesTask, UnreadStretch } from './seriesTask.ts'

/** Columns of a series reduced to buckets, by one thread in one go. */
export interface OverviewTask extends SeriesTask, TimeRange {
  /** With where the summary of the file is kept. */
  stretches: (SeriesTask['stretches'][number] & { summaryPath: string })[]
  bucketMs: number
  /** Of the buckets in summaries. */
  summaryMs: number
}

export interface OverviewBuckets {
  frame: Frame
  unread: UnreadStretch[]
  /** Files that were read whole for want of a summary. */
  withoutSummary: string[]
}
