import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import type { CompressionCodec } from 'hyparquet'
import { compressors } from 'hyparquet-compressors'
import { snappyUncompressor } from 'hysnappy'
import { decompressReused } from './reusedCodec.ts'

let snappy: ((input: Uint8Array, outputLength: number) => Uint8Array) | null = null

/**
 * Decompresses the bytes of a page. Node's own codecs where it has them: they are several times faster than any in
 * JavaScript.
 */
export function decompress(codec: CompressionCodec, bytes: Uint8Array, sizeBytes: number): Uint8Array {
  // One chunk a little larger than the page comes back as it is; a smaller one would be joined from pieces.
  const options = { chunkSize: Math.max(64, sizeBytes + 1), maxOutputLength: Math.max(1, sizeBytes) }
  const page = (): Uint8Array => {
    if (codec === 'UNCOMPRESSED') return bytes
    if (sizeBytes === 0) return new Uint8Array(0)
    if (codec === 'ZSTD') return zstdDecompressSync(bytes, options)
    if (codec === 'SNAPPY') return (snappy ??= snappyUncompressor())(bytes, sizeBytes)
    if (codec === 'GZIP') return gunzipSync(bytes, options)
    if (codec === 'BROTLI') return brotliDecompressSync(bytes, options)
    const other = compressors[codec]
    if (!other) throw new Error(`compression ${codec} is not supported`)
    return other(bytes, sizeBytes)
  }
  const result = page()
  if (result.length !== sizeBytes) throw new Error('a page has another length than its header says')
  return result
}

/** The same, in memory that the next call may use again. */
export function decompressPage(codec: CompressionCodec, bytes: Uint8Array, sizeBytes: number): Uint8Array {
  const canReuse = (codec === 'ZSTD' || codec === 'GZIP') && sizeBytes > 0
  return (canReuse ? decompressReused(codec, bytes, sizeBytes) : null) ?? decompress(codec, bytes, sizeBytes)
}
