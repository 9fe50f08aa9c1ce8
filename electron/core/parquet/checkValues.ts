/**
 * Reads every value of a file and compares the values with what the file states about them, because DuckDB believes
 * these statements: it skips row groups by them, and answers `min` and `max` from them alone.
 */
import { type DataPage, readChunk, type ValuePage, visitPages } from './columnPages.ts'
import { decodeIndexes, isDictionaryEncoding, outsideBoundsError } from './decodeNumbers.ts'
import { isDecimal, isUnsigned } from './fileLimits.ts'
import type { ChunkStatistics, ColumnChunk } from './footerRowGroups.ts'
import { cursorAt, decodeDeltaBytes } from './hyparquetInternals.ts'
import type { ParquetColumn, ParquetFile, ParquetRowGroup } from './parquetFile.ts'
import { checkBytes, readGroups, readNumbers } from './readColumn.ts'

/**
 * Reads every value; throws `corrupt-file` if a value cannot be read, or if it contradicts the file's statistics.
 * @returns indexes of the columns whose statistics cannot be believed to the bit: a value may be NaN, which they leave
 * out, or they state a bound that no value has, or values of their type are not compared here
 */
export function checkValues(file: ParquetFile): number[] {
  const longest = Math.max(0, ...file.rowGroups.map(({ rows }) => rows))
  const values = new Float64Array(longest)
  return file.columns.flatMap((column, index) => {
    const isExact = isNumeric(file, column, index)
      ? checkNumbers(file, column, index, values)
      : column.type === 'text'
        ? checkTexts(file, column, index)
        : checkOthers(file, column)
    const hasFilter = file.rowGroups.some(({ chunks }) => chunks[index].hasBloomFilter)
    return isExact && !hasFilter ? [] : [index]
  })
}

/** Tells whether the values of a column can be read as numbers. */
function isNumeric({ rowGroups }: ParquetFile, { type, element }: ParquetColumn, index: number): boolean {
  if (type !== 'other') return type !== 'text'
  const isNested =
    element.repetition_type === 'REPEATED' || rowGroups.some(({ chunks }) => chunks[index].path_length > 1)
  return !isNested && (isDecimal(element) || isUnsigned(element))
}

const missingCountError = (file: ParquetFile, { name }: ParquetColumn, nulls: number, stated: number) =>
  file.damaged(`column ${name} has ${nulls} missing values, but the file states ${stated}`)

/** Compares the numbers of a column with its statistics; returns whether they agree to the bit. */
function checkNumbers(file: ParquetFile, column: ParquetColumn, index: number, values: Float64Array): boolean {
  // Decimals and unsigned integers are converted before they are compared, which may round.
  let isExact = column.type !== 'other'
  for (const { startRow, rows, chunks } of file.rowGroups) {
    const { statistics } = chunks[index]
    const nulls = readNumbers(file, column.name, { from: startRow, to: startRow + rows }, { values, at: 0 })
    if (statistics?.null_count !== undefined && statistics.null_count !== nulls)
      throw missingCountError(file, column, nulls, statistics.null_count)
    isExact &&= hasExactBounds(values.subarray(0, rows), nulls, statistics)
  }
  return isExact
}

function hasExactBounds(values: Float64Array, nulls: number, statistics: ChunkStatistics | undefined): boolean {
  let [low, high] = [Infinity, -Infinity]
  let count = 0
  for (let row = 0; row < values.length; row++) {
    const value = values[row]
    if (Number.isNaN(value)) continue
    count++
    if (value < low) low = value
    if (value > high) high = value
  }
  const hasNaN = count + nulls < values.length
  const { min, max } = statedBounds(statistics)
  return !hasNaN && isBound(min, low, count) && isBound(max, high, count)
}

/** Tells whether a stated bound, if there is one, is the given value in all bits. */
function isBound(stated: unknown, value: number, count: number): boolean {
  if (stated === undefined) return true
  const bound = typeof stated === 'bigint' || typeof stated === 'boolean' ? Number(stated) : stated
  // Doubles do not tell long integers apart.
  return count > 0 && Object.is(bound, value) && (typeof stated !== 'bigint' || Number.isSafeInteger(bound))
}

const statedBounds = (statistics: ChunkStatistics | undefined) => ({
  min: statistics?.min_value ?? statistics?.min,
  max: statistics?.max_value ?? statistics?.max,
})

/** Bytes [from, to) of an array. */
interface TextPlace {
  bytes: Uint8Array
  from: number
  to: number
}

const placeOf = (bytes: Uint8Array): TextPlace => ({ bytes, from: 0, to: bytes.length })
const copyOf = ({ bytes, from, to }: TextPlace): TextPlace => placeOf(bytes.slice(from, to))

