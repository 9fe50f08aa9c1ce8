/**
 * Contains every import of a private path of hyparquet, because the package guarantees only its root export and may
 * move or change these functions in any release. `test/unit/parquet/hyparquetInternals.test.ts` fails if an update
 * has done so. A function that trusts a length or count in the file without checking it is wrapped in that check.
 */
import type { PageHeader, ParquetType, SchemaElement, Statistics } from 'hyparquet'
import { parquetHeader } from 'hyparquet/src/column.js'
import { CompressionCodecs, Encodings, PageTypes, ParquetTypes } from 'hyparquet/src/constants.js'
import { convert, DEFAULT_PARSERS } from 'hyparquet/src/convert.js'
import { deltaBinaryUnpack } from 'hyparquet/src/delta.js'
import { byteStreamSplit } from 'hyparquet/src/encoding.js'
import { convertMetadata } from 'hyparquet/src/metadata.js'
import { readPlain } from 'hyparquet/src/plain.js'
import { checkDeltaBlocks, isDecimal } from './fileLimits.ts'
import { checkPageHeaderShape } from './thriftShape.ts'

/** Bytes with a read position, which the functions below advance. */
interface ByteCursor {
  view: DataView<ArrayBufferLike>
  offset: number
}

export const cursorAt = (bytes: Uint8Array, offset: number): ByteCursor => ({
  view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength),
  offset,
})

const bytesOf = ({ view }: ByteCursor) => new Uint8Array(view.buffer, view.byteOffset, view.byteLength)

/** Names of types and codecs, by their number in a file. */
export const physicalTypeNames = ParquetTypes
export const codecNames = CompressionCodecs

/** Parsers that leave the times in statistics as integers, because dates would lose the microseconds. */
const exactParsers = {
  ...DEFAULT_PARSERS,
  dateFromDays: (days: number) => days,
  timestampFromMilliseconds: (value: bigint) => value,
  timestampFromMicroseconds: (value: bigint) => value,
  timestampFromNanoseconds: (value: bigint) => value,
}

/** Reads a bound that a footer states for the values of a column. */
export const statedBound = (value: Uint8Array, column: SchemaElement): Statistics['min'] =>
  isDecimal(column)
    ? decimalNumbers([unscaledBound(value, column)], column)[0]
    : convertMetadata(value, column, exactParsers)

/** Reads the integer of a decimal bound, which is little-endian only where the column's values are. */
function unscaledBound(value: Uint8Array, { type }: SchemaElement): Uint8Array | number | bigint {
  const view = new DataView(value.buffer, value.byteOffset, value.byteLength)
  if (type === 'INT32' && value.length === 4) return view.getInt32(0, true)
  return type === 'INT64' && value.length === 8 ? view.getBigInt64(0, true) : value
}

/**
 * Field headers of the compact protocol: the high four bits are added to the last field's number, the low ones are a
 * type.
 */
const STOP = 0x00
const NEXT_TRUE = 0x11
const NEXT_FALSE = 0x12
const NEXT_INT = 0x15
/** Type of a structure, without the high bits. */
const STRUCT = 0x0c
// Numbers of the fields of a page header that describe each type of page in detail.
const DATA_PAGE = 5
const DICTIONARY_PAGE = 7
const DATA_PAGE_V2 = 8

/**
 * Bytes of the column chunk whose page header is being read. The functions share this variable and the two below,
 * because only one header is read at a time.
 */
let bytes: Uint8Array = new Uint8Array(0)
/** Position in the chunk of the next byte of the header. */
let at = 0
/** False if anything in the header has an unusual form. */
let isUsual = true

/**
 * Reads a page header at the cursor's position in the chunk, and moves the cursor to the first byte of the page.
 * Headers in the form that nearly all writers use are read in one pass, because a file of small row groups has
 * thousands of them.
 */
export function readPageHeader(chunk: Uint8Array, cursor: ByteCursor): PageHeader {
  bytes = chunk
  at = cursor.offset
  isUsual = true
  const header = usualHeader()
  if (!isUsual || at > bytes.length) return readAnyPageHeader(cursor)
  cursor.offset = at
  return header
}

