import type { Frame } from '#shared/contract/frame.ts'
import type { TimeRange } from './seriesPlan.ts'
import type { SeriesTask, UnreadStretch } from './seriesTask.ts'
import type { SummaryColumn } from './fileSummary.ts'

/** Columns of a series reduced to buckets, by one thread in one go. */
export interface OverviewTask extends SeriesTask, TimeRange {
  /** With where the summary of the file is kept; null where it would be too coarse. */
  stretches: (SeriesTask['stretches'][number] & { summaryPath: string | null })[]
  bucketMs: number
}

export interface OverviewBuckets {
  frame: Frame
  unread: UnreadStretch[]
  /** Summaries of the columns for each part of the range; null where the rows were read. */
  summaries: (SummaryColumn[] | null)[]
}
