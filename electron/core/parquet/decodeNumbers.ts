/** Decodes the numbers of a column chunk. */
import {
  type DataPage,
  decodeHybridRuns,
  QUICK_BITS,
  quickCount,
  readChunk,
  unpackBits,
  type ValuePage,
  visitPages,
  visitRuns,
} from './columnPages.ts'
import type { ColumnChunk } from './footerRowGroups.ts'
import { cursorAt, decodeDeltaIntegers } from './hyparquetInternals.ts'
import type { ParquetColumn, ParquetFile, PhysicalType } from './parquetFile.ts'

/** Rows [from, to) of a row group that are read. */
export interface GroupRows {
  from: number
  to: number
  /** Number of all rows in the group. */
  groupRows: number
  /** Position in the target array at which the first row is written. */
  targetStart: number
}

/** Minimum and maximum value that the file states for a column in a row group. */
export interface Bounds {
  low: number
  high: number
}

export const outsideBoundsError = () => new Error('its values do not match the file’s statistics')

/** Tells whether values lie within bounds; NaN is never outside, and infinities are ignored. */
export function isWithinBounds(bounds: Bounds, values: Float64Array, from: number, to: number): boolean {
  for (let i = outsideFrom(bounds, values, from, to); i < to; i = outsideFrom(bounds, values, i + 1, to))
    if (Number.isFinite(values[i])) return false
  return true
}

/** Returns the index of the next value outside the bounds; `to` if there is none. */
function outsideFrom({ low, high }: Bounds, values: Float64Array, from: number, to: number): number {
  let i = from
  while (i < to && !(values[i] < low) && !(values[i] > high)) i++
  return i
}

/**
 * Condition that values must meet. It is checked on the values of a dictionary instead of at each place where they
 * occur.
 */
export interface NumberCondition {
  isMet(values: Float64Array, from: number, to: number): boolean
  /** True once values of any column chunk have not met the condition. */
  isBroken: boolean
}

export const isDictionaryEncoding = (encoding: string): boolean =>
  encoding === 'PLAIN_DICTIONARY' || encoding === 'RLE_DICTIONARY'

let dictionaryBuffer = new Float64Array(0)

/** Returns memory for the dictionary of a chunk; the next chunk reuses it. */
function dictionaryOf(count: number): Float64Array {
  if (dictionaryBuffer.length < count) dictionaryBuffer = new Float64Array(count * 2)
  return dictionaryBuffer.subarray(0, count)
}

let scratch = new Float64Array(0)

const scratchOf = (count: number) => {
  if (scratch.length < count) scratch = new Float64Array(count * 2)
  return scratch
}

/**
 * Decodes a column's rows of one row group.
 * @returns number of nulls
 */
export function readNumberChunk(
  file: ParquetFile,
  column: ParquetColumn,
  chunk: ColumnChunk,
  reading: ValueReading,
  rows: GroupRows,
  values: Float64Array,
  valid: Uint8Array | null,
  bounds: Bounds | null,
  condition: NumberCondition | null = null,
): number {
  let dictionary: Float64Array | null = null
  let isDictionaryWithin = false
  let dictionaryMeetsCondition = false
  let nulls = 0
  const onDictionary = (page: ValuePage) => {
    dictionary = dictionaryOf(page.valueCount)
    decodeNumbers(page, reading, null, dictionary, 0)
    isDictionaryWithin = bounds !== null && isWithinBounds(bounds, dictionary, 0, page.valueCount)
    dictionaryMeetsCondition = condition !== null && condition.isMet(dictionary, 0, page.valueCount)
  }
  const onData = (page: DataPage, firstRow: number) => {
    const from = Math.max(rows.from - firstRow, 0)
    const to = Math.min(rows.to - firstRow, page.rows)
    const at = rows.targetStart + firstRow + from - rows.from
    if (!page.valid && from === 0 && to === page.rows) {
      decodeNumbers(page, reading, dictionary, values, at)
    } else {
      const decoded = scratchOf(page.valueCount)
      decodeNumbers(page, reading, dictionary, decoded, 0)
      if (page.valid) nulls += spreadOverRows(decoded, page.valid, from, to, values, valid, at)
      else values.set(decoded.subarray(from, to), at)
    }
    const end = at + to - from
    // The values of a dictionary are checked once, not at each place where they occur.
    const usesDictionary = isDictionaryEncoding(page.encoding)
    if (condition && !(dictionaryMeetsCondition && usesDictionary) && !condition.isMet(values, at, end))
      condition.isBroken = true
    if (bounds && !(isDictionaryWithin && usesDictionary) && !isWithinBounds(bounds, values, at, end))
      throw outsideBoundsError()
  }
  const isWanted = (from: number, to: number) => from < rows.to && to > rows.from
  visitPages(readChunk(file, chunk), column, chunk, rows.groupRows, isWanted, onDictionary, onData)
  return nulls
}

