import { AppError } from '#shared/contract/errors.ts'
import type { ParquetColumn, ParquetFile } from '#core/readers/parquetFile.ts'
import { readTimesUs } from '#core/readers/readColumn.ts'

/** The first and last event of a row group by the chosen timestamp, in microseconds, both included. */
export interface EventSpan {
  path: string
  startRow: number
  rows: number
  minUs: number
  maxUs: number
}

/** The spans of a file's row groups: from its statistics where it has them, else by reading the times. */
export function eventSpans(file: ParquetFile, timeColumn: string): EventSpan[] {
  const index = file.indexOf(timeColumn)
  const column = file.columns[index]
  if (!column) throw new AppError('corrupt-file', `${file.path}: column ${timeColumn} is missing.`)
  if (!column.timestampUnit || column.type !== 'int64') {
    throw new AppError('corrupt-file', `${file.path}: column ${timeColumn} is not a timestamp.`)
  }
  return file.rowGroups.flatMap(({ startRow, rows, chunks }) => {
    if (rows === 0) return []
    const { statistics } = chunks[index]
    const minUs = microseconds(statistics?.min_value, column)
    const maxUs = microseconds(statistics?.max_value, column)
    const known = minUs !== null && maxUs !== null ? { minUs, maxUs } : readSpan(file, timeColumn, startRow, rows)
    return [{ path: file.path, startRow, rows, ...known }]
  })
}

function microseconds(value: unknown, { timestampUnit }: ParquetColumn): number | null {
  if (typeof value !== 'bigint') return null
  if (timestampUnit === 'ms') return Number(value * 1000n)
  return Number(timestampUnit === 'ns' ? value / 1000n : value)
}

function readSpan(file: ParquetFile, timeColumn: string, startRow: number, rows: number) {
  const timesUs = new Float64Array(rows)
  const nulls = readTimesUs(file, timeColumn, { from: startRow, to: startRow + rows }, { values: timesUs, at: 0 })
  if (nulls > 0) throw nullsIn(file.path, timeColumn, nulls)
  let minUs = Infinity
  let maxUs = -Infinity
  for (const timeUs of timesUs) {
    if (timeUs < minUs) minUs = timeUs
    if (timeUs > maxUs) maxUs = timeUs
  }
  return { minUs, maxUs }
}

export const nullsIn = (path: string, column: string, nulls: number) =>
  new AppError('corrupt-file', `${path}: column ${column} is empty in ${nulls === 1 ? 'a row' : `${nulls} rows`}.`)