function usualHeader(): PageHeader {
  const type = PageTypes[readInt()]
  const uncompressed = readInt()
  const compressed = readInt()
  const hasSum = bytes[at] === NEXT_INT
  const crc = hasSum ? readInt() : undefined
  const field = (hasSum ? 4 : 3) + (bytes[at] >> 4)
  if ((bytes[at++] & 0x0f) !== STRUCT) isUsual = false
  const header: PageHeader = { type, uncompressed_page_size: uncompressed, compressed_page_size: compressed, crc }
  if (type === 'DATA_PAGE' && field === DATA_PAGE) header.data_page_header = dataPage()
  else if (type === 'DATA_PAGE_V2' && field === DATA_PAGE_V2) header.data_page_header_v2 = dataPageV2()
  else if (type === 'DICTIONARY_PAGE' && field === DICTIONARY_PAGE) header.dictionary_page_header = dictionaryPage()
  else isUsual = false
  readStop()
  return header
}

function dataPage(): PageHeader['data_page_header'] {
  const page = {
    num_values: readInt(),
    encoding: Encodings[readInt()],
    definition_level_encoding: Encodings[readInt()],
    repetition_level_encoding: Encodings[readInt()],
  }
  readStop()
  return page
}

function dataPageV2(): PageHeader['data_page_header_v2'] {
  const page = {
    num_values: readInt(),
    num_nulls: readInt(),
    num_rows: readInt(),
    encoding: Encodings[readInt()],
    definition_levels_byte_length: readInt(),
    repetition_levels_byte_length: readInt(),
    is_compressed: readFlag() ?? true,
  }
  readStop()
  return page
}

function dictionaryPage(): PageHeader['dictionary_page_header'] {
  const page = { num_values: readInt(), encoding: Encodings[readInt()], is_sorted: readFlag() }
  readStop()
  return page
}

/** Reads the next field; if it is not an integer of at most four bytes, the header is unusual. */
function readInt(): number {
  if (bytes[at++] !== NEXT_INT) isUsual = false
  let value = 0
  for (let shift = 0; shift < 28; shift += 7) {
    const byte = bytes[at++]
    value |= (byte & 0x7f) << shift
    if (byte < 0x80) return (value >>> 1) ^ -(value & 1)
  }
  isUsual = false
  return 0
}

/** Reads the next field if it is a boolean; undefined if it is not. */
function readFlag(): boolean | undefined {
  if (bytes[at] !== NEXT_TRUE && bytes[at] !== NEXT_FALSE) return undefined
  return bytes[at++] === NEXT_TRUE
}

function readStop(): void {
  if (bytes[at++] !== STOP) isUsual = false
}

/** Reads a page header of any kind and leaves the cursor at the page's first byte. */
export function readAnyPageHeader(cursor: ByteCursor): PageHeader {
  checkPageHeaderShape(bytesOf(cursor), cursor.offset)
  return parquetHeader(cursor)
}

/** Decodes `count` integers of encoding DELTA_BINARY_PACKED. */
export function decodeDeltaIntegers(cursor: ByteCursor, count: number, target: Int32Array | BigInt64Array): void {
  if (count === 0) return
  checkDeltaBlocks(bytesOf(cursor), cursor.offset, count)
  deltaBinaryUnpack(cursor, count, target)
}

// The byte strings of a page may share bytes with their predecessors: in total the first limit for each value plus the
// second limit for each byte of the page.
const SHARED_BYTES_PER_VALUE = 64
const SHARED_BYTES_PER_BYTE = 64

/** Decodes `count` byte strings; null if the encoding is not one of the two delta encodings for byte strings. */
export function decodeDeltaBytes(cursor: ByteCursor, encoding: string, count: number): Uint8Array[] | null {
  if (encoding !== 'DELTA_LENGTH_BYTE_ARRAY' && encoding !== 'DELTA_BYTE_ARRAY') return null
  const sharedLengths = encoding === 'DELTA_BYTE_ARRAY' ? decodeLengths(cursor, count) : null
  const lengths = decodeLengths(cursor, count)
  const bytes = bytesOf(cursor)
  let mostSharedBytes = SHARED_BYTES_PER_VALUE * count + SHARED_BYTES_PER_BYTE * bytes.length
  let previous: Uint8Array = new Uint8Array(0)
  return Array.from(lengths, (length, index) => {
    const end = cursor.offset + length
    if (length < 0 || end > bytes.length) throw new Error('a text ends too late')
    const suffix = bytes.subarray(cursor.offset, end)
    cursor.offset = end
    const prefix = sharedLengths?.[index] ?? 0
    if (prefix < 0 || prefix > previous.length) throw new Error('a text repeats more of the previous one than it has')
    mostSharedBytes -= prefix
    if (mostSharedBytes < 0) throw new Error('texts repeat each other more than is plausible')
    return (previous = prefix === 0 ? suffix : concatenate(previous.subarray(0, prefix), suffix))
  })
}

