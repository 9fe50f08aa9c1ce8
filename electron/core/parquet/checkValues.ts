/**
 * Reads every value of a file and compares the values with what the file states about them, because DuckDB believes
 * these statements: it skips row groups by them, and answers `min` and `max` from them alone.
 */
import { AppError } from '#shared/contract/errors.ts'
import { type DataPage, readChunk, unpackBits, type ValuePage, visitPages } from './columnPages.ts'
import { isDictionaryEncoding, isWithinBounds, outsideBoundsError, visitIndexes } from './decodeNumbers.ts'
import { isDecimal, isUnsigned } from './fileLimits.ts'
import type { TextPages } from './decodeTexts.ts'
import type { ChunkStatistics, ColumnChunk } from './footerRowGroups.ts'
import { cursorAt, decodeDeltaBytes } from './hyparquetInternals.ts'
import type { ParquetColumn, ParquetFile, ParquetRowGroup } from './parquetFile.ts'
import { boundsOf, checkBytes, readGroups, readNumbers, unreadableError } from './readColumn.ts'

/**
 * Reads every value; throws `corrupt-file` if a value cannot be read, or if it contradicts the file's statistics.
 * @param areExact columns whose numbers were compared already, and whether they agree to the bit
 * @returns indexes of the columns whose statistics cannot be believed to the bit: a value may be NaN, which they leave
 * out, or they state a bound that no value has, or values of their type are not compared here
 */
export function checkValues(file: ParquetFile, areExact: ReadonlyMap<number, boolean> = new Map()): number[] {
  const longest = Math.max(0, ...file.rowGroups.map(({ rows }) => rows))
  const values = new Float64Array(longest)
  return file.columns.flatMap((column, index) => {
    const isExact = areExact.get(index) ?? checkColumn(file, column, index, values)
    const hasFilter = file.rowGroups.some(({ chunks }) => chunks[index].hasBloomFilter)
    return isExact && !hasFilter ? [] : [index]
  })
}

function checkColumn(file: ParquetFile, column: ParquetColumn, index: number, values: Float64Array): boolean {
  if (isNumeric(file, column, index)) return checkNumbers(file, column, index, values)
  return column.type === 'text' ? checkTexts(file, column, index) : checkOthers(file, column)
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
  let isExact = true
  for (const { startRow, rows, chunks } of file.rowGroups) {
    const nulls = readNumbers(file, column.name, { from: startRow, to: startRow + rows }, { values, at: 0 })
    isExact = areNumbersExact(file, column, chunks[index], values.subarray(0, rows), nulls) && isExact
  }
  return isExact
}

function areNumbersExact(
  file: ParquetFile,
  column: ParquetColumn,
  { statistics }: ColumnChunk,
  values: Float64Array,
  nulls: number,
): boolean {
  if (statistics?.null_count !== undefined && statistics.null_count !== nulls)
    throw missingCountError(file, column, nulls, statistics.null_count)
  // Decimals and unsigned integers are converted before they are compared, which may round.
  return column.type !== 'other' && hasExactBounds(values, nulls, statistics)
}

/** Compares values that are read for something else with the file's statistics, one row group after the other. */
export class ValueChecks {
  private readonly file: ParquetFile
  private readonly columns = new Map<number, { groups: number; isExact: boolean }>()

  constructor(file: ParquetFile) {
    this.file = file
  }

  /** Compares all values of a column in a row group; they must be as the file has them, not converted. */
  addNumbers(index: number, { chunks }: ParquetRowGroup, values: Float64Array, nulls: number): void {
    const { file } = this
    const isGroupExact = areNumbersExact(file, file.columns[index], chunks[index], values, nulls)
    const bounds = isGroupExact ? null : boundsOf(chunks[index])
    if (bounds && !isWithinBounds(bounds, values, 0, values.length))
      throw unreadableError(file, file.columns[index], outsideBoundsError())
    this.note(index, isGroupExact)
  }

  /** Compares all texts of a column in a row group, which `read` reads, with the pages shown to its argument. */
  addTexts(index: number, { chunks }: ParquetRowGroup, read: (pages: TextPages) => void): void {
    const texts = new ChunkTexts()
    read(texts)
    try {
      this.note(index, areTextsExact(this.file, this.file.columns[index], chunks[index], texts))
    } catch (thrown) {
      throw thrown instanceof AppError ? thrown : unreadableError(this.file, this.file.columns[index], thrown)
    }
  }

