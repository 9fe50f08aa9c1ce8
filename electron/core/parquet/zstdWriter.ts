import { constants, createZstdCompress, zstdCompressSync } from 'node:zlib'
import type { SchemaElement } from 'hyparquet'
import { ByteWriter, ParquetWriter } from 'hyparquet-writer'
import { type NativeCodec, nativeCodec } from './columnPages.ts'

/** Longest page that is compressed into kept memory; a dictionary of texts can be much longer. */
const MOST_KEPT_BYTES = 4 * 1024 * 1024

let codec: NativeCodec | null | undefined
let packedBuffer = new Uint8Array(0)

/** Compresses a page with zstd, into memory that the next call may reuse. */
export function compressPage(page: Uint8Array): Uint8Array {
  // Node appends an empty frame if the packed page fills its room exactly, so the room is always larger.
  const roomBytes = page.length + 4096
  if (codec === undefined) codec = nativeCodec(createZstdCompress())
  if (codec && roomBytes <= MOST_KEPT_BYTES) {
    if (packedBuffer.length < roomBytes) packedBuffer = new Uint8Array(Math.ceil(roomBytes * 1.25))
    const { handle, state } = codec
    handle.writeSync(constants.ZSTD_e_end, page, 0, page.length, packedBuffer, 0, roomBytes)
    const [roomLeft, inputLeft] = state
    if (codec.failure === null && inputLeft === 0 && roomLeft > 0) return packedBuffer.subarray(0, roomBytes - roomLeft)
    codec = undefined
  }
  return zstdCompressSync(page, { chunkSize: roomBytes })
}

/** A column of a file that is written, with its type. */
export type SchemaColumn = SchemaElement

/**
 * Creates a writer of a Parquet file with zstd pages, and the buffer that receives its bytes. Columns of lists and
 * structs are followed by their parts; `columnCount` counts only the columns.
 */
export function createZstdWriter(
  columns: readonly SchemaColumn[],
  metadata: Readonly<Record<string, string>> = {},
  columnCount = columns.length,
): { bytes: ByteWriter; writer: ParquetWriter } {
  const bytes = new ByteWriter()
  const writer = new ParquetWriter({
    writer: bytes,
    codec: 'ZSTD',
    compressors: { ZSTD: compressPage },
    createdBy: 'perpscope',
    kvMetadata: Object.entries(metadata).map(([key, value]) => ({ key, value })),
    schema: [{ name: 'schema', num_children: columnCount }, ...columns],
  })
  return { bytes, writer }
}