/**
 * Moves the values of a page with nulls to their rows.
 * @returns number of nulls
 */
function spreadOverRows(
  decoded: Float64Array,
  pageValid: Uint8Array,
  from: number,
  to: number,
  values: Float64Array,
  valid: Uint8Array | null,
  at: number,
): number {
  let nextValue = 0
  for (let row = 0; row < from; row++) nextValue += pageValid[row]
  let nulls = 0
  for (let row = from; row < to; row++) {
    const target = at + row - from
    if (pageValid[row]) {
      values[target] = decoded[nextValue++]
    } else {
      values[target] = NaN
      if (valid) valid[target] = 0
      nulls++
    }
  }
  return nulls
}

/**
 * Interpretation of values: as their physical type, or as nanoseconds, which are rounded down to microseconds while
 * they are still exact.
 */
type ValueReading = PhysicalType | 'nanoseconds'

let indexBuffer = new Int32Array(0)
let rawBuffer = new Uint8Array(0)

const twoTo32 = 4_294_967_296

/**
 * Decodes the values of a page into `target`, starting at `at`; `dictionary` has the values of the chunk's dictionary
 * page, if there is one.
 */
export function decodeNumbers(
  page: ValuePage,
  type: ValueReading,
  dictionary: Float64Array | null,
  target: Float64Array,
  at: number,
): void {
  const { encoding, valueCount } = page
  if (encoding === 'PLAIN') {
    decodePlain(page, type, target, at)
  } else if (isDictionaryEncoding(encoding)) {
    if (!dictionary) throw new Error('a dictionary is missing')
    lookUp(page, dictionary, target, at)
  } else if (encoding === 'BYTE_STREAM_SPLIT') {
    joinStreams(page, type, target, at)
  } else if (encoding === 'DELTA_BINARY_PACKED' && (type === 'int32' || type === 'int64' || type === 'nanoseconds')) {
    const values = type === 'int32' ? new Int32Array(valueCount) : new BigInt64Array(valueCount)
    decodeDeltaIntegers(cursorAt(page.bytes, page.start), valueCount, values)
    widen(new Uint8Array(values.buffer), type, target, at, valueCount)
  } else if (encoding === 'RLE' && type === 'boolean') {
    const bits = indexesOf(valueCount)
    if (page.start + 4 > page.bytes.length) throw new Error('a page ends too early')
    decodeHybridRuns(page.bytes, page.start + 4, page.bytes.length, 1, bits, valueCount)
    for (let i = 0; i < valueCount; i++) target[at + i] = bits[i]
  } else {
    throw new Error(`encoding ${encoding} is not supported here`)
  }
}

/**
 * Writes the dictionary entries to which a page's indexes refer; only the last few indexes of a run are unpacked to a
 * buffer first.
 */
function lookUp(page: ValuePage, dictionary: Float64Array, target: Float64Array, at: number): void {
  // A single view serves all runs, because some writers make many runs of a few hundred values each.
  const view = new DataView(page.bytes.buffer, page.bytes.byteOffset, page.bytes.byteLength)
  visitIndexes(page, dictionary.length, {
    packed: (offset, bitWidth, from, count) =>
      lookUpPacked(view, offset, bitWidth, dictionary, target, at + from, count),
    repeated: (index, from, count) => target.fill(dictionary[index], at + from, at + from + count),
  })
}

/** Receives the indexes of a page, packed or repeated; `from` is the position of the first of them in the page. */
interface IndexVisitor {
  /** @returns the largest index, because checking every index would double the time */
  packed(offset: number, bitWidth: number, from: number, count: number): number
  repeated(index: number, from: number, count: number): void
}

/** Visits the indexes of a page into a dictionary; throws if an index is not below `entries`. */
export function visitIndexes({ bytes, start, valueCount }: ValuePage, entries: number, visitor: IndexVisitor): void {
  if (valueCount === 0) return
  if (start >= bytes.length) throw new Error('a page ends too early')
  const bitWidth = bytes[start]
  let largest = 0
  visitRuns(bytes, start + 1, bytes.length, bitWidth, valueCount, {
    packed(offset, from, count) {
      largest = Math.max(largest, visitor.packed(offset, bitWidth, from, count))
    },
    repeated(index, from, count) {
      largest = Math.max(largest, index >>> 0)
      visitor.repeated(index, from, count)
    },
  })
  if (largest >= entries) throw new Error('a dictionary index is out of range')
}

/**
 * Looks up packed indexes in a dictionary.
 * @returns the largest index
 */
