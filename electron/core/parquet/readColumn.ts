import { AppError } from '#shared/contract/errors.ts'
import { exactNumber } from '#shared/units/numbers.ts'
import {
  type Bounds,
  type NumberCondition,
  decodeIndexes,
  type GroupRows,
  isDictionaryEncoding,
  isWithinBounds,
  outsideBoundsError,
  readNumberChunk,
} from './decodeNumbers.ts'
import { readTextChunk, type TextCodes, TextDictionary, type TextPages } from './decodeTexts.ts'
import { type DataPage, readChunk, type ValuePage, visitPages } from './columnPages.ts'
import type { ColumnChunk } from './footerRowGroups.ts'
import {
  convertValues,
  cursorAt,
  decodeDeltaBytes,
  decodeDeltaIntegers,
  decodePlainValues,
  decodeSplitValues,
} from './hyparquetInternals.ts'
import { isLongInteger, type ParquetColumn, type ParquetFile, type ParquetRowGroup } from './parquetFile.ts'

/** Rows [from, to) of a file. */
export interface FileRowRange {
  from: number
  to: number
}

/** Target of decoded values, which are written from `at` on. */
interface Target<Values> {
  values: Values
  at: number
  /** Set to 0 for null rows and otherwise left alone, so pass an array filled with 1. */
  valid?: Uint8Array | null
}

/**
 * Reads rows of a number, boolean (0, 1) or 64-bit integer column as doubles; NaN for null. Integers beyond 2^53 are
 * rounded to the nearest double; use `readTimesUs` for timestamps.
 * @returns number of nulls
 */
export function readNumbers(
  file: ParquetFile,
  name: string,
  range: FileRowRange,
  target: Target<Float64Array>,
  condition: NumberCondition | null = null,
): number {
  const column = columnOf(file, name)
  const { type } = column
  const { values, valid = null } = target
  if (type === 'text') throw new AppError('bad-input', `${file.path}: column ${name} is text, not numbers.`)
  return readRows(file, column, range, target.at, (chunk, rows) => {
    const bounds = boundsOf(chunk)
    if (type !== 'other') return readNumberChunk(file, column, chunk, type, rows, values, valid, bounds, condition)
    const nulls = readUnusualChunk(file, column, chunk, rows, (at, value) => {
      values[at] = value === null ? NaN : Number(value)
      if (value === null && valid) valid[at] = 0
    })
    const end = rows.targetStart + rows.to - rows.from
    if (bounds && !isWithinBounds(bounds, values, rows.targetStart, end)) throw outsideBoundsError()
    if (condition && !condition.isMet(values, rows.targetStart, end)) condition.isBroken = true
    return nulls
  })
}

/** Reads rows of a timestamp column as integer microseconds (nanoseconds are rounded down); NaN for null. */
export function readTimesUs(
  file: ParquetFile,
  name: string,
  range: FileRowRange,
  target: Target<Float64Array>,
): number {
  const column = columnOf(file, name)
  const { values, valid = null } = target
  if (!column.timestampUnit) throw new AppError('bad-input', `${file.path}: column ${name} is not a timestamp.`)
  const reading = column.timestampUnit === 'ns' ? 'nanoseconds' : 'int64'
  const nulls = readRows(file, column, range, target.at, (chunk, rows) =>
    readNumberChunk(file, column, chunk, reading, rows, values, valid, null),
  )
  if (column.timestampUnit === 'ms') {
    const end = target.at + range.to - range.from
    for (let i = target.at; i < end; i++) values[i] *= 1000
  }
  return nulls
}

/**
 * Reads rows of a text column as codes of `dictionary`, which grows with every new text; -1 for null (255 in a byte
 * array).
 * @returns number of nulls
 */
export function readTexts(
  file: ParquetFile,
  name: string,
  range: FileRowRange,
  dictionary: TextCodes,
  target: Target<Int32Array | Uint8Array>,
  pages: TextPages | null = null,
): number {
  const column = columnOf(file, name)
  if (column.type !== 'text') throw new AppError('bad-input', `${file.path}: column ${name} is not text.`)
  return readRows(file, column, range, target.at, (chunk, rows) =>
    readTextChunk(file, column, chunk, rows, dictionary, target.values, target.valid ?? null, pages),
  )
}

/**
 * Reads rows of a column of numbers as codes of their decimal texts, -1 for null, because doubles round integers beyond
 * 2^53.
 * @returns number of nulls
 */
export function readNumberTexts(
  file: ParquetFile,
  name: string,
  range: FileRowRange,
  dictionary: TextCodes,
  { values, at, valid }: Target<Int32Array>,
): number {
  const column = columnOf(file, name)
  return readRows(file, column, range, at, (chunk, rows) =>
    readUnusualChunk(file, column, chunk, rows, (target, value) => {
      values[target] = value === null ? -1 : dictionary.codeOf(numberText(value))
      if (value === null && valid) valid[target] = 0
    }),
  )
}

const numberText = (value: number | bigint | Date): string =>
  typeof value === 'bigint' ? String(value) : exactNumber(Number(value))

