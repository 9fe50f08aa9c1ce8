import { withKindColumns } from '#shared/catalog/modelledTimes.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import { type FileSlice, uncovered } from '#core/series/planSeries.ts'
import type { TimeRange } from '#shared/time/ranges.ts'
import type { SeriesRows } from '#core/series/readerTask.ts'
import type { CachedFile } from '#core/store/fileTable.ts'
import type { SeriesDeps } from './seriesDeps.ts'
import { findFiles, longIntegersIn, rowTaskOf, type SeriesName, timeColumnOf } from './seriesFiles.ts'

export interface SeriesRowsRequest extends SeriesName, TimeRange {
  /** Names of the columns to read; empty for all. */
  columns: readonly string[]
  /** Approximate number of rows to read at a time; more rows come with the next request. */
  limitRows: number
}

export interface SeriesAnswer extends SeriesRows {
  /** Start of the next request; null if the whole range was read. */
  nextMs: number | null
  /** Parts of the range up to `nextMs` that are not cached. */
  missing: TimeRange[]
  /** Parts of files that were read for the range up to `nextMs`. */
  slices: FileSlice<CachedFile>[]
  /** Requested columns that no file of the range has. */
  absentColumns: string[]
}

/** Reads rows of a series from its cached files. */
export async function readRows(
  { store, reader, touch }: SeriesDeps,
  request: SeriesRowsRequest,
  signal: AbortSignal,
): Promise<SeriesAnswer> {
  const { series, columns, startMs, endMs, limitRows } = request
  const found = findFiles(store, request, request)
  const facts = new Map(found.slicesToRead.map(({ file }) => [file, store.files.facts(series, file.period)]))
  const rowsOf = (file: CachedFile) => facts.get(file)?.rows ?? 0
  const knownColumns = new Set([...facts.values()].flatMap((each) => each?.columns.map(({ name }) => name) ?? []))
  const timeColumn = timeColumnOf(request)
  const columnNames =
    columns.length > 0 ? withKindColumns(columns, (name) => knownColumns.has(name)) : [...knownColumns]
  const names = columnNames.filter((name) => name !== 'time' && name !== timeColumn)
  const { slices, nextMs } = firstRows(found.slices, limitRows, rowsOf)
  const readToMs = nextMs ?? endMs
  const slicesToRead = found.slicesToRead
    .filter((slice) => slice.startMs < readToMs)
    .map((slice) => ({ ...slice, endMs: Math.min(slice.endMs, readToMs) }))
  const page = { ...found, slices, slicesToRead }
  const longIntegers = longIntegersIn(facts.values())
  const rows = await reader.run('rows', { ...rowTaskOf(store, page), columns: names, longIntegers }, signal)
  touch(page)
  return {
    ...rows,
    nextMs,
    slices: slicesToRead,
    missing: uncovered(slices, { startMs, endMs: readToMs }),
    absentColumns: facts.size > 0 ? names.filter((name) => !knownColumns.has(name)) : [],
  }
}

/** Picks the first slices that together have about `limitRows` rows; a long slice is split. */
function firstRows(
  slices: readonly FileSlice<CachedFile>[],
  limitRows: number,
  rowsOf: (file: CachedFile) => number,
): { slices: FileSlice<CachedFile>[]; nextMs: number | null } {
  const firstSlices: FileSlice<CachedFile>[] = []
  let rowsLeft = limitRows
  for (const slice of slices) {
    const { file, startMs, endMs } = slice
    if (rowsLeft <= 0) return { slices: firstSlices, nextMs: startMs }
    const rowsPerMs = rowsOf(file) / ((file.endDay - file.startDay) * MS_PER_DAY)
    const cutMs = startMs + Math.max(1, Math.ceil(rowsLeft / rowsPerMs))
    if (rowsPerMs > 0 && cutMs < endMs) return { slices: [...firstSlices, { ...slice, endMs: cutMs }], nextMs: cutMs }
    firstSlices.push(slice)
    rowsLeft -= rowsPerMs * (endMs - startMs)
  }
  return { slices: firstSlices, nextMs: null }
}
