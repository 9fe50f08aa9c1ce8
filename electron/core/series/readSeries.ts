/** Reads columns of a series over many files into one table, in time order. */
import { AppError, toAppError } from '#shared/contract/errors.ts'
import type { Column, Frame } from '#shared/contract/frame.ts'
import { isChangedFile } from '../parquet/fileVersion.ts'
import { type ParquetColumn, type ParquetOptions, ParquetFile } from '../parquet/parquetFile.ts'
import { readNumbers, readNumberTexts, readTexts, readTimesUs } from '../parquet/readColumn.ts'
import type { FileToRead, SeriesRows, SeriesTask, UnreadSlice } from './readerTask.ts'
import { type RowSelection, selectRows } from './rowSelection.ts'
import { TextDictionary } from '../parquet/decodeTexts.ts'

/** A slice with the rows that were selected from it. */
interface SelectedSlice {
  slice: SeriesTask['slices'][number]
  selection: RowSelection
  /** Row of the frame into which the first selected row goes. */
  startRow: number
}

/**
 * Reads columns of a series over many files. A file that cannot be read is reported and leaves a gap.
 * @param memory buffers for the numbers, for a caller that reads many ranges
 */
export function readSeries(
  { slices, columns: names, timeColumn, keepEqualTimes, longIntegers = [] }: SeriesTask,
  memory: NumberArrayPool = new NumberArrayPool(),
): SeriesRows {
  const unread: UnreadSlice[] = []
  const kinds = new Map<string, FrameColumnKind>()
  const selectedSlices: SelectedSlice[] = []
  let rows = 0
  for (const slice of slices) {
    attempt(slice, unread, () => {
      using file = openValidated(slice)
      const selection = selectRows(file, timeColumn, slice, keepEqualTimes)
      for (const column of file.columns) {
        if (!kinds.has(column.name)) kinds.set(column.name, kindOf(column))
      }
      selectedSlices.push({ slice, selection, startRow: rows })
      rows += selection.times.length
    })
  }

  const times = new Float64Array(rows)
  for (const { selection, startRow } of selectedSlices) times.set(selection.times, startRow)
  for (const name of longIntegers) if (kinds.get(name) === 'number') kinds.set(name, 'text')
  const columns = names.map((name) => new SeriesColumn(name, kinds.get(name) ?? 'number', rows, memory))
  for (const selected of selectedSlices) fillSlice(selected, columns, longIntegers, unread)
  const order = timeOrder(times)

  return {
    frame: {
      rows,
      columns: [
        { name: 'time', kind: 'time', values: order ? times.map((_, row) => times[order[row]]) : times, valid: null },
        ...columns.map((column) => (order ? reorder(column.finish(), order) : column.finish())),
      ],
    },
    duplicates: selectedSlices.reduce((sum, { selection }) => sum + selection.duplicates, 0),
    withoutTime: selectedSlices.reduce((sum, { selection }) => sum + selection.withoutTime, 0),
    unread,
  }
}

/**
 * Returns the numbers of the rows in time order, those with equal times in the order of the files; null if the rows are
 * in time order already, as they are unless files overlap.
 */
function timeOrder(times: Float64Array): Uint32Array | null {
  let isAscending = true
  for (let row = 1; row < times.length && isAscending; row++) isAscending = times[row] >= times[row - 1]
  if (isAscending) return null
  return Uint32Array.from(times.keys()).sort((a, b) => times[a] - times[b] || a - b)
}

function reorder(column: Column, order: Uint32Array): Column {
  const valid = column.valid && column.valid.map((_, row) => column.valid![order[row]])
  if (column.kind === 'text')
    return { ...column, values: column.values.map((_, row) => column.values[order[row]]), valid }
  return { ...column, values: column.values.map((_, row) => column.values[order[row]]), valid }
}

function fillSlice(
  { slice, selection, startRow }: SelectedSlice,
  columns: readonly SeriesColumn[],
  longIntegers: readonly string[],
  unread: UnreadSlice[],
): void {
  const rows = selection.times.length
  if (rows === 0) return
  let isOpen = false
  attempt(slice, unread, () => {
    using file = openValidated(slice)
    isOpen = true
    for (const column of columns) {
      const index = file.indexOf(column.name)
      const kind = index >= 0 ? kindOf(file.columns[index]) : null
      const hasColumn = kind === column.kind || (kind === 'number' && longIntegers.includes(column.name))
      if (!hasColumn) column.markMissing(startRow, rows)
      if (index >= 0 && !hasColumn) {
        const message = `${slice.path}: column ${column.name} has a different type than in earlier files.`
        unread.push({ ...slice, message })
      }
      if (hasColumn && !attempt(slice, unread, () => column.fill(file, selection, startRow)))
        column.markMissing(startRow, rows)
    }
  })
  if (!isOpen) for (const column of columns) column.markMissing(startRow, rows)
}

/** Opens the file that was validated; throws if it has been replaced or was refused. */
export function openValidated({ path, known }: FileToRead, options: Omit<ParquetOptions, 'known'> = {}): ParquetFile {
  if (known?.refusal !== undefined) throw new AppError('corrupt-file', known.refusal)
  return new ParquetFile(path, { ...options, known })
}