function decodeLengths(cursor: ByteCursor, count: number): Int32Array {
  const lengths = new Int32Array(count)
  decodeDeltaIntegers(cursor, count, lengths)
  return lengths
}

function concatenate(first: Uint8Array, second: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(first.length + second.length)
  bytes.set(first)
  bytes.set(second, first.length)
  return bytes
}

/** Decodes `count` PLAIN values with hyparquet's general decoder. */
export function decodePlainValues(
  cursor: ByteCursor,
  type: ParquetType,
  count: number,
  valueBytes: number | undefined,
): ArrayLike<unknown> {
  const values = readPlain(cursor, type, count, valueBytes)
  if (cursor.offset > cursor.view.byteLength) throw new Error('a page ends too early')
  return values
}

/** Decodes `count` BYTE_STREAM_SPLIT values with hyparquet's general decoder. */
export const decodeSplitValues = (
  cursor: ByteCursor,
  type: ParquetType,
  count: number,
  valueBytes: number | undefined,
): ArrayLike<unknown> => byteStreamSplit(cursor, count, type, valueBytes)

/** Maximum length of a decimal in bytes, because the time of its conversion grows with its square. */
const LONGEST_DECIMAL = 64
/** Largest power of ten that a double holds exactly. */
const LARGEST_EXACT_POWER = 22
const powersOfTen = Float64Array.from({ length: LARGEST_EXACT_POWER + 1 }, (_, exponent) => Number(`1e${exponent}`))

/** Converts the integers of which a decimal column consists to the nearest doubles of the decimals. */
function decimalNumbers(values: ArrayLike<unknown>, element: SchemaElement): number[] {
  const scale = scaleOf(element)
  return Array.from(values, (value) => {
    if (value instanceof Uint8Array) return nearestDouble(bigEndianInteger(value), scale)
    if (typeof value === 'number' || typeof value === 'bigint') return nearestDouble(value, scale)
    throw new Error('its values are not numbers')
  })
}

function scaleOf({ scale, logical_type: logical }: SchemaElement): number {
  return (logical?.type === 'DECIMAL' ? logical.scale : scale) ?? 0
}

/** Reads a signed integer of any length whose first byte is the highest. */
function bigEndianInteger(bytes: Uint8Array): number | bigint {
  if (bytes.length > LONGEST_DECIMAL) throw new Error('a decimal is too long')
  if (bytes.length === 0) return 0
  // Numbers of up to six bytes are exact as doubles.
  if (bytes.length <= 6) return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).readIntBE(0, bytes.length)
  return BigInt.asIntN(bytes.length * 8, BigInt(`0x${Buffer.from(bytes).toString('hex')}`))
}

/**
 * Returns the double nearest to `unscaled` / 10^`scale`. A division of two exact doubles rounds once; a multiplication
 * by 10^−scale, which no double holds, would round twice.
 */
function nearestDouble(unscaled: number | bigint, scale: number): number {
  const rounded = Number(unscaled)
  if (Math.abs(rounded) <= Number.MAX_SAFE_INTEGER && scale >= 0 && scale <= LARGEST_EXACT_POWER)
    return rounded / powersOfTen[scale]
  return Number(`${unscaled}e${-scale}`)
}

/** Converts physical values to the column's logical type. */
export function convertValues(values: ArrayLike<unknown>, element: SchemaElement): ArrayLike<unknown> {
  if (isDecimal(element)) return decimalNumbers(values, element)
  return convert(values as Parameters<typeof convert>[0], {
    pathInSchema: [element.name],
    type: element.type!,
    element,
    schemaPath: [],
    codec: 'UNCOMPRESSED',
    parsers: DEFAULT_PARSERS,
  })
}