/**
 * Tells whether a column may have integers that doubles would round. The file's statistics tell; without any, it may.
 */
export function hasLongIntegers({ columns, rowGroups }: ParquetFile, index: number): boolean {
  if (index < 0 || !isLongInteger(columns[index])) return false
  return rowGroups.some(({ chunks, rows }) => {
    const { statistics } = chunks[index]
    const bounds = boundsOf(chunks[index])
    if (bounds === null) return rows > 0 && Number(statistics?.null_count ?? 0) < rows
    return areLong(bounds.low, bounds.high)
  })
}

/** Tells whether integers between two bounds may be ones that doubles would round. */
export const areLong = (low: number | null, high: number | null): boolean =>
  [low, high].some((bound) => bound !== null && Math.abs(bound) > Number.MAX_SAFE_INTEGER)

function columnOf(file: ParquetFile, name: string): ParquetColumn {
  const column = file.columns[file.indexOf(name)]
  if (!column) throw new AppError('bad-input', `${file.path}: column ${name} is missing.`)
  return column
}

/**
 * Calls `read` for each row group that contains some of the rows; `at` is the index in the target of the first row.
 * @returns number of nulls
 */
function readRows(
  file: ParquetFile,
  column: ParquetColumn,
  { from, to }: FileRowRange,
  at: number,
  read: (chunk: ColumnChunk, rows: GroupRows) => number,
): number {
  const index = file.columns.indexOf(column)
  let nulls = 0
  readGroups(file, column, ({ startRow, rows: groupRows, chunks }) => {
    const first = Math.max(from, startRow)
    const end = Math.min(to, startRow + groupRows)
    if (first >= end) return
    nulls += read(chunks[index], {
      from: first - startRow,
      to: end - startRow,
      groupRows,
      targetStart: at + first - from,
    })
  })
  return nulls
}

/** Calls `read` for each row group that has rows; an error names the column. */
export function readGroups(file: ParquetFile, column: ParquetColumn, read: (group: ParquetRowGroup) => void): void {
  for (const group of file.rowGroups) {
    if (group.rows === 0) continue
    try {
      read(group)
    } catch (error) {
      throw error instanceof AppError ? error : unreadableError(file, column, error)
    }
  }
}

export function unreadableError(file: ParquetFile, { name }: ParquetColumn, error: unknown): AppError {
  const why = error instanceof Error ? error.message : String(error)
  return file.damaged(`column ${name} cannot be read (${why})`, error)
}

/**
 * Reads rows of long integers and of types that hyparquet converts to numbers (decimals, unsigned integers, …); `put`
 * receives each value, null if missing, with its position in the target.
 * @returns number of nulls
 */
function readUnusualChunk(
  file: ParquetFile,
  column: ParquetColumn,
  chunk: ColumnChunk,
  { from, to, groupRows, targetStart }: GroupRows,
  put: (target: number, value: number | bigint | Date | null) => void,
): number {
  if (chunk.path_length !== 1 || column.element.repetition_type === 'REPEATED')
    throw new Error('nested columns are not supported')
  let dictionary: ArrayLike<unknown> | null = null
  let nulls = 0
  const onDictionary = (page: ValuePage) => {
    // The values are copied, because unsigned integers are a view of the page's memory, which the next page overwrites.
    dictionary = Array.from(decodeUnusual(page, column, null))
  }
  const onData = (page: DataPage, firstRow: number) => {
    const decoded = decodeUnusual(page, column, dictionary)
    let nextValue = 0
    for (let index = 0; index < page.rows; index++) {
      const value: unknown = page.valid && !page.valid[index] ? null : decoded[nextValue++]
      const row = firstRow + index
      if (row < from || row >= to) continue
      const target = targetStart + row - from
      if (typeof value === 'number' || typeof value === 'bigint' || isInt96(column, value)) {
        put(target, value)
      } else if (value === null || value === undefined) {
        put(target, null)
        nulls++
      } else {
        throw new Error('its values are not numbers')
      }
    }
  }
  const isWanted = (first: number, end: number) => first < to && end > from
  visitPages(readChunk(file, chunk), column, chunk, groupRows, isWanted, onDictionary, onData)
  return nulls
}

/** Tells whether a value is a 96-bit timestamp, as older versions of Spark write it; it is read in milliseconds. */
const isInt96 = ({ element }: ParquetColumn, value: unknown): value is Date =>
  element.type === 'INT96' && value instanceof Date

/**
 * Reads the values of a column chunk without converting them, so that DuckDB does not have to be the first to read
 * them; of a nested column, only the headers of the pages are read.
 */
export function checkBytes(file: ParquetFile, column: ParquetColumn, chunk: ColumnChunk, groupRows: number): void {
  const isNested = chunk.path_length !== 1 || column.element.repetition_type === 'REPEATED'
  let dictionary: ArrayLike<unknown> | null = null
  visitPages(
    readChunk(file, chunk),
    column,
    chunk,
    isNested ? chunk.num_values : groupRows,
    () => !isNested,
    (page) => (dictionary = Array.from(decodeUnusual(page, column, null, (values) => values))),
    (page) => void decodeUnusual(page, column, dictionary, (values) => values),
  )
}