/** Runs a read of a slice. @returns whether it worked; a failure is recorded, but each message only once */
function attempt(slice: SeriesTask['slices'][number], unread: UnreadSlice[], read: () => void): boolean {
  try {
    read()
    return true
  } catch (thrown) {
    // The main thread validates a changed file and runs the task again.
    if (isChangedFile(thrown)) throw thrown
    const message = toAppError(thrown).detail ?? `${slice.path} cannot be read.`
    if (!unread.some((other) => other.message === message && other.startMs === slice.startMs))
      unread.push({ ...slice, message })
    return false
  }
}

export type FrameColumnKind = Column['kind']

export const kindOf = ({ type, timestampUnit }: ParquetColumn): FrameColumnKind =>
  timestampUnit !== null ? 'time' : type === 'text' ? 'text' : 'number'

/** Pool of number arrays that are no longer used, for later columns to use instead of allocating new ones. */
export class NumberArrayPool {
  private readonly buffers: ArrayBuffer[] = []

  /** Takes back the numbers of a frame that is no longer used. */
  takeBack({ columns }: Frame): void {
    for (const { kind, values } of columns) if (kind === 'number') this.buffers.push(values.buffer as ArrayBuffer)
  }

  /** Returns an array, which may contain old numbers. */
  numbers(count: number): Float64Array<ArrayBuffer> {
    const buffer = this.buffers.pop()
    if (!buffer || buffer.byteLength < count * 8) return new Float64Array(count)
    return new Float64Array(buffer, 0, count)
  }
}

/** A column that is filled file by file; in the rows of a file that lacks the column, it has no values. */
export class SeriesColumn {
  readonly name: string
  readonly kind: FrameColumnKind
  private readonly values: Float64Array | Int32Array
  /** Flags by row, 0 for missing; null until a file may lack a value, because most columns are complete. */
  private valid: Uint8Array | null = null
  private readonly dictionary = new TextDictionary()

  constructor(name: string, kind: FrameColumnKind, rows: number, memory = new NumberArrayPool()) {
    this.name = name
    this.kind = kind
    this.values = kind === 'text' ? new Int32Array(rows) : memory.numbers(rows)
  }

  /** Writes the selected rows of a file, starting at `at`. */
  fill(file: ParquetFile, selection: RowSelection, at: number): void {
    const { range, order } = selection
    const rows = range.to - range.from
    if (!order) {
      const flags = () => this.flags().subarray(at, at + rows)
      this.decode(file, range, this.values.subarray(at, at + rows), flags)
      return
    }
    const values = this.kind === 'text' ? new Int32Array(rows) : new Float64Array(rows)
    const valid = this.decode(file, range, values, () => new Uint8Array(rows).fill(1))
    for (let i = 0; i < order.length; i++) this.values[at + i] = values[order[i]]
    if (!valid) return
    const flags = this.flags()
    for (let i = 0; i < order.length; i++) flags[at + i] = valid[order[i]]
  }

  markMissing(at: number, rows: number): void {
    if (rows > 0) this.flags().fill(0, at, at + rows)
  }

  finish(): Column {
    const valid = this.valid?.includes(0) ? this.valid : null
    const { name, kind, values } = this
    if (kind === 'text') {
      return { name, kind, values: values as Int32Array, dictionary: this.dictionary.texts, valid }
    }
    return { name, kind, values: values as Float64Array, valid }
  }

  private flags(): Uint8Array {
    return (this.valid ??= new Uint8Array(this.values.length).fill(1))
  }

  /**
   * Decodes rows of a file into an array with one value per row.
   * @param flags creates the flags of these rows; called only if a value may be missing
   * @returns the flags; null if they were not created
   */
  private decode(
    file: ParquetFile,
    range: RowSelection['range'],
    values: Float64Array | Int32Array,
    flags: () => Uint8Array,
  ): Uint8Array | null {
    const expected = mayLackValues(file, this.name) ? flags() : null
    const missing = this.decodeWith(file, range, values, expected)
    if (expected || missing === 0) return expected
    // The file states that no value is missing, but some are.
    const valid = flags()
    this.decodeWith(file, range, values, valid)
    return valid
  }

  /**
   * Decodes rows of a file, and flags the missing values if `valid` is given.
   * @returns number of missing values
   */
  private decodeWith(
    file: ParquetFile,
    range: RowSelection['range'],
    values: Float64Array | Int32Array,
    valid: Uint8Array | null,
  ): number {
    if (values instanceof Int32Array) {
      const isText = file.columns[file.indexOf(this.name)].type === 'text'
      return (isText ? readTexts : readNumberTexts)(file, this.name, range, this.dictionary, { values, valid, at: 0 })
    }
    if (this.kind === 'number') return readNumbers(file, this.name, range, { values, valid, at: 0 })
    const missing = readTimesUs(file, this.name, range, { values, valid, at: 0 })
    for (let row = 0; row < values.length; row++) values[row] /= 1000
    return missing
  }
}

/** Tells whether a column may lack values: true unless the file states of each row group that none is missing. */
function mayLackValues(file: ParquetFile, name: string): boolean {
  const index = file.indexOf(name)
  return file.rowGroups.some(({ chunks }) => Number(chunks[index].statistics?.null_count ?? 1) !== 0)
}
