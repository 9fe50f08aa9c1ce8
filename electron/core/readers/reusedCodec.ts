import { constants, createGunzip, createZstdDecompress } from 'node:zlib'

/** Internal handle of Node's zlib streams, used because there is no public way to decompress into existing memory. */
interface NativeHandle {
  reset(): void
  writeSync(
    flush: number,
    input: Uint8Array,
    inputAt: number,
    inputLength: number,
    output: Uint8Array,
    outputAt: number,
    outputLength: number,
  ): void
  onerror: (message: string) => void
}

interface NativeStream {
  _handle?: Partial<NativeHandle> | null
  /** Room left in the output, then input not read yet. */
  _writeState?: Uint32Array
}

interface Codec {
  handle: NativeHandle
  state: Uint32Array
  flush: number
  failed: string | null
}

function codecOf(create: () => unknown, flush: number): Codec | null {
  const { _handle: handle, _writeState: state } = create() as NativeStream
  if (typeof handle?.reset !== 'function' || typeof handle.writeSync !== 'function' || !state) return null
  const codec: Codec = { handle: handle as NativeHandle, state, flush, failed: null }
  codec.handle.onerror = (message) => (codec.failed = message)
  return codec
}

const makers = {
  ZSTD: () => codecOf(createZstdDecompress, constants.ZSTD_e_end),
  GZIP: () => codecOf(createGunzip, constants.Z_SYNC_FLUSH),
}

export type ReusedCodecName = keyof typeof makers

const codecs = new Map<ReusedCodecName, Codec | null>()
let page = new Uint8Array(0)

/**
 * Decompresses a page of known size into memory that the next call reuses, because fresh memory for every page costs
 * more than decompressing it. Null where this Node has no such way in; then the public functions must do.
 */
export function decompressReused(name: ReusedCodecName, input: Uint8Array, sizeBytes: number): Uint8Array | null {
  let codec = codecs.get(name)
  if (codec === undefined) codecs.set(name, (codec = makers[name]()))
  if (!codec) return null
  if (page.length < sizeBytes) page = new Uint8Array(Math.ceil(sizeBytes * 1.25))
  codec.failed = null
  codec.handle.reset()
  codec.handle.writeSync(codec.flush, input, 0, input.length, page, 0, sizeBytes)
  const [roomLeft, inputLeft] = codec.state
  if (codec.failed === null && roomLeft === 0 && inputLeft === 0) return page.subarray(0, sizeBytes)
  // A codec that met an error is not to be trusted with the next page.
  codecs.delete(name)
  throw new Error(codec.failed ?? 'a page has another length than its header says')
}
