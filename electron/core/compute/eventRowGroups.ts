import type { ParquetColumn, ParquetFile } from '#core/parquet/parquetFile.ts'
import { hasTrueBounds, readTimesUs } from '#core/parquet/readColumn.ts'
import { AppError } from '#shared/contract/errors.ts'
import { plainPlural } from '#shared/units/plurals.ts'

/** A row group of raw events, with its earliest and its latest timestamp in microseconds. */
export interface EventRowGroup {
  path: string
  startRow: number
  rows: number
  minUs: number
  maxUs: number
}

/**
 * Reads the time range of each row group of a file: from the statistics if there are any and the timestamps lie within
 * them, else from the timestamps, because row groups are left out by these ranges.
 */
export function readEventRowGroups(file: ParquetFile, timeColumn: string): EventRowGroup[] {
  const index = file.indexOf(timeColumn)
  const column = file.columns[index]
  if (!column) throw new AppError('corrupt-file', `${file.path}: column ${timeColumn} is missing.`)
  if (!column.timestampUnit || column.type !== 'int64') {
    throw new AppError('corrupt-file', `${file.path}: column ${timeColumn} is not a timestamp.`)
  }
  const statedRanges = file.rowGroups.map(({ chunks }) => {
    const { statistics } = chunks[index]
    const minUs = microseconds(statistics?.min_value, column)
    const maxUs = microseconds(statistics?.max_value, column)
    return minUs !== null && maxUs !== null ? { minUs, maxUs } : null
  })
  const isTrue = statedRanges.every((range) => range === null) || hasTrueBounds(file, index)
  return file.rowGroups.flatMap(({ startRow, rows }, at) => {
    if (rows === 0) return []
    const range = (isTrue && statedRanges[at]) || readRange(file, timeColumn, startRow, rows)
    return [{ path: file.path, startRow, rows, ...range }]
  })
}

function microseconds(value: unknown, { timestampUnit }: ParquetColumn): number | null {
  if (typeof value !== 'bigint') return null
  if (timestampUnit === 'ms') return Number(value * 1000n)
  if (timestampUnit === 'us') return Number(value)
  // The time is rounded down, as the decoded values are; before 1970, division alone would round up.
  return Number(value / 1000n - (value % 1000n < 0n ? 1n : 0n))
}

function readRange(file: ParquetFile, timeColumn: string, startRow: number, rows: number) {
  const timesUs = new Float64Array(rows)
  const nulls = readTimesUs(file, timeColumn, { from: startRow, to: startRow + rows }, { values: timesUs, at: 0 })
  if (nulls > 0) throw nullsError(file.path, timeColumn, nulls)
  let minUs = Infinity
  let maxUs = -Infinity
  for (const timeUs of timesUs) {
    if (timeUs < minUs) minUs = timeUs
    if (timeUs > maxUs) maxUs = timeUs
  }
  return { minUs, maxUs }
}

export const nullsError = (path: string, column: string, nulls: number) =>
  new AppError('corrupt-file', `${path}: column ${column} is empty in ${plainPlural(nulls, 'row')}.`)

export const mayHaveEventsIn = (
  rowGroup: Pick<EventRowGroup, 'minUs' | 'maxUs'>,
  startUs: number,
  endUs: number,
): boolean => rowGroup.minUs < endUs && rowGroup.maxUs >= startUs

/** Selects the row groups that may have events in [startUs, endUs). */
export const groupsWithin = (rowGroups: readonly EventRowGroup[], startUs: number, endUs: number) =>
  rowGroups.filter((rowGroup) => mayHaveEventsIn(rowGroup, startUs, endUs))

/**
 * Returns the latest time before `startUs` that is certain to have an event, judged by the time ranges of the row
 * groups alone; -Infinity if there is none.
 */
export function lastKnownUs(rowGroups: readonly EventRowGroup[], startUs: number): number {
  // A group entirely before the start ends with an event at `maxUs`; one that straddles it has at least one at
  // `minUs`.
  let lastUs = -Infinity
  for (const { minUs, maxUs } of rowGroups) {
    if (minUs < startUs) lastUs = Math.max(lastUs, maxUs < startUs ? maxUs : minUs)
  }
  return lastUs
}

/** Selects the groups of `groupsWithin` and those that may contain the last event before `startUs`. */
export function groupsAsOf(rowGroups: readonly EventRowGroup[], startUs: number, endUs: number): EventRowGroup[] {
  const lastUs = lastKnownUs(rowGroups, startUs)
  return rowGroups.filter(
    (rowGroup) => mayHaveEventsIn(rowGroup, startUs, endUs) || (rowGroup.minUs < startUs && rowGroup.maxUs >= lastUs),
  )
}
