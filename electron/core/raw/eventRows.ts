import { lowerBound } from '#shared/search.ts'
import { joinNumbers } from '#shared/statistics/joinNumbers.ts'
import type { ParquetFile } from '#core/parquet/parquetFile.ts'
import {
  hasLongIntegers,
  hasTrueBounds,
  readNumbers,
  readTexts,
  readTimesUs,
  type FileRowRange,
} from '#core/parquet/readColumn.ts'
import type { FileToRead } from '#core/series/readerTask.ts'
import { type FrameColumnKind, kindOf, openValidated, SeriesColumn } from '#core/series/readSeries.ts'
import { TextDictionary } from '#core/parquet/decodeTexts.ts'
import type { EventFilter } from '#shared/contract/areas/raw.ts'
import { type Frame, numberColumn } from '#shared/contract/frame.ts'

/** Files of one series, oldest first, as one table of the rows that satisfy the filters. */
export interface EventTable {
  files: readonly FileToRead[]
  filters: readonly EventFilter[]
}

export interface EventPage {
  frame: Frame
  /** Number of rows that satisfy the filters. */
  count: number
  /** Number of all rows. */
  total: number
}

/** The rows of the table that come from one file. */
interface FilePart {
  source: FileToRead
  /** Number of rows in all earlier parts. */
  start: number
  rows: number
  /** Numbers of the file's rows that match; null if all do. */
  matches: Uint32Array | null
}

/** Matching rows for recent filters, cached per thread. */
const matchesCache = new Map<string, Uint32Array>()
const MOST_CACHED_ROWS = 20_000_000

function matchesOf(file: ParquetFile, filters: readonly EventFilter[]): Uint32Array {
  const key = JSON.stringify([file.version, filters])
  const found = matchesCache.get(key) ?? matchingRows(file, filters)
  matchesCache.delete(key)
  matchesCache.set(key, found)
  let rows = [...matchesCache.values()].reduce((sum, { length }) => sum + length, 0)
  for (const [leastRecent, { length }] of matchesCache) {
    if (rows <= MOST_CACHED_ROWS || leastRecent === key) break
    matchesCache.delete(leastRecent)
    rows -= length
  }
  return found
}

function partsOf({ files, filters }: EventTable): { parts: FilePart[]; count: number; total: number } {
  const parts: FilePart[] = []
  let count = 0
  let total = 0
  for (const source of files) {
    using file = openValidated(source)
    const matches = filters.length > 0 ? matchesOf(file, filters) : null
    const rows = matches?.length ?? file.rows
    parts.push({ source, start: count, rows, matches })
    count += rows
    total += file.rows
  }
  return { parts, count, total }
}

/** Reads at most `limit` rows from `offset` on, with their positions in the table, counted from 1. */
export function readEventRows({ offset, limit, ...table }: EventTable & { offset: number; limit: number }): EventPage {
  const { parts, count, total } = partsOf(table)
  const end = Math.min(offset + limit, count)
  const partsOfPage = parts.filter(({ start, rows }) => start < end && start + rows > offset)
  const rows = Math.max(0, end - offset)
  const columns = columnsOf(partsOfPage).map(([name, kind]) => new SeriesColumn(name, kind, rows))
  let at = 0
  for (const part of partsOfPage) {
    const from = Math.max(offset - part.start, 0)
    const to = Math.min(end - part.start, part.rows)
    using file = openValidated(part.source)
    fillRows(file, part, from, to, columns, at)
    at += to - from
  }
  const placeColumn = numberColumn(
    'row',
    Array.from({ length: rows }, (_, row) => offset + row + 1),
  )
  return { frame: { rows, columns: [placeColumn, ...columns.map((column) => column.finish())] }, count, total }
}

function columnsOf(parts: readonly FilePart[]): [string, FrameColumnKind][] {
  const kinds = new Map<string, FrameColumnKind>()
  for (const { source } of parts) {
    using file = openValidated(source)
    file.columns.forEach((column, index) => {
      if (hasLongIntegers(file, index)) kinds.set(column.name, 'text')
      else if (!kinds.has(column.name)) kinds.set(column.name, kindOf(column))
    })
  }
  return [...kinds]
}

function fillRows(
  file: ParquetFile,
  part: FilePart,
  from: number,
  to: number,
  columns: readonly SeriesColumn[],
  at: number,
): void {
  for (const { range, order } of rangesOf(file, part, from, to)) {
    const rows = order?.length ?? range.to - range.from
    const selection = { times: new Float64Array(0), range, order, duplicates: 0, withoutTime: 0 }
    for (const column of columns) {
      if (file.indexOf(column.name) < 0) column.markMissing(at, rows)
      else column.fill(file, selection, at)
    }
    at += rows
  }
}

