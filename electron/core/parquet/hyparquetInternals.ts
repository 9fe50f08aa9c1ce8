/**
 * This file holds every import of a private path of hyparquet, because the package promises only its root export and may move or
 * change these functions in any release. `test/unit/readers/hyparquetInternals.test.ts` fails when an update does.
 */
import type { ColumnMetaData, CompressionCodec, PageHeader, SchemaElement } from 'hyparquet'
import { parquetHeader, readColumn } from 'hyparquet/src/column.js'
import { DEFAULT_PARSERS } from 'hyparquet/src/convert.js'
import { deltaBinaryUnpack, deltaByteArray, deltaLengthByteArray } from 'hyparquet/src/delta.js'
import { getSchemaPath } from 'hyparquet/src/schema.js'

/** Bytes with the position of the next read, which the functions below advance. */
export interface ByteCursor {
  view: DataView<ArrayBufferLike>
  offset: number
}

export const cursorAt = (bytes: Uint8Array, offset: number): ByteCursor => ({
  view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength),
  offset,
})

/** Reads a page header and leaves the cursor at the page's first byte. */
export const readPageHeader = (cursor: ByteCursor): PageHeader => parquetHeader(cursor)

/** Decodes `count` integers of encoding DELTA_BINARY_PACKED. */
export function decodeDeltaIntegers(cursor: ByteCursor, count: number, target: Int32Array | BigInt64Array): void {
  deltaBinaryUnpack(cursor, count, target)
}

/** Decodes `count` byte strings; null where hyparquet has no decoder for the encoding. */
export function decodeDeltaBytes(cursor: ByteCursor, encoding: string, count: number): Uint8Array[] | null {
  const values = new Array<Uint8Array>(count)
  if (encoding === 'DELTA_LENGTH_BYTE_ARRAY') deltaLengthByteArray(cursor, count, values)
  else if (encoding === 'DELTA_BYTE_ARRAY') deltaByteArray(cursor, count, values)
  else return null
  return values
}

export interface ConvertibleChunk {
  bytes: Uint8Array
  chunk: ColumnMetaData
  element: SchemaElement
  schema: SchemaElement[]
  groupRows: number
}

type Decompress = (codec: CompressionCodec, bytes: Uint8Array, sizeBytes: number) => Uint8Array

const codecs = ['SNAPPY', 'GZIP', 'ZSTD', 'BROTLI', 'LZ4', 'LZ4_RAW'] as const

/** Decodes a column chunk into JavaScript values by hyparquet's general decoder; `skipped` rows precede the first part. */
export function decodeConvertedChunk(
  { bytes, chunk, element, schema, groupRows }: ConvertibleChunk,
  decompress: Decompress,
): { data: ArrayLike<unknown>[]; skipped: number } {
  return readColumn(
    cursorAt(bytes, 0),
    { groupStart: 0, selectStart: 0, selectEnd: groupRows, groupRows },
    {
      pathInSchema: chunk.path_in_schema,
      type: chunk.type,
      element,
      schemaPath: getSchemaPath(schema, chunk.path_in_schema),
      codec: chunk.codec,
      parsers: DEFAULT_PARSERS,
      compressors: Object.fromEntries(
        codecs.map((codec) => [codec, (packed: Uint8Array, sizeBytes: number) => decompress(codec, packed, sizeBytes)]),
      ),
    },
  )
}
