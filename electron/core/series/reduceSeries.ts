import type { NumberColumn } from '#shared/contract/frame.ts'
import { bucketFrame, ColumnBuckets, gridOver } from '#shared/overview/buckets.ts'
import { readSummary, summaryBuckets } from './fileSummary.ts'
import type { OverviewBuckets, OverviewTask, ScannedSeries, ScanTask, UnreadSlice } from './readerTask.ts'
import { readSeries } from './readSeries.ts'

/**
 * Reduces columns of a series file by file: from summaries if they are stored and fine enough, else from the rows.
 * Memory does not grow with the length of the history.
 */
export function readOverview(task: OverviewTask): OverviewBuckets {
  const grid = gridOver(task.startMs, task.endMs, task.bucketMs)
  const columns = task.columns.map((name) => ({ name, buckets: new ColumnBuckets(grid) }))
  const unread: UnreadSlice[] = []
  const summaries = task.slices.map((slice) => {
    const summary = slice.summaryPath === null ? null : readSummary(slice.summaryPath, task.columns)
    if (summary) {
      const { startMs, endMs } = slice
      columns.forEach(({ buckets }, at) => buckets.addBuckets(summaryBuckets(summary[at]), startMs, endMs))
      return summary
    }
    const rows = readSeries({ ...task, slices: [slice] })
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

export const scanColumns = (task: ScanTask): ScannedSeries[] => task.series.map(({ slices }) => scanOne(task, slices))

function scanOne(task: ScanTask, slices: ScanTask['series'][number]['slices']): ScannedSeries {
  const { column, statistic, stepMs, startMs, endMs, sparkPoints } = task
  const { frame, unread } = readSeries({ slices, columns: [column], timeColumn: 'time', keepEqualTimes: false })
  const [times, values] = frame.columns
  const whole = new ColumnBuckets({ startMs, bucketMs: endMs - startMs, buckets: 1 })
  let lastShare: number | null = null
  const parts = new ColumnBuckets({ startMs, bucketMs: (endMs - startMs) / sparkPoints, buckets: sparkPoints })
  if (times.kind === 'time' && values.kind === 'number') {
    // A scan uses only intervals that ended within the range.
    const known = times.values.findLastIndex((time) => time + stepMs <= endMs) + 1
    whole.addRows(times.values, values, 0, known)
    if (whole.count[0] > 0) lastShare = shareUpTo(values, known, whole.last[0])
    if (sparkPoints > 0) parts.addRows(times.values, values, 0, known)
  }
  const count = whole.count[0]
  const deviation = Math.sqrt(whole.m2[0] / (count - 1))
  const present = (part: 'first' | 'last' | 'min' | 'max' | 'mean' | 'lastAt') => (count > 0 ? whole[part][0] : null)
  return {
    value: present(statistic === 'mean' ? 'mean' : 'last'),
    timeMs: present('lastAt'),
    first: present('first'),
    last: present('last'),
    min: present('min'),
    max: present('max'),
    z: count > 1 && deviation > 0 ? (whole.last[0] - whole.mean[0]) / deviation : null,
    lastShare,
    count,
    rows: frame.rows,
    spark: parts.last.map((value, at) => (parts.count[at] > 0 ? value : NaN)),
    unread,
  }
}

/** Computes the share of the values in the first rows that are at most the given one. */
function shareUpTo({ values, valid }: NumberColumn, rows: number, value: number): number {
  let count = 0
  let upTo = 0
  for (let row = 0; row < rows; row++) {
    if ((valid && valid[row] === 0) || Number.isNaN(values[row])) continue
    count++
    if (values[row] <= value) upTo++
  }
  return upTo / count
}
