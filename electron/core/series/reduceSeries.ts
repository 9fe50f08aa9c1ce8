import type { NumberColumn } from '#shared/contract/frame.ts'
import { binFrame, ColumnBins, gridOver } from '#shared/overview/bins.ts'
import { readSummary, summaryBins } from './fileSummary.ts'
import type { OverviewBins, OverviewTask, ScannedSeries, ScanTask, UnreadSlice } from './readerTask.ts'
import { NumberArrayPool, readSeries } from './readSeries.ts'

/**
 * Reduces columns of a series file by file, from stored summaries that are fine enough, otherwise from the rows. The
 * memory that this takes does not grow with the length of the history.
 */
export function readOverview(task: OverviewTask): OverviewBins {
  const grid = gridOver(task.startMs, task.endMs, task.binMs)
  const columns = task.columns.map((name) => ({ name, bins: new ColumnBins(grid) }))
  const unread: UnreadSlice[] = []
  const memory = new NumberArrayPool()
  const summaries = task.slices.map((slice) => {
    const summary = slice.summaryPath === null ? null : readSummary(slice.summaryPath, task.columns)
    if (summary) {
      const { startMs, endMs } = slice
      columns.forEach(({ bins }, at) => bins.addBins(summaryBins(summary[at]), startMs, endMs))
      return summary
    }
    const rows = readSeries({ ...task, slices: [slice] }, memory)
    unread.push(...rows.unread)
    const [times, ...values] = rows.frame.columns
    for (const [index, { bins }] of columns.entries()) {
      const column = values[index]
      if (times.kind === 'time' && column.kind !== 'text') bins.addRows(times.values, column)
    }
    memory.takeBack(rows.frame)
    return null
  })
  return { frame: binFrame(grid, columns), unread, summaries }
}

export const scanColumns = (task: ScanTask): ScannedSeries[] => task.series.map(({ slices }) => scanOne(task, slices))

function scanOne(task: ScanTask, slices: ScanTask['series'][number]['slices']): ScannedSeries {
  const { column, statistic, stepMs, startMs, endMs, sparkPoints } = task
  const { frame, unread } = readSeries({ slices, columns: [column], timeColumn: 'time', keepEqualTimes: false })
  const [times, values] = frame.columns
  const rangeBin = new ColumnBins({ startMs, binMs: endMs - startMs, bins: 1 })
  let lastShare: number | null = null
  const sparkBins = new ColumnBins({ startMs, binMs: (endMs - startMs) / sparkPoints, bins: sparkPoints })
  if (times.kind === 'time' && values.kind === 'number') {
    // A scan uses only intervals that ended within the range.
    const knownRows = times.values.findLastIndex((time) => time + stepMs <= endMs) + 1
    rangeBin.addRows(times.values, values, 0, knownRows)
    if (rangeBin.count[0] > 0) lastShare = shareNotAbove(values, knownRows, rangeBin.last[0])
    if (sparkPoints > 0) sparkBins.addRows(times.values, values, 0, knownRows)
  }
  const count = rangeBin.count[0]
  const deviation = Math.sqrt(rangeBin.m2[0] / (count - 1))
  const valueOrNull = (field: 'first' | 'last' | 'min' | 'max' | 'mean' | 'lastAt') =>
    count > 0 ? rangeBin[field][0] : null
  return {
    value: valueOrNull(statistic === 'mean' ? 'mean' : 'last'),
    timeMs: valueOrNull('lastAt'),
    first: valueOrNull('first'),
    last: valueOrNull('last'),
    min: valueOrNull('min'),
    max: valueOrNull('max'),
    z: count > 1 && deviation > 0 ? (rangeBin.last[0] - rangeBin.mean[0]) / deviation : null,
    lastShare,
    count,
    rows: frame.rows,
    spark: sparkBins.last.map((value, at) => (sparkBins.count[at] > 0 ? value : NaN)),
    unread,
  }
}

/** Computes the share of the values in the first `rows` rows that are not above `value`. */
function shareNotAbove({ values, valid }: NumberColumn, rows: number, value: number): number {
  let count = 0
  let countNotAbove = 0
  for (let row = 0; row < rows; row++) {
    if ((valid && valid[row] === 0) || Number.isNaN(values[row])) continue
    count++
    if (values[row] <= value) countNotAbove++
  }
  return countNotAbove / count
}
