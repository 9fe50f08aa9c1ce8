import { ColumnBuckets, gridOver } from '#shared/overview/columnBuckets.ts'
import { keepSummary } from '#core/store/summaryFiles.ts'
import { encodeSummary } from './fileSummary.ts'
import { ParquetFile } from './parquetFile.ts'
import { readSeries } from './readSeries.ts'
import { kindOf } from './seriesColumn.ts'
import type { TimeRange } from './seriesPlan.ts'
import type { SeriesTask } from './seriesTask.ts'

/** A file whose summary is wanted. */
export interface SummaryTask extends Pick<SeriesTask, 'timeColumn' | 'keepEqualTimes'> {
  path: string
  summaryPath: string
  /** All of the file's period. */
  period: TimeRange
  bucketMs: number
}

/** Makes and keeps the summary of a file: all of its number columns, a few at a time so that memory stays small. */
export function summariseFile({ path, summaryPath, period, bucketMs, ...how }: SummaryTask): boolean {
  const grid = gridOver(period.startMs, period.endMs, bucketMs)
  const columns: { name: string; buckets: ColumnBuckets }[] = []
  for (const names of inGroups(numberColumns(path, how.timeColumn))) {
    const { frame, unread } = readSeries({ ...how, stretches: [{ path, ...period }], columns: names })
    // A file that is damaged has none: each look at it says so anew.
    if (unread.length > 0) return false
    const [times, ...values] = frame.columns
    for (const column of values) {
      const buckets = new ColumnBuckets(grid)
      if (times.kind === 'time' && column.kind === 'number') buckets.addRows(times.values, column)
      columns.push({ name: column.name, buckets })
    }
  }
  return keepSummary(summaryPath, encodeSummary(grid, columns))
}

function numberColumns(path: string, timeColumn: string): string[] {
  using file = new ParquetFile(path)
  return file.columns
    .filter((column) => column.name !== timeColumn && column.type !== 'other' && kindOf(column) === 'number')
    .map(({ name }) => name)
}

const COLUMNS_AT_ONCE = 8

const inGroups = (names: readonly string[]) =>
  Array.from({ length: Math.ceil(names.length / COLUMNS_AT_ONCE) }, (_, at) =>
    names.slice(at * COLUMNS_AT_ONCE, (at + 1) * COLUMNS_AT_ONCE),
  )