function lookUpPacked(
  page: DataView,
  offset: number,
  bitWidth: number,
  dictionary: Float64Array,
  target: Float64Array,
  at: number,
  count: number,
): number {
  const mask = (1 << bitWidth) - 1
  // A multiple of 8 values ends at a byte boundary, so that the remaining values begin at one.
  const quick = bitWidth > QUICK_BITS ? 0 : quickCount(page.byteLength - offset, bitWidth, count) & ~7
  let largest = 0
  for (let i = 0, bit = 0; i < quick; i++, bit += bitWidth) {
    const index = (page.getUint32(offset + (bit >>> 3), true) >>> (bit & 7)) & mask
    largest = index > largest ? index : largest
    target[at + i] = dictionary[index]
  }
  const restCount = count - quick
  if (restCount === 0) return largest
  const indexes = indexesOf(restCount)
  const bytes = new Uint8Array(page.buffer, page.byteOffset, page.byteLength)
  unpackBits(bytes, offset + (quick * bitWidth) / 8, bitWidth, indexes, 0, restCount)
  for (let i = 0; i < restCount; i++) {
    const index = indexes[i] >>> 0
    largest = index > largest ? index : largest
    target[at + quick + i] = dictionary[index]
  }
  return largest
}

/** Decodes the indexes of a page, which refer to the chunk's dictionary, in a buffer that the next call reuses. */
export function decodeIndexes({ bytes, start, valueCount }: ValuePage): Int32Array {
  const indexes = indexesOf(valueCount)
  if (valueCount > 0 && start >= bytes.length) throw new Error('a page ends too early')
  if (valueCount > 0) decodeHybridRuns(bytes, start + 1, bytes.length, bytes[start], indexes, valueCount)
  return indexes
}

function indexesOf(count: number): Int32Array {
  if (indexBuffer.length < count) indexBuffer = new Int32Array(count * 2)
  return indexBuffer
}

function decodePlain(page: ValuePage, type: ValueReading, target: Float64Array, at: number): void {
  const { bytes, start, valueCount } = page
  if (type === 'boolean') {
    requireBytes(bytes, start, Math.ceil(valueCount / 8))
    for (let i = 0; i < valueCount; i++) target[at + i] = (bytes[start + (i >> 3)] >> (i & 7)) & 1
    return
  }
  const width = widthOf(type)
  requireBytes(bytes, start, valueCount * width)
  widen(bytes.subarray(start, start + valueCount * width), type, target, at, valueCount)
}

/** Converts little-endian values of a type to doubles. */
function widen(bytes: Uint8Array, type: ValueReading, target: Float64Array, at: number, count: number): void {
  if (widthOf(type) === 8) {
    new Uint8Array(target.buffer, target.byteOffset + at * 8, count * 8).set(bytes)
    if (type === 'int64') convertIntegersInPlace(target, at, count)
    if (type === 'nanoseconds') roundToMicrosecondsInPlace(target, at, count)
    return
  }
  if (rawBuffer.length < bytes.length) rawBuffer = new Uint8Array(bytes.length * 2)
  rawBuffer.set(bytes)
  const values =
    type === 'float' ? new Float32Array(rawBuffer.buffer, 0, count) : new Int32Array(rawBuffer.buffer, 0, count)
  for (let i = 0; i < count; i++) target[at + i] = values[i]
}

/** Converts 64-bit integers stored in a Float64Array to the nearest doubles. */
function convertIntegersInPlace(target: Float64Array, at: number, count: number): void {
  const halves = new Int32Array(target.buffer, target.byteOffset + at * 8, count * 2)
  for (let i = 0; i < count; i++) target[at + i] = halves[2 * i + 1] * twoTo32 + (halves[2 * i] >>> 0)
}

/** Rounds nanoseconds down to microseconds in place, because a double cannot hold nanoseconds exactly. */
function roundToMicrosecondsInPlace(target: Float64Array, at: number, count: number): void {
  const halves = new Int32Array(target.buffer, target.byteOffset + at * 8, count * 2)
  for (let i = 0; i < count; i++) {
    const high = halves[2 * i + 1]
    const quotient = Math.floor(high / 1000)
    const rest = (high - quotient * 1000) * twoTo32 + (halves[2 * i] >>> 0)
    target[at + i] = quotient * twoTo32 + Math.floor(rest / 1000)
  }
}

const widthOf = (type: ValueReading) => (type === 'double' || type === 'int64' || type === 'nanoseconds' ? 8 : 4)

function joinStreams(page: ValuePage, type: ValueReading, target: Float64Array, at: number): void {
  const { bytes, start, valueCount } = page
  const width = widthOf(type)
  requireBytes(bytes, start, valueCount * width)
  const joined = new Uint8Array(valueCount * width)
  for (let byte = 0; byte < width; byte++) {
    const stream = start + byte * valueCount
    for (let i = 0; i < valueCount; i++) joined[i * width + byte] = bytes[stream + i]
  }
  widen(joined, type, target, at, valueCount)
}

function requireBytes(bytes: Uint8Array, start: number, length: number): void {
  if (start + length > bytes.length) throw new Error('a page ends too early')
}