/** Compares the text in the bytes [from, to) with another one, byte by byte, without creating views of them. */
function compareAt(bytes: Uint8Array, from: number, to: number, other: TextPlace): number {
  const { bytes: otherBytes, from: otherFrom } = other
  const lengths = to - from - (other.to - otherFrom)
  const length = lengths < 0 ? to - from : other.to - otherFrom
  for (let at = 0; at < length; at++) {
    const difference = bytes[from + at] - otherBytes[otherFrom + at]
    if (difference !== 0) return difference
  }
  return lengths
}

const compareTexts = ({ bytes, from, to }: TextPlace, other: TextPlace) => compareAt(bytes, from, to, other)

/** Compares the texts of a column with its statistics; returns whether they agree to the byte. */
function checkTexts(file: ParquetFile, column: ParquetColumn, index: number): boolean {
  let isExact = true
  readGroups(file, column, ({ rows, chunks }) => {
    const chunk = chunks[index]
    const { nulls, low, high } = findExtremes(file, column, chunk, rows)
    const { null_count: statedNulls } = chunk.statistics ?? {}
    if (statedNulls !== undefined && statedNulls !== nulls) throw missingCountError(file, column, nulls, statedNulls)
    const { min, max } = statedBounds(chunk.statistics)
    const statedLow = min instanceof Uint8Array ? placeOf(min) : null
    const statedHigh = max instanceof Uint8Array ? placeOf(max) : null
    if (statedLow && low && compareTexts(low, statedLow) < 0) throw outsideBoundsError()
    if (statedHigh && high && compareTexts(high, statedHigh) > 0) throw outsideBoundsError()
    isExact &&=
      (!statedLow || (low !== null && compareTexts(low, statedLow) === 0)) &&
      (!statedHigh || (high !== null && compareTexts(high, statedHigh) === 0))
  })
  return isExact
}

/** Finds the first and the last of the texts in a column chunk, and counts the missing ones. */
function findExtremes(file: ParquetFile, column: ParquetColumn, chunk: ColumnChunk, groupRows: number) {
  let low: TextPlace | null = null
  let high: TextPlace | null = null
  let nulls = 0
  let entries: TextPlace[] = []
  let used = new Uint8Array(0)
  const addAt = (bytes: Uint8Array, from: number, to: number) => {
    if (!low || compareAt(bytes, from, to, low) < 0) low = { bytes, from, to }
    if (!high || compareAt(bytes, from, to, high) > 0) high = { bytes, from, to }
  }
  const add = ({ bytes, from, to }: TextPlace) => addAt(bytes, from, to)
  const onDictionary = (page: ValuePage) => {
    // The bytes are copied, because the next page overwrites them.
    const bytes = page.bytes.slice()
    entries = []
    visitPlainTexts({ ...page, bytes }, (from, to) => entries.push({ bytes, from, to }))
    used = new Uint8Array(entries.length)
  }
  const onData = (page: DataPage) => {
    nulls += page.rows - page.valueCount
    if (isDictionaryEncoding(page.encoding)) return markUsed(page, used)
    const { encoding, valueCount, bytes, start } = page
    if (encoding === 'PLAIN') visitPlainTexts(page, (from, to) => addAt(bytes, from, to))
    else for (const each of decodeDeltaBytes(cursorAt(bytes, start), encoding, valueCount) ?? []) add(placeOf(each))
    low &&= copyOf(low)
    high &&= copyOf(high)
  }
  visitPages(readChunk(file, chunk), column, chunk, groupRows, () => true, onDictionary, onData)
  entries.forEach((place, entry) => used[entry] === 1 && add(place))
  return { nulls, low: low as TextPlace | null, high: high as TextPlace | null }
}

function markUsed(page: DataPage, used: Uint8Array): void {
  const indexes = decodeIndexes(page)
  for (let at = 0; at < page.valueCount; at++) {
    if (!(indexes[at] >= 0 && indexes[at] < used.length)) throw new Error('a dictionary index is out of range')
    used[indexes[at]] = 1
  }
}

/** Visits consecutive length-prefixed texts; a generator, or an object for each, would take longer than comparing them. */
function visitPlainTexts({ bytes, start, valueCount }: ValuePage, visit: (from: number, to: number) => void): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (let at = start, index = 0; index < valueCount; index++) {
    const from = at + 4
    if (from > bytes.length) throw new Error('a text ends too late')
    at = from + view.getUint32(at, true)
    if (at > bytes.length) throw new Error('a text ends too late')
    visit(from, at)
  }
}

/** Reads values whose meaning is not known here. Their statistics are never believed. */
function checkOthers(file: ParquetFile, column: ParquetColumn): false {
  const index = file.columns.indexOf(column)
  readGroups(file, column, ({ rows, chunks }) => checkBytes(file, column, chunks[index], rows))
  return false
}

/** Checks the headers of all pages of a file. */
export function checkPageHeaders(file: ParquetFile): void {
  file.columns.forEach((column, index) =>
    readGroups(file, column, ({ chunks }: ParquetRowGroup) => {
      const chunk = chunks[index]
      visitPages(
        readChunk(file, chunk),
        column,
        chunk,
        chunk.num_values,
        () => false,
        null,
        () => {},
      )
    }),
  )
}
