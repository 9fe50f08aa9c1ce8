import { zstdCompressSync } from 'node:zlib'
import type { SchemaElement } from 'hyparquet'
import { ByteWriter, ParquetWriter } from 'hyparquet-writer'

/** Creates a writer of a Parquet file with zstd pages, and the buffer that receives its bytes. */
export function createZstdWriter(
  columns: readonly SchemaElement[],
  metadata: Readonly<Record<string, string>> = {},
): { bytes: ByteWriter; writer: ParquetWriter } {
  const bytes = new ByteWriter()
  const writer = new ParquetWriter({
    writer: bytes,
    codec: 'ZSTD',
    // Node appends an empty frame if the packed page fills its chunk exactly, so the chunk is always larger.
    compressors: { ZSTD: (page) => zstdCompressSync(page, { chunkSize: page.length + 4096 }) },
    createdBy: 'perpscope',
    kvMetadata: Object.entries(metadata).map(([key, value]) => ({ key, value })),
    schema: [{ name: 'schema', num_children: columns.length }, ...columns],
  })
  return { bytes, writer }
}
