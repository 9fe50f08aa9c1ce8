import type { ColumnMetaData } from 'hyparquet'
import { readColumn } from 'hyparquet/src/column.js'
import { DEFAULT_PARSERS } from 'hyparquet/src/convert.js'
import { getSchemaPath } from 'hyparquet/src/schema.js'
import type { GroupRows } from './chunkNumbers.ts'
import { readChunk } from './columnPages.ts'
import { decompress } from './decompress.ts'
import type { ParquetColumn, ParquetFile } from './parquetFile.ts'

const compressors = Object.fromEntries(
  (['SNAPPY', 'GZIP', 'ZSTD', 'BROTLI', 'LZ4', 'LZ4_RAW'] as const).map((codec) => [
    codec,
    (bytes: Uint8Array, sizeBytes: number) => decompress(codec, bytes, sizeBytes),
  ]),
)

/** Rows of types that are not simply numbers (decimals, unsigned integers, …), by the library's own slower decoder. */
export function readUnusualChunk(
  file: ParquetFile,
  column: ParquetColumn,
  chunk: ColumnMetaData,
  { from, to, groupRows, at }: GroupRows,
  values: Float64Array,
  valid: Uint8Array | null,
): number {
  if (chunk.path_in_schema.length !== 1) throw new Error('nested columns are not supported')
  const bytes = readChunk(file, chunk)
  const { data, skipped } = readColumn(
    { view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), offset: 0 },
    { groupStart: 0, selectStart: 0, selectEnd: groupRows, groupRows },
    {
      pathInSchema: chunk.path_in_schema,
      type: chunk.type,
      element: column.element,
      schemaPath: getSchemaPath(file.metadata.schema, chunk.path_in_schema),
      codec: chunk.codec,
      parsers: DEFAULT_PARSERS,
      compressors,
    },
  )
  let nulls = 0
  let row = skipped
  for (const part of data) {
    for (let i = 0; i < part.length; i++, row++) {
      if (row < from || row >= to) continue
      const value: unknown = part[i]
      const target = at + row - from
      if (typeof value === 'number' || typeof value === 'bigint') {
        values[target] = Number(value)
      } else if (value === null || value === undefined) {
        values[target] = NaN
        if (valid) valid[target] = 0
        nulls++
      } else {
        throw new Error('its values are not numbers')
      }
    }
  }
  return nulls
}
