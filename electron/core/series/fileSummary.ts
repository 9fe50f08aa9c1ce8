/**
 * Writes and reads the summary of a file: its columns in buckets, so that long ranges can be drawn without reading all
 * rows.
 */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { keepSummary } from '#core/store/cacheFolder.ts'
import { type BucketGrid, bucketFields, ColumnBuckets, gridOver } from '#shared/overview/buckets.ts'
import type { SummaryColumn, SummaryTask } from './readerTask.ts'
import { kindOf, openValidated, readSeries } from './readSeries.ts'

/** Header of a summary file. It must be validated, because the file may be of another version or truncated. */
interface SummaryHeader extends BucketGrid {
  version: number
  columns: string[]
}

const VERSION = 1
const BYTES_PER_VALUE = 8
const MOST_HEADER_BYTES = 1 << 20
/** Size limit of a column; a month of 15-second rows takes 7 MB if every row has its own bucket. */
const MOST_SECTION_BYTES = 1 << 26

const sectionBytes = ({ buckets }: BucketGrid) => buckets * bucketFields.length * BYTES_PER_VALUE

/** Encodes the buckets of all columns of a file: length of the header, header, then the arrays of each column. */
export function encodeSummary(
  grid: BucketGrid,
  columns: readonly { name: string; buckets: ColumnBuckets }[],
): Uint8Array {
  const head: SummaryHeader = { version: VERSION, ...grid, columns: columns.map(({ name }) => name) }
  const json = Buffer.from(JSON.stringify(head))
  const start = Math.ceil((4 + json.length) / BYTES_PER_VALUE) * BYTES_PER_VALUE
  const bytes = new Uint8Array(start + columns.length * sectionBytes(grid))
  new DataView(bytes.buffer).setUint32(0, json.length, true)
  bytes.set(json, 4)
  let at = start
  for (const { buckets } of columns) {
    for (const part of bucketFields) {
      bytes.set(new Uint8Array(buckets[part].buffer, buckets[part].byteOffset, buckets[part].byteLength), at)
      at += buckets[part].byteLength
    }
  }
  return bytes
}

export const summaryBuckets = ({ grid, parts }: SummaryColumn): ColumnBuckets =>
  new ColumnBuckets(grid, (part) => {
    const at = bucketFields.indexOf(part) * grid.buckets
    return parts.subarray(at, at + grid.buckets)
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
  if (head.version !== VERSION || !isValidGrid(head)) return null
  if (fstatSync(descriptor).size !== start + head.columns.length * sectionBytes(head)) return null
  return { head, start }
}

/** Tells whether a summary can have this grid; if not, another program has changed the file. */
const isValidGrid = (grid: BucketGrid): boolean =>
  Number.isFinite(grid.startMs) &&
  grid.bucketMs > 0 &&
  Number.isInteger(grid.buckets) &&
  grid.buckets >= 0 &&
  sectionBytes(grid) <= MOST_SECTION_BYTES

function readColumn(
  descriptor: number,
  { head, start }: { head: SummaryHeader; start: number },
  name: string,
): SummaryColumn {
  const bytes = readAt(descriptor, sectionBytes(head), start + head.columns.indexOf(name) * sectionBytes(head))
  const { startMs, bucketMs, buckets } = head
  return { grid: { startMs, bucketMs, buckets }, parts: new Float64Array(bytes.buffer) }
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
export function summariseFile({ path, known, summaryPath, reach, bucketMs, ...rowOptions }: SummaryTask): boolean {
  let grid = gridOver(reach.startMs, reach.endMs, bucketMs)
  const fileToRead = { path, ...(known && { known }) }
  const columns: { name: string; buckets: ColumnBuckets }[] = []
  for (const names of inGroups(numberColumns(fileToRead, rowOptions.timeColumn))) {
    const { frame, unread } = readSeries({ ...rowOptions, slices: [{ ...fileToRead, ...reach }], columns: names })
    // A damaged file gets no summary, so that every request reads it and reports the damage.
    if (unread.length > 0) return false
    const [times, ...values] = frame.columns
    // The grid is limited to the rows, because the days before and after the file's own days have few rows or none.
    if (times.kind === 'time' && frame.rows > 0)
      grid = gridOver(times.values[0], times.values[frame.rows - 1] + 1, bucketMs)
    for (const column of values) {
      const buckets = new ColumnBuckets(grid)
      if (times.kind === 'time' && column.kind === 'number') buckets.addRows(times.values, column)
      columns.push({ name: column.name, buckets })
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

const inGroups = (names: readonly string[]) =>
  Array.from({ length: Math.ceil(names.length / COLUMNS_AT_ONCE) }, (_, at) =>
    names.slice(at * COLUMNS_AT_ONCE, (at + 1) * COLUMNS_AT_ONCE),
  )
