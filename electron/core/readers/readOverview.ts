import { bucketFrame } from '#shared/overview/bucketFrame.ts'
import { ColumnBuckets, gridOver } from '#shared/overview/columnBuckets.ts'
import { readSummary, summaryBuckets } from './fileSummary.ts'
import type { OverviewBuckets, OverviewTask } from './overviewTask.ts'
import { readSeries } from './readSeries.ts'
import type { UnreadStretch } from './seriesTask.ts'

/**
 * Columns of a series over many files, reduced file by file: from summaries where they are kept and fine enough, else from
 * the rows. Memory does not grow with the length of the history.
 */
export function readOverview(task: OverviewTask): OverviewBuckets {
  const grid = gridOver(task.startMs, task.endMs, task.bucketMs)
  const columns = task.columns.map((name) => ({ name, buckets: new ColumnBuckets(grid) }))
  const unread: UnreadStretch[] = []
  const summaries = task.stretches.map((stretch) => {
    const summary = stretch.summaryPath === null ? null : readSummary(stretch.summaryPath, task.columns)
    if (summary) {
      const { startMs, endMs } = stretch
      columns.forEach(({ buckets }, at) => buckets.addBuckets(summaryBuckets(summary[at]), startMs, endMs))
      return summary
    }
    const rows = readSeries({ ...task, stretches: [stretch] })
    unread.push(...rows.unread)
    const [times, ...values] = rows.frame.columns
    for (const [index, { buckets }] of columns.entries()) {
      const column = values[index]
      if (times.kind === 'time' && column.kind !== 'text') buckets.addRows(times.values, column)
    }
    return null
  })
  return { frame: bucketFrame(grid, columns), unread, summaries }
}