  private note(index: number, isGroupExact: boolean): void {
    const { groups, isExact } = this.columns.get(index) ?? { groups: 0, isExact: true }
    this.columns.set(index, { groups: groups + 1, isExact: isExact && isGroupExact })
  }

  /** The columns of which all row groups were compared, and whether they agree to the bit. */
  get areExact(): Map<number, boolean> {
    const complete = [...this.columns].filter(([, { groups }]) => groups === this.file.rowGroups.length)
    return new Map(complete.map(([index, { isExact }]) => [index, isExact]))
  }
}

function hasExactBounds(values: Float64Array, nulls: number, statistics: ChunkStatistics | undefined): boolean {
  const { low, high, missing } = rangeOf(values)
  const hasNaN = missing > nulls
  const count = values.length - missing
  const { min, max } = statedBounds(statistics)
  return !hasNaN && isBound(min, low, count) && isBound(max, high, count)
}

function rangeOf(values: Float64Array): { low: number; high: number; missing: number } {
  let [low, high] = [Infinity, -Infinity]
  for (let row = 0; row < values.length; row++) {
    low = Math.min(low, values[row])
    high = Math.max(high, values[row])
  }
  // Most columns have no NaN, of which both would be one; then they need not be counted.
  if (!Number.isNaN(low)) return { low, high, missing: 0 }
  const numbers = values.filter((value) => !Number.isNaN(value))
  return { ...rangeOf(numbers), missing: values.length - numbers.length }
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

function compareTexts(a: TextPlace, b: TextPlace): number {
  const lengths = a.to - a.from - (b.to - b.from)
  const length = lengths < 0 ? a.to - a.from : b.to - b.from
  for (let at = 0; at < length; at++) {
    const difference = a.bytes[a.from + at] - b.bytes[b.from + at]
    if (difference !== 0) return difference
  }
  return lengths
}

/** Compares two texts of the same bytes as `compareTexts` does, but four bytes at a time. */
function compareWithin(view: DataView, from: number, to: number, otherFrom: number, otherTo: number): number {
  const length = Math.min(to - from, otherTo - otherFrom)
  let at = 0
  for (; at + 4 <= length; at += 4) {
    const difference = view.getUint32(from + at) - view.getUint32(otherFrom + at)
    if (difference !== 0) return difference
  }
  for (; at < length; at++) {
    const difference = view.getUint8(from + at) - view.getUint8(otherFrom + at)
    if (difference !== 0) return difference
  }
  return to - from - (otherTo - otherFrom)
}

/** The first and the last of texts, which are copied, because the next page overwrites their bytes. */
class TextExtremes {
  low: TextPlace | null = null
  high: TextPlace | null = null

  add(place: TextPlace): void {
    if (!this.low || compareTexts(place, this.low) < 0) this.low = copyOf(place)
    if (!this.high || compareTexts(place, this.high) > 0) this.high = copyOf(place)
  }

  /** Adds all texts of a page, in a loop of its own, because a call or an object for each would take longer. */
  addPlain({ bytes, start, valueCount }: ValuePage): void {
    if (valueCount === 0) return
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    let at = start
    let [lowFrom, lowTo] = [0, 0]
    let [highFrom, highTo] = [0, 0]
    for (let index = 0; index < valueCount; index++) {
      const from = at + 4
      if (from > bytes.length) throw textEndsTooLate()
      const to = from + view.getUint32(at, true)
      if (to > bytes.length) throw textEndsTooLate()
      if (index === 0 || compareWithin(view, from, to, highFrom, highTo) > 0) [highFrom, highTo] = [from, to]
      if (index === 0 || compareWithin(view, from, to, lowFrom, lowTo) < 0) [lowFrom, lowTo] = [from, to]
      at = to
    }
    this.add({ bytes, from: lowFrom, to: lowTo })
    this.add({ bytes, from: highFrom, to: highTo })
  }
}

const textEndsTooLate = () => new Error('a text ends too late')

/** Compares the texts of a column with its statistics; returns whether they agree to the byte. */
function checkTexts(file: ParquetFile, column: ParquetColumn, index: number): boolean {
  let isExact = true
  readGroups(file, column, ({ rows, chunks }) => {
    const chunk = chunks[index]
    const texts = new ChunkTexts()
    const onDictionary = (page: ValuePage) => texts.onDictionary(page)
    const onData = (page: DataPage) => texts.onData(page)
    visitPages(readChunk(file, chunk), column, chunk, rows, () => true, onDictionary, onData)
    isExact = areTextsExact(file, column, chunk, texts) && isExact
  })
  return isExact
}

function areTextsExact(
  file: ParquetFile,
  column: ParquetColumn,
  { statistics }: ColumnChunk,
  { nulls, extremes }: ChunkTexts,
): boolean {
  const { low, high } = extremes
  const { null_count: statedNulls } = statistics ?? {}
  if (statedNulls !== undefined && statedNulls !== nulls) throw missingCountError(file, column, nulls, statedNulls)
  const { min, max } = statedBounds(statistics)
  const statedLow = min instanceof Uint8Array ? placeOf(min) : null
  const statedHigh = max instanceof Uint8Array ? placeOf(max) : null
  if (statedLow && low && compareTexts(low, statedLow) < 0) throw outsideBoundsError()
  if (statedHigh && high && compareTexts(high, statedHigh) > 0) throw outsideBoundsError()
  return (
    (!statedLow || (low !== null && compareTexts(low, statedLow) === 0)) &&
    (!statedHigh || (high !== null && compareTexts(high, statedHigh) === 0))
  )
}

/** Finds the first and the last of the texts in the pages of a column chunk, and counts the missing ones. */
class ChunkTexts implements TextPages {
  nulls = 0
  private readonly found = new TextExtremes()
  private entries: TextPlace[] = []
  private used = new Uint8Array(0)

  onDictionary(page: ValuePage): void {
    // The bytes are copied, because the next page overwrites them.
    this.entries = plainTexts({ ...page, bytes: page.bytes.slice() })
    this.used = new Uint8Array(this.entries.length)
  }

  onData(page: DataPage): void {
    this.nulls += page.rows - page.valueCount
    const { encoding, valueCount, bytes, start } = page
    if (isDictionaryEncoding(encoding)) markUsed(page, this.used)
    else if (encoding === 'PLAIN') this.found.addPlain(page)
    else
      for (const each of decodeDeltaBytes(cursorAt(bytes, start), encoding, valueCount) ?? [])
        this.found.add(placeOf(each))
  }

  get extremes(): TextExtremes {
    this.entries.forEach((place, entry) => this.used[entry] === 1 && this.found.add(place))
    return this.found
  }
}

/** Marks the entries of a dictionary to which a page refers. */
function markUsed(page: DataPage, used: Uint8Array): void {
  const seen = new Uint8Array(256)
  let seenWidth = 8
  visitIndexes(page, used.length, {
    packed(offset, bitWidth, _, count) {
      // If no index crosses from one byte to the next, marking the bytes is as good and takes a fraction of the time.
      const bytes = 8 % bitWidth === 0 ? (count * bitWidth) >>> 3 : 0
      seenWidth = bitWidth
      for (let at = 0; at < bytes; at++) seen[page.bytes[offset + at]] = 1
      const done = (bytes * 8) / bitWidth
      return markEach(page.bytes, offset + bytes, bitWidth, count - done, used)
    },
    repeated: (index) => (used[index] = 1),
  })
  seen.forEach((isSeen, byte) => {
    if (isSeen === 0) return
    for (let shift = 0; shift < 8; shift += seenWidth) {
      const index = (byte >>> shift) & (2 ** seenWidth - 1)
      if (index >= used.length) throw new Error('a dictionary index is out of range')
      used[index] = 1
    }
  })
}

/** Marks packed indexes one by one; returns the largest. */
function markEach(bytes: Uint8Array, offset: number, bitWidth: number, count: number, used: Uint8Array): number {
  const indexes = new Int32Array(count)
  unpackBits(bytes, offset, bitWidth, indexes, 0, count)
  let largest = 0
  for (const index of indexes) {
    largest = Math.max(largest, index >>> 0)
    used[index] = 1
  }
  return largest
}

/** Lists the consecutive length-prefixed texts of a page. */
function plainTexts({ bytes, start, valueCount }: ValuePage): TextPlace[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const texts: TextPlace[] = []
  for (let at = start; texts.length < valueCount;) {
    const from = at + 4
    if (from > bytes.length) throw textEndsTooLate()
    at = from + view.getUint32(at, true)
    if (at > bytes.length) throw textEndsTooLate()
    texts.push({ bytes, from, to: at })
  }
  return texts
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