/**
 * Yields the ranges of the file to read for some rows of the table: a single range if all rows match, otherwise one per
 * row group, from the first to the last matching row in it.
 */
function* rangesOf(file: ParquetFile, { matches }: FilePart, from: number, to: number) {
  if (!matches) return void (yield { range: { from, to }, order: null })
  let at = from
  for (const { startRow, rows } of file.rowGroups) {
    let end = at
    while (end < to && matches[end] < startRow + rows) end++
    if (end > at) {
      const first = matches[at]
      const order = Int32Array.from(matches.subarray(at, end), (row) => row - first)
      yield { range: { from: first, to: matches[end - 1] + 1 }, order }
    }
    at = end
  }
}

/** Returns the index in the table of the first row at or after a time; the number of rows if there is none. */
export function seekEvent({
  timeMs,
  timeColumn,
  ...table
}: EventTable & { timeMs: number; timeColumn: string }): number {
  const { parts, count } = partsOf(table)
  for (const { source, start, rows, matches } of parts) {
    using file = openValidated(source)
    const row = firstNotBefore(file, timeColumn, timeMs * 1000)
    if (row === file.rows) continue
    const place = matches ? lowerBound(matches, row) : row
    if (place < rows) return start + place
  }
  return count
}

function firstNotBefore(file: ParquetFile, timeColumn: string, timeUs: number): number {
  const index = file.indexOf(timeColumn)
  if (index < 0) throw file.damaged(`column ${timeColumn} is missing`)
  const unit = file.columns[index].timestampUnit
  const perUs = unit === 'ms' ? 0.001 : unit === 'ns' ? 1000 : 1
  for (const { startRow, rows, chunks } of file.rowGroups) {
    const latestTime = chunks[index].statistics?.max_value
    const isEarlier = typeof latestTime === 'bigint' && Number(latestTime) < timeUs * perUs
    if (isEarlier && hasTrueBounds(file, index)) continue
    const times = new Float64Array(rows)
    readTimesUs(file, timeColumn, { from: startRow, to: startRow + rows }, { values: times, at: 0 })
    const row = times.findIndex((time) => time >= timeUs)
    if (row >= 0) return startRow + row
  }
  return file.rows
}

/** Finds the rows of a file that satisfy all filters, in ascending order. */
function matchingRows(file: ParquetFile, filters: readonly EventFilter[]): Uint32Array {
  const found: Uint32Array[] = []
  for (const { startRow, rows } of file.rowGroups) {
    const range = { from: startRow, to: startRow + rows }
    const isMatch = new Uint8Array(rows).fill(1)
    for (const filter of filters) applyFilter(file, range, filter, isMatch)
    const matches = new Uint32Array(rows)
    let count = 0
    for (let row = 0; row < rows; row++) {
      matches[count] = startRow + row
      count += isMatch[row]
    }
    found.push(matches.slice(0, count))
  }
  return joinNumbers(found, Uint32Array)
}

/**
 * Applies a filter to a range of rows. No row matches if the file lacks the column, or if texts are wanted and the
 * column is not text.
 */
function applyFilter(file: ParquetFile, range: FileRowRange, filter: EventFilter, isMatch: Uint8Array): void {
  const column = file.columns[file.indexOf(filter.key)]
  const rows = range.to - range.from
  if (!column) {
    isMatch.fill(0)
    return
  }
  if ('oneOf' in filter) {
    if (column.type !== 'text') return void isMatch.fill(0)
    const dictionary = new TextDictionary(filter.oneOf)
    const codes = new Int32Array(rows)
    readTexts(file, column.name, range, dictionary, { values: codes, at: 0 })
    for (let row = 0; row < rows; row++) if (codes[row] < 0 || codes[row] >= filter.oneOf.length) isMatch[row] = 0
    return
  }
  const values = new Float64Array(rows)
  const from = filter.from ?? -Infinity
  const to = filter.to ?? Infinity
  const scale = column.timestampUnit === null ? 1 : 1000
  if (column.timestampUnit === null) readNumbers(file, column.name, range, { values, at: 0 })
  else readTimesUs(file, column.name, range, { values, at: 0 })
  for (let row = 0; row < rows; row++) if (!(values[row] >= from * scale && values[row] <= to * scale)) isMatch[row] = 0
}
