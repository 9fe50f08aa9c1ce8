import { ColumnBuckets } from '#shared/overview/columnBuckets.ts'
import { readSeries } from './readSeries.ts'
import type { ScannedSeries, ScanTask } from './scanTask.ts'

export const scanColumns = (task: ScanTask): ScannedSeries[] =>
  task.series.map(({ stretches }) => scanOne(task, stretches))

function scanOne(task: ScanTask, stretches: ScanTask['series'][number]['stretches']): ScannedSeries {
  const { column, way, stepMs, startMs, endMs, sparkPoints } = task
  const { frame, unread } = readSeries({ stretches, columns: [column], timeColumn: 'time', keepEqualTimes: false })
  const [times, values] = frame.columns
  const whole = new ColumnBuckets({ startMs, bucketMs: endMs - startMs, buckets: 1 })
  const parts = new ColumnBuckets({ startMs, bucketMs: (endMs - startMs) / sparkPoints, buckets: sparkPoints })
  if (times.kind === 'time' && values.kind === 'number') {
    // Only intervals that ended within the range are used.
    const known = times.values.findLastIndex((time) => time + stepMs <= endMs) + 1
    whole.addRows(times.values, values, 0, known)
    if (sparkPoints > 0) parts.addRows(times.values, values, 0, known)
  }
  const count = whole.count[0]
  const present = (part: 'first' | 'last' | 'min' | 'max' | 'mean' | 'lastAt') => (count > 0 ? whole[part][0] : null)
  return {
    value: present(way === 'mean' ? 'mean' : 'last'),
    timeMs: present('lastAt'),
    first: present('first'),
    last: present('last'),
    min: present('min'),
    max: present('max'),
    count,
    rows: frame.rows,
    spark: parts.last.map((value, at) => (parts.count[at] > 0 ? value : NaN)),
    unread,
  }
}
