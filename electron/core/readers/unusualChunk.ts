import type { ColumnMetaData } from 'hyparquet'
import type { GroupRows } from './chunkNumbers.ts'
import { readChunk } from './columnPages.ts'
import { decompress } from './decompress.ts'
import { decodeConvertedChunk } from './hyparquetInternals.ts'
import type { ParquetColumn, ParquetFile } from './parquetFile.ts'

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
  const { data, skipped } = decodeConvertedChunk(
    { bytes, chunk, element: column.element, schema: file.metadata.schema, groupRows },
    decompress,
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
