import { lowerBound } from '#shared/search.ts'
import type { ParquetColumn, ParquetFile } from '../parquet/parquetFile.ts'
import { hasTrueBounds, readNumbers, readTimesUs, type FileRowRange } from '../parquet/readColumn.ts'
import type { TimeRange } from '#shared/time/ranges.ts'

/** The rows of a file that lie in a time range, in time order. */
export interface RowSelection {
  /** Times in milliseconds, one per selected row. */
  times: Float64Array
  /** Range of rows to read from the file. */
  range: FileRowRange
  /** Position in `range` of each selected row; null if all rows are selected in order. */
  order: Int32Array | null
  /** Number of rows left out because a later row has the same time. */
  duplicates: number
  /** Number of inspected rows without a time. */
  withoutTime: number
}

const unitsPerMs = { ms: 1, us: 1000, ns: 1_000_000 } as const

/**
 * Selects the rows of a file in a time range.
 * @param keepEqualTimes true for events, which may share a time; of metric rows with the same time only the last one
 * counts
 */
export function selectRows(
  file: ParquetFile,
  timeColumn: string,
  { startMs, endMs, rows }: TimeRange & { rows?: FileRowRange },
  keepEqualTimes: boolean,
): RowSelection {
  const index = file.indexOf(timeColumn)
  if (index < 0) throw file.damaged(`column ${timeColumn} is missing`)
  const candidates = rows ?? candidateRows(file, index, startMs, endMs)
  const times = readTimesMs(file, file.columns[index], candidates)
  if (isAscending(times, keepEqualTimes)) {
    const from = lowerBound(times, startMs)
    const to = lowerBound(times, endMs)
    const range = { from: candidates.from + from, to: candidates.from + to }
    return { times: times.subarray(from, to), range, order: null, duplicates: 0, withoutTime: 0 }
  }
  return sortedSelection(times, candidates, { startMs, endMs }, keepEqualTimes)
}

/**
 * Returns the rows from the first to the last row group that, according to the file's statistics, may overlap the time
 * range; all rows if the statistics are wrong.
 */
function candidateRows(file: ParquetFile, index: number, startMs: number, endMs: number): FileRowRange {
  const { timestampUnit } = file.columns[index]
  const perMs = timestampUnit === null ? 1 : unitsPerMs[timestampUnit]
  const candidateGroups = file.rowGroups.filter(({ chunks }) => {
    const { statistics } = chunks[index]
    const low = statistics?.min_value ?? statistics?.min
    const high = statistics?.max_value ?? statistics?.max
    const isStated = (bound: unknown) => typeof bound === 'bigint' || typeof bound === 'number'
    if (!isStated(low) || !isStated(high)) return true
    return !(Number(low) / perMs >= endMs || Number(high) / perMs < startMs)
  })
  if (candidateGroups.length < file.rowGroups.length && !hasTrueBounds(file, index)) return { from: 0, to: file.rows }
  const lastGroup = candidateGroups.at(-1)
  return lastGroup ? { from: candidateGroups[0].startRow, to: lastGroup.startRow + lastGroup.rows } : { from: 0, to: 0 }
}

/** Reads the times of rows in milliseconds from a column of integers or timestamps; NaN for null. */
export function readTimesMs(
  file: ParquetFile,
  column: ParquetColumn,
  range: FileRowRange,
  values: Float64Array = new Float64Array(range.to - range.from),
): Float64Array {
  if (column.timestampUnit === null) {
    readNumbers(file, column.name, range, { values, at: 0 })
    return values
  }
  readTimesUs(file, column.name, range, { values, at: 0 })
  for (let row = 0; row < values.length; row++) values[row] /= 1000
  return values
}

/** Tells whether the times rise; false if one is missing. */
function isAscending(times: Float64Array, mayBeEqual: boolean): boolean {
  if (times.length > 0 && Number.isNaN(times[0])) return false
  for (let row = 1; row < times.length; row++) {
    if (!(mayBeEqual ? times[row] >= times[row - 1] : times[row] > times[row - 1])) return false
  }
  return true
}

/** Selects the rows in a time range and sorts them, for a file whose times are not in order. */
function sortedSelection(
  times: Float64Array,
  range: FileRowRange,
  { startMs, endMs }: TimeRange,
  keepEqualTimes: boolean,
): RowSelection {
  const rows = new Int32Array(times.length)
  let count = 0
  let withoutTime = 0
  for (let row = 0; row < times.length; row++) {
    if (times[row] >= startMs && times[row] < endMs) rows[count++] = row
    else if (Number.isNaN(times[row])) withoutTime++
  }
  const sortedRows = rows.subarray(0, count).sort((a, b) => times[a] - times[b] || a - b)
  const order = keepEqualTimes ? sortedRows : sortedRows.filter((row, i) => times[row] !== times[sortedRows[i + 1]])
  return {
    times: Float64Array.from(order, (row) => times[row]),
    range,
    order,
    duplicates: count - order.length,
    withoutTime,
  }
}
