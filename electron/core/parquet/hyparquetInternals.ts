/**
 * Contains every import of a private path of hyparquet, because the package guarantees only its root export and may
 * move or change these functions in any release. `test/unit/parquet/hyparquetInternals.test.ts` fails if an update
 * does. Each function is wrapped in the checks that it lacks, because it trusts every length and count in the file.
 */
import type { PageHeader, ParquetType, SchemaElement } from 'hyparquet'
import { parquetHeader } from 'hyparquet/src/column.js'
import { convert, DEFAULT_PARSERS } from 'hyparquet/src/convert.js'
import { deltaBinaryUnpack } from 'hyparquet/src/delta.js'
import { byteStreamSplit } from 'hyparquet/src/encoding.js'
import { readPlain } from 'hyparquet/src/plain.js'
import { checkDeltaBlocks } from './fileLimits.ts'
import { checkPageHeaderShape } from './thriftShape.ts'

/** Bytes with a read position, which the functions below advance. */
export interface ByteCursor {
  view: DataView<ArrayBufferLike>
  offset: number
}

export const cursorAt = (bytes: Uint8Array, offset: number): ByteCursor => ({
  view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength),
  offset,
})

const bytesOf = ({ view }: ByteCursor) => new Uint8Array(view.buffer, view.byteOffset, view.byteLength)

/** Reads a page header and leaves the cursor at the page's first byte. */
export function readPageHeader(cursor: ByteCursor): PageHeader {
  checkPageHeaderShape(bytesOf(cursor), cursor.offset)
  return parquetHeader(cursor)
}

/** Decodes `count` integers of encoding DELTA_BINARY_PACKED. */
export function decodeDeltaIntegers(cursor: ByteCursor, count: number, target: Int32Array | BigInt64Array): void {
  if (count === 0) return
  checkDeltaBlocks(bytesOf(cursor), cursor.offset, count)
  deltaBinaryUnpack(cursor, count, target)
}

/** Most bytes that byte strings may share with their predecessors, per value and per byte of the page. */
const SHARED_BYTES_PER_VALUE = 64
const SHARED_BYTES_PER_BYTE = 64

/** Decodes `count` byte strings; null if the encoding is not one for byte strings. */
export function decodeDeltaBytes(cursor: ByteCursor, encoding: string, count: number): Uint8Array[] | null {
  if (encoding !== 'DELTA_LENGTH_BYTE_ARRAY' && encoding !== 'DELTA_BYTE_ARRAY') return null
  const shared = encoding === 'DELTA_BYTE_ARRAY' ? decodeLengths(cursor, count) : null
  const lengths = decodeLengths(cursor, count)
  const bytes = bytesOf(cursor)
  let mostShared = SHARED_BYTES_PER_VALUE * count + SHARED_BYTES_PER_BYTE * bytes.length
  let previous: Uint8Array = new Uint8Array(0)
  return Array.from(lengths, (length, index) => {
    const end = cursor.offset + length
    if (length < 0 || end > bytes.length) throw new Error('a text ends too late')
    const own = bytes.subarray(cursor.offset, end)
    cursor.offset = end
    const prefix = shared?.[index] ?? 0
    if (prefix < 0 || prefix > previous.length) throw new Error('a text repeats more of the previous one than it has')
    mostShared -= prefix
    if (mostShared < 0) throw new Error('texts repeat each other more than is plausible')
    return (previous = prefix === 0 ? own : joined(previous.subarray(0, prefix), own))
  })
}

function decodeLengths(cursor: ByteCursor, count: number): Int32Array {
  const lengths = new Int32Array(count)
  decodeDeltaIntegers(cursor, count, lengths)
  return lengths
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
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

/** Longest decimal in bytes, because hyparquet's conversion takes quadratic time. */
const LONGEST_DECIMAL = 64

/** Converts physical values to the column's logical type. */
export function convertValues(values: ArrayLike<unknown>, element: SchemaElement): ArrayLike<unknown> {
  if (element.converted_type === 'DECIMAL')
    for (let index = 0; index < values.length; index++) {
      const value = values[index]
      if (value instanceof Uint8Array && value.length > LONGEST_DECIMAL) throw new Error('a decimal is too long')
    }
  return convert(values as Parameters<typeof convert>[0], {
    pathInSchema: [element.name],
    type: element.type!,
    element,
    schemaPath: [],
    codec: 'UNCOMPRESSED',
    parsers: DEFAULT_PARSERS,
  })
}
