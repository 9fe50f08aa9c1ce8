import { bucketFrame } from '#shared/overview/bucketFrame.ts'
import { ColumnBuckets, gridOver } from '#shared/overview/columnBuckets.ts'
import { readSummary } from './fileSummary.ts'
import type { OverviewBuckets, OverviewTask } from './overviewTask.ts'
import { readSeries } from './readSeries.ts'
import type { UnreadStretch } from './seriesTask.ts'

/**
 * Columns of a series over many files, reduced file by file: from summaries where they are kept and fine enough, else from
 * the rows. Memory does not grow with the length of the history.
 */
export function readOverview(task: OverviewTask): OverviewBuckets {
  const { bucketMs, summaryMs } = task
  const grid = gridOver(task.startMs, task.endMs, bucketMs)
  const columns = task.columns.map((name) => ({ name, buckets: new ColumnBuckets(grid) }))
  const unread: UnreadStretch[] = []
  const withoutSummary: string[] = []
  for (const stretch of task.stretches) {
    const { startMs, endMs } = stretch
    const isWhole = bucketMs % summaryMs === 0 && startMs % summaryMs === 0 && endMs % summaryMs === 0
    const summary = isWhole ? readSummary(stretch.summaryPath, task.columns) : null
    if (summary) {
      columns.forEach(({ buckets }, at) => buckets.addBuckets(summary[at], startMs, endMs))
      continue
    }
    if (isWhole) withoutSummary.push(stretch.path)
    const rows = readSeries({ ...task, stretches: [stretch] })
    unread.push(...rows.unread)
    const [times, ...values] = rows.frame.columns
    for (const [index, { buckets }] of columns.entries()) {
      const column = values[index]
      if (times.kind === 'time' && column.kind !== 'text') buckets.addRows(times.values, column)
    }
  }
  return { frame: bucketFrame(grid, columns), unread, withoutSummary }
}