/** Decodes and converts the values of a page that are not null; the values in `dictionary` are already converted. */
function decodeUnusual(
  page: ValuePage,
  { element }: ParquetColumn,
  dictionary: ArrayLike<unknown> | null,
  convert = convertValues,
): ArrayLike<unknown> {
  const { encoding, valueCount, bytes, start } = page
  const { type, type_length: valueBytes } = element
  if (valueCount === 0 || type === undefined) return []
  const cursor = cursorAt(bytes, start)
  if (encoding === 'PLAIN') return convert(decodePlainValues(cursor, type, valueCount, valueBytes), element)
  if (isDictionaryEncoding(encoding)) {
    if (!dictionary) throw new Error('a dictionary is missing')
    const { length } = dictionary
    return Array.from(decodeIndexes(page).subarray(0, valueCount), (index) => {
      if (index < 0 || index >= length) throw new Error('a dictionary index is out of range')
      return dictionary[index]
    })
  }
  if (encoding === 'BYTE_STREAM_SPLIT') return convert(decodeSplitValues(cursor, type, valueCount, valueBytes), element)
  if (encoding === 'DELTA_BINARY_PACKED') {
    const integers = type === 'INT32' ? new Int32Array(valueCount) : new BigInt64Array(valueCount)
    decodeDeltaIntegers(cursor, valueCount, integers)
    return convert(integers, element)
  }
  const texts = decodeDeltaBytes(cursor, encoding, valueCount)
  if (!texts) throw new Error(`encoding ${encoding} is not supported here`)
  return convert(texts, element)
}

/**
 * Returns the minimum and maximum that a column chunk states; null if it states neither. Most pages have no checksum,
 * but nearly all chunks have these bounds, and a value outside them is damaged. Infinities are ignored because not
 * every writer counts them.
 */
export function boundsOf({ statistics }: Pick<ColumnChunk, 'statistics'>): Bounds | null {
  const low = boundOf(statistics?.min_value ?? statistics?.min, -Infinity)
  const high = boundOf(statistics?.max_value ?? statistics?.max, Infinity)
  return low === -Infinity && high === Infinity ? null : { low, high }
}

/** Returns a bound of the statistics if it is a usable number, not a date or NaN; else returns `otherwise`. */
function boundOf(stated: unknown, otherwise: number): number {
  const bound = typeof stated === 'bigint' ? Number(stated) : stated
  return typeof bound === 'number' && !Number.isNaN(bound) ? bound : otherwise
}

/** Verdicts on the bounds of columns, by the row groups of the file, which a remembered footer keeps. */
const verdicts = new WeakMap<readonly ParquetRowGroup[], Map<number, boolean>>()

/**
 * Tells whether all values of a column lie within the bounds that its row groups state. The first question reads the
 * whole column; a reader asks it before it leaves row groups out because of their bounds.
 */
export function hasTrueBounds(file: ParquetFile, index: number): boolean {
  const known = verdicts.get(file.rowGroups) ?? new Map<number, boolean>()
  verdicts.set(file.rowGroups, known)
  const verdict = known.get(index) ?? areValuesWithin(file, index)
  known.set(index, verdict)
  return verdict
}

function areValuesWithin(file: ParquetFile, index: number): boolean {
  const values = new Float64Array(Math.max(0, ...file.rowGroups.map(({ rows }) => rows)))
  try {
    for (const { startRow, rows } of file.rowGroups)
      readNumbers(file, file.columns[index].name, { from: startRow, to: startRow + rows }, { values, at: 0 })
    return true
  } catch (thrown) {
    if (thrown instanceof AppError && thrown.code === 'corrupt-file') return false
    throw thrown
  }
}

/** Reads all values of the named columns; throws `corrupt-file` if a number, time or text cannot be read. */
export function checkColumns(file: ParquetFile, names: readonly string[]): void {
  const { values, codes } = rowGroupBuffers(file)
  for (const { name, type } of file.columns) {
    if (!names.includes(name)) continue
    const dictionary = new TextDictionary()
    for (const { startRow, rows } of file.rowGroups) {
      const range = { from: startRow, to: startRow + rows }
      if (type === 'text') readTexts(file, name, range, dictionary, { values: codes, at: 0 })
      else if (type !== 'other') readNumbers(file, name, range, { values, at: 0 })
      else tryNumbers(file, name, range, values)
    }
  }
}

/**
 * Reads values of an unusual type to make sure that reading them ends. Whether they can be converted to numbers does
 * not matter here: a reader that needs them reports it.
 */
function tryNumbers(file: ParquetFile, name: string, range: FileRowRange, values: Float64Array): void {
  try {
    readNumbers(file, name, range, { values, at: 0 })
  } catch (thrown) {
    if (!(thrown instanceof AppError)) throw thrown
  }
}

function rowGroupBuffers({ rowGroups }: ParquetFile) {
  const longest = Math.max(0, ...rowGroups.map(({ rows }) => rows))
  return { values: new Float64Array(longest), codes: new Int32Array(longest) }
}
