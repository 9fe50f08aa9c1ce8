/**
 * Writes and reads the summary of a file: its columns in bins, so that long ranges can be drawn without reading all
 * rows.
 */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { keepSummary } from '#core/store/cacheFolder.ts'
import { type BinGrid, binFields, ColumnBins, gridOver } from '#shared/overview/bins.ts'
import type { SummaryColumn, SummaryTask } from './readerTask.ts'
import { kindOf, openValidated, readSeries } from './readSeries.ts'

/** Header of a summary file. It must be validated, because the file may be of another version or truncated. */
interface SummaryHeader {
  version: number
  startMs: number
  /** Width of the bins; named as in the summaries that are already stored. */
  bucketMs: number
  /** Number of bins; named as in the summaries that are already stored. */
  buckets: number
  columns: string[]
}

const VERSION = 1
const BYTES_PER_VALUE = 8
const MOST_HEADER_BYTES = 1 << 20
/** Size limit of a column; a month of 15-second rows takes 16 MB if every row has its own bin. */
const MOST_SECTION_BYTES = 1 << 26

const sectionBytes = (bins: number) => bins * binFields.length * BYTES_PER_VALUE

/** Encodes the bins of all columns of a file: length of the header, header, then the arrays of each column. */
export function encodeSummary(grid: BinGrid, columns: readonly { name: string; bins: ColumnBins }[]): Uint8Array {
  const { startMs, binMs: bucketMs, bins: buckets } = grid
  const head: SummaryHeader = { version: VERSION, startMs, bucketMs, buckets, columns: columns.map(({ name }) => name) }
  const json = Buffer.from(JSON.stringify(head))
  const start = Math.ceil((4 + json.length) / BYTES_PER_VALUE) * BYTES_PER_VALUE
  const bytes = new Uint8Array(start + columns.length * sectionBytes(grid.bins))
  new DataView(bytes.buffer).setUint32(0, json.length, true)
  bytes.set(json, 4)
  let at = start
  for (const { bins } of columns) {
    for (const field of binFields) {
      bytes.set(new Uint8Array(bins[field].buffer, bins[field].byteOffset, bins[field].byteLength), at)
      at += bins[field].byteLength
    }
  }
  return bytes
}

export const summaryBins = ({ grid, arrays }: SummaryColumn): ColumnBins =>
  new ColumnBins(grid, (field) => {
    const at = binFields.indexOf(field) * grid.bins
    return arrays.subarray(at, at + grid.bins)
  })

/** Reads columns of a stored summary; null if there is no usable summary or it lacks one of the columns. */
export function readSummary(path: string, names: readonly string[]): SummaryColumn[] | null {
  let descriptor: number
  try {
    // Without O_NONBLOCK, opening a named pipe would wait forever for a writer. Windows has no such pipes and no such
    // flag.
    descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  } catch {
    return null
  }
  try {
    const summary = openSummary(descriptor)
    if (!summary || names.some((name) => !summary.head.columns.includes(name))) return null
    return names.map((name) => readColumn(descriptor, summary, name))
  } catch {
    return null
  } finally {
    closeSync(descriptor)
  }
}

function openSummary(descriptor: number) {
  const length = new DataView(readAt(descriptor, 4, 0).buffer).getUint32(0, true)
  if (length > MOST_HEADER_BYTES) return null
  const head = JSON.parse(Buffer.from(readAt(descriptor, length, 4)).toString()) as SummaryHeader
  const start = Math.ceil((4 + length) / BYTES_PER_VALUE) * BYTES_PER_VALUE
  if (head.version !== VERSION || !hasValidGrid(head)) return null
  if (fstatSync(descriptor).size !== start + head.columns.length * sectionBytes(head.buckets)) return null
  return { head, start }
}

/** Tells whether a summary can have the grid of a header; if not, another program has changed the file. */
const hasValidGrid = ({ startMs, bucketMs, buckets }: SummaryHeader): boolean =>
  Number.isFinite(startMs) &&
  bucketMs > 0 &&
  Number.isInteger(buckets) &&
  buckets >= 0 &&
  sectionBytes(buckets) <= MOST_SECTION_BYTES

function readColumn(
  descriptor: number,
  { head, start }: { head: SummaryHeader; start: number },
  name: string,
): SummaryColumn {
  const { startMs, bucketMs, buckets, columns } = head
  const size = sectionBytes(buckets)
  const bytes = readAt(descriptor, size, start + columns.indexOf(name) * size)
  return { grid: { startMs, binMs: bucketMs, bins: buckets }, arrays: new Float64Array(bytes.buffer) }
}

function readAt(descriptor: number, length: number, position: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length)
  for (let done = 0; done < length;) {
    const count = readSync(descriptor, bytes, done, length - done, position + done)
    if (count === 0) throw new Error('it ends too early')
    done += count
  }
  return bytes
}

/**
 * Builds and stores the summary of all number columns of a file, reading a few columns at a time to save memory.
 * @returns false if the file is damaged or the summary cannot be written
 */
export function summariseFile({ path, known, summaryPath, reach, binMs, ...rowOptions }: SummaryTask): boolean {
  let grid = gridOver(reach.startMs, reach.endMs, binMs)
  const fileToRead = { path, ...(known && { known }) }
  const columns: { name: string; bins: ColumnBins }[] = []
  for (const names of columnGroupsOf(numberColumns(fileToRead, rowOptions.timeColumn))) {
    const { frame, unread } = readSeries({ ...rowOptions, slices: [{ ...fileToRead, ...reach }], columns: names })
    // A damaged file gets no summary, so that every request reads it and reports the damage.
    if (unread.length > 0) return false
    const [times, ...values] = frame.columns
    // The grid is limited to the rows, because the days before and after the file's own days have few rows or none.
    if (times.kind === 'time' && frame.rows > 0)
      grid = gridOver(times.values[0], times.values[frame.rows - 1] + 1, binMs)
    for (const column of values) {
      const bins = new ColumnBins(grid)
      if (times.kind === 'time' && column.kind === 'number') bins.addRows(times.values, column)
      columns.push({ name: column.name, bins })
    }
  }
  return keepSummary(summaryPath, encodeSummary(grid, columns))
}

function numberColumns(fileToRead: Pick<SummaryTask, 'path' | 'known'>, timeColumn: string): string[] {
  using file = openValidated(fileToRead)
  return file.columns
    .filter((column) => column.name !== timeColumn && column.type !== 'other' && kindOf(column) === 'number')
    .map(({ name }) => name)
}

const COLUMNS_AT_ONCE = 8

const columnGroupsOf = (names: readonly string[]) =>
  Array.from({ length: Math.ceil(names.length / COLUMNS_AT_ONCE) }, (_, at) =>
    names.slice(at * COLUMNS_AT_ONCE, (at + 1) * COLUMNS_AT_ONCE),
  )
