/** Reads the pages of a column chunk, checks their headers and decompresses them. */
import {
  brotliDecompressSync,
  constants,
  crc32,
  createGunzip,
  createZstdDecompress,
  gunzipSync,
  zstdDecompressSync,
} from 'node:zlib'
import { compressors } from 'hyparquet-compressors'
import type { CompressionCodec, PageHeader } from 'hyparquet'
import { snappyUncompressor } from 'hysnappy'
import { checkPage } from './fileLimits.ts'
import type { ColumnChunk } from './footerRowGroups.ts'
import { cursorAt, readPageHeader } from './hyparquetInternals.ts'
import type { ParquetColumn, ParquetFile } from './parquetFile.ts'

/** The decompressed values of a page; the arrays may be reused for the next page. */
export interface ValuePage {
  kind: 'values' | 'dictionary'
  encoding: string
  /** Number of values in the page, without nulls. */
  valueCount: number
  bytes: Uint8Array
  /** Offset of the values in `bytes`. */
  start: number
}

export interface DataPage extends ValuePage {
  /** Number of rows in the page, nulls included. */
  rows: number
  /** Flags by row: 1 for a value, 0 for null; null if all rows have a value. */
  valid: Uint8Array | null
}

const LONGEST_CHUNK_BYTES = 2 ** 31 - 1
/** Tolerance for writers that do not count the definition levels in the sizes that the footer states. */
const CLAIM_SLACK_BYTES = 64 * 1024

let chunkBuffer = new Uint8Array(0)
let validBuffer = new Uint8Array(0)

/**
 * Returns the compressed bytes of a column in a row group. If the file is not in memory, they are in a buffer that the
 * next call reuses.
 */
export function readChunk(file: ParquetFile, chunk: ColumnChunk): Uint8Array {
  const { data_page_offset: dataAt, dictionary_page_offset: dictionaryAt = 0 } = chunk
  const start = dictionaryAt > 0 ? Math.min(dictionaryAt, dataAt) : dataAt
  const length = chunk.total_compressed_size
  if (!(length >= 0) || length > LONGEST_CHUNK_BYTES || start + length > file.sizeBytes) {
    throw file.damaged('its footer points outside the file')
  }
  const inMemory = file.view(start, length)
  if (inMemory) return inMemory
  if (chunkBuffer.length < length) chunkBuffer = new Uint8Array(Math.ceil(length * 1.25))
  const bytes = chunkBuffer.subarray(0, length)
  file.read(bytes, start)
  return bytes
}

/**
 * Visits the pages of a flat column in one row group.
 * @param isWanted tells whether the rows [from, to) of the group are needed; other pages are not decompressed
 * @param onDictionary null if the dictionary is not needed
 */
export function visitPages(
  bytes: Uint8Array,
  column: ParquetColumn,
  chunk: ColumnChunk,
  groupRows: number,
  isWanted: (from: number, to: number) => boolean,
  onDictionary: ((page: ValuePage) => void) | null,
  onData: (page: DataPage, firstRow: number) => void,
): void {
  const reader = cursorAt(bytes, 0)
  // The footer gives the total size of the pages in the chunk, so a page cannot claim more than is left.
  let claimableBytes = chunk.total_uncompressed_size + CLAIM_SLACK_BYTES
  let hasDictionary = false
  let row = 0
  while (row < groupRows) {
    const header = readPageHeader(bytes, reader)
    const at = reader.offset
    const pagePlace = {
      chunk,
      valueBytes: column.element.type_length ?? 0,
      bytesLeft: bytes.length - at,
      rowsLeft: groupRows - row,
    }
    const count = checkPage(header, pagePlace)
    claimableBytes -= header.uncompressed_page_size
    if (claimableBytes < 0) throw new Error('pages claim more bytes than their column')
    reader.offset += header.compressed_page_size
    const body = bytes.subarray(at, reader.offset)
    if (header.type === 'DICTIONARY_PAGE') {
      if (hasDictionary || row > 0) throw new Error('a column has a second dictionary')
      hasDictionary = true
      checkSum(body, header.crc)
      onDictionary?.(dictionaryPage(body, header, chunk))
    } else if (header.type !== 'INDEX_PAGE') {
      checkLevelEncoding(header, column)
      if (isWanted(row, row + count)) {
        checkSum(body, header.crc)
        const readPage = header.type === 'DATA_PAGE' ? dataPage : dataPageV2
        onData(readPage(body, header, column, chunk), row)
      }
      row += count
    }
  }
}

/** Checks that the definition levels of a page are encoded in the only way that is read. */
function checkLevelEncoding({ data_page_header: page }: PageHeader, { nullable }: ParquetColumn): void {
  if (nullable && page && page.definition_level_encoding !== 'RLE')
    throw new Error(`definition levels have encoding ${page.definition_level_encoding}`)
}

/** Checks the CRC of a page if it has one; few writers add it. */
function checkSum(body: Uint8Array, statedCrc: number | undefined): void {
  if (statedCrc !== undefined && crc32(body) !== statedCrc >>> 0) throw new Error('a page does not match its checksum')
}

function dictionaryPage(body: Uint8Array, header: PageHeader, chunk: ColumnChunk): ValuePage {
  const bytes = decompressPage(chunk.codec, body, header.uncompressed_page_size)
  const valueCount = header.dictionary_page_header?.num_values ?? 0
  return { kind: 'dictionary', encoding: 'PLAIN', valueCount, bytes, start: 0 }
}

function dataPage(body: Uint8Array, header: PageHeader, column: ParquetColumn, chunk: ColumnChunk): DataPage {
  const { num_values: rows, encoding } = header.data_page_header!
  const bytes = decompressPage(chunk.codec, body, header.uncompressed_page_size)
  if (!column.nullable) return { kind: 'values', encoding, rows, valueCount: rows, bytes, start: 0, valid: null }
  const levelBytes = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(0, true)
  const start = 4 + levelBytes
  if (start > bytes.length) throw new Error('definition levels end too late')
  const valid = decodeValidity(bytes, 4, start, rows)
  return { kind: 'values', encoding, rows, valueCount: countValues(valid, rows), bytes, start, valid }
}

function dataPageV2(body: Uint8Array, header: PageHeader, column: ParquetColumn, chunk: ColumnChunk): DataPage {
  const page = header.data_page_header_v2!
  const { num_values: rows, encoding, definition_levels_byte_length: definitionBytes } = page
  const levelBytes = definitionBytes + page.repetition_levels_byte_length
  const valid = column.nullable
    ? decodeValidity(
        body,
        page.repetition_levels_byte_length,
        page.repetition_levels_byte_length + definitionBytes,
        rows,
      )
    : null
  const compressed = body.subarray(levelBytes)
  const isCompressed = page.is_compressed !== false && compressed.length > 0
  const bytes = isCompressed
    ? decompressPage(chunk.codec, compressed, header.uncompressed_page_size - levelBytes)
    : compressed
  return { kind: 'values', encoding, rows, valueCount: countValues(valid, rows), bytes, start: 0, valid }
}

/**
 * Decodes the definition levels of a flat column into flags by row; null if all rows have a value. Most pages have a
 * single run of ones, for which there is a shortcut.
 */
function decodeValidity(bytes: Uint8Array, start: number, end: number, rows: number): Uint8Array | null {
  if (isOneRunOfOnes(bytes, start, end, rows)) return null
  if (validBuffer.length < rows) validBuffer = new Uint8Array(rows * 2)
  visitRuns(bytes, start, end, 1, rows, {
    packed: (offset, at, count) => unpackBits(bytes, offset, 1, validBuffer, at, count),
    repeated(level, at, count) {
      if (level > 1) throw new Error('a definition level is above the maximum')
      validBuffer.fill(level, at, at + count)
    },
  })
  const valid = validBuffer.subarray(0, rows)
  return valid.includes(0) ? valid : null
}

function isOneRunOfOnes(bytes: Uint8Array, start: number, end: number, rows: number): boolean {
  let header = 0
  let at = start
  for (let shift = 0; at < end && shift < 28; shift += 7) {
    const byte = bytes[at++]
    header |= (byte & 0x7f) << shift
    if (byte < 0x80) break
  }
  return (header & 1) === 0 && header >>> 1 >= rows && at < end && bytes[at] === 1
}

function countValues(valid: Uint8Array | null, rows: number): number {
  if (!valid) return rows
  let count = 0
  for (let i = 0; i < rows; i++) count += valid[i]
  return count
}

let snappy: ((input: Uint8Array, outputLength: number) => Uint8Array) | null = null

/**
 * Decompresses the bytes of a page, with Node's own codecs if possible, because they are several times faster than
 * JavaScript.
 */
function decompress(codec: CompressionCodec, bytes: Uint8Array, sizeBytes: number): Uint8Array {
  // A chunk size slightly above the page's size avoids joining several pieces.
  const options = { chunkSize: Math.max(64, sizeBytes + 1), maxOutputLength: Math.max(1, sizeBytes) }
  const decompressWith = (): Uint8Array => {
    if (codec === 'UNCOMPRESSED') return bytes
    if (sizeBytes === 0) return new Uint8Array(0)
    if (codec === 'ZSTD') return zstdDecompressSync(bytes, options)
    if (codec === 'SNAPPY') return (snappy ??= snappyUncompressor())(bytes, sizeBytes)
    if (codec === 'GZIP') return gunzipSync(bytes, options)
    if (codec === 'BROTLI') return brotliDecompressSync(bytes, options)
    const otherDecompressor = compressors[codec]
    if (!otherDecompressor) throw new Error(`compression ${codec} is not supported`)
    return otherDecompressor(bytes, sizeBytes)
  }
  const result = decompressWith()
  if (result.length !== sizeBytes) throw new Error('a page’s length differs from its header')
  return result
}

/** Decompresses a page into memory that the next call may reuse. */
export function decompressPage(codec: CompressionCodec, bytes: Uint8Array, sizeBytes: number): Uint8Array {
  const canReuse = (codec === 'ZSTD' || codec === 'GZIP') && sizeBytes > 0
  return (canReuse ? decompressReused(codec, bytes, sizeBytes) : null) ?? decompress(codec, bytes, sizeBytes)
}

/** Internal handle of Node's zlib streams, used because no public API reads or writes existing memory. */
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
  /** Space left in the output, then bytes of input not read yet. */
  _writeState?: Uint32Array
}

/**
 * A codec of Node that is reused from page to page, because creating one takes longer than decompressing most pages.
 */
export interface NativeCodec {
  handle: NativeHandle
  /** Space left in the output, then bytes of input not read yet. */
  state: Uint32Array
  /** Message of the last failure. A codec that failed may be in an invalid state, so it must not be used again. */
  failure: string | null
}

/** Takes the codec out of a zlib stream; null if this version of Node lacks the internal handle. */
export function nativeCodec(stream: unknown): NativeCodec | null {
  const { _handle: handle, _writeState: state } = stream as NativeStream
  if (typeof handle?.reset !== 'function' || typeof handle.writeSync !== 'function' || !state) return null
  const codec: NativeCodec = { handle: handle as NativeHandle, state, failure: null }
  codec.handle.onerror = (message) => (codec.failure = message)
  return codec
}

interface Codec extends NativeCodec {
  flush: number
  /** True if the codec begins a new page by itself; a reset would take longer than decompressing most pages. */
  resetsItself: boolean
  /** True once it has decompressed a page. */
  isUsed: boolean
}

function codecOf(stream: unknown, flush: number, resetsItself: boolean): Codec | null {
  const codec = nativeCodec(stream)
  return codec && Object.assign(codec, { flush, resetsItself, isUsed: false })
}

const codecMakers = {
  ZSTD: () => codecOf(createZstdDecompress(), constants.ZSTD_e_end, true),
  GZIP: () => codecOf(createGunzip(), constants.Z_SYNC_FLUSH, false),
}

type ReusedCodecName = keyof typeof codecMakers

const codecs = new Map<ReusedCodecName, Codec | null>()
let pageBuffer = new Uint8Array(0)

/**
 * Decompresses a page of known size into memory that the next call reuses, because allocating memory for every page
 * takes longer than decompressing it. Returns null if this version of Node lacks the internal handle; the caller then
 * uses the public functions.
 */
function decompressReused(name: ReusedCodecName, input: Uint8Array, sizeBytes: number): Uint8Array | null {
  let codec = codecs.get(name)
  if (codec === undefined) codecs.set(name, (codec = codecMakers[name]()))
  if (!codec) return null
  if (pageBuffer.length < sizeBytes) pageBuffer = new Uint8Array(Math.ceil(sizeBytes * 1.25))
  if (fillPage(codec, input, sizeBytes)) {
    codec.isUsed = true
    return pageBuffer.subarray(0, sizeBytes)
  }
  // A codec that failed may be in an invalid state, so the next page gets a new one.
  codecs.delete(name)
  // If the previous page was cut off, the codec was still waiting for the rest of it and mistook this page for that
  // rest.
  if (codec.isUsed) return decompressReused(name, input, sizeBytes)
  throw new Error(codec.failure ?? 'a page’s length differs from its header')
}

/**
 * Decompresses the input into the page buffer.
 * @returns whether the page has exactly `sizeBytes` bytes
 */
function fillPage(codec: Codec, input: Uint8Array, sizeBytes: number): boolean {
  const { handle, state, flush } = codec
  codec.failure = null
  if (!codec.resetsItself) handle.reset()
  let [roomLeft, inputLeft] = [sizeBytes, input.length]
  // One call may stop between two blocks of the page, so it is repeated until it makes no progress.
  for (let leftBefore = Infinity; roomLeft + inputLeft < leftBefore && codec.failure === null;) {
    leftBefore = roomLeft + inputLeft
    handle.writeSync(flush, input, input.length - inputLeft, inputLeft, pageBuffer, sizeBytes - roomLeft, roomLeft)
    roomLeft = state[0]
    inputLeft = state[1]
    if (roomLeft + inputLeft === 0) break
  }
  return codec.failure === null && roomLeft === 0 && inputLeft === 0
}

/** Receives the runs of a page; `at` is the position of a run's first value. */
interface RunVisitor {
  /** @param offset first byte of the packed values */
  packed(offset: number, at: number, count: number): void
  repeated(value: number, at: number, count: number): void
}

/**
 * Decodes Parquet's hybrid of repeated and bit-packed runs, used for dictionary indexes, definition levels and
 * booleans.
 */
export function decodeHybridRuns(
  bytes: Uint8Array,
  start: number,
  end: number,
  bitWidth: number,
  target: Int32Array | Uint8Array,
  count: number,
): void {
  visitRuns(bytes, start, end, bitWidth, count, {
    packed: (offset, at, valueCount) => unpackBits(bytes, offset, bitWidth, target, at, valueCount),
    repeated: (value, at, valueCount) => target.fill(value, at, at + valueCount),
  })
}

/** Visits the runs in the bytes [start, end) up to `count` values; throws if the runs end earlier. */
export function visitRuns(
  bytes: Uint8Array,
  start: number,
  end: number,
  bitWidth: number,
  count: number,
  visitor: RunVisitor,
): void {
  if (bitWidth === 0) return visitor.repeated(0, 0, count)
  if (bitWidth > 32) throw new Error(`a bit width of ${bitWidth}`)
  let offset = start
  let done = 0
  while (done < count) {
    let header = 0
    let shift = 0
    let byte: number
    do {
      if (offset >= end) throw new Error('runs end too early')
      byte = bytes[offset++]
      header |= (byte & 0x7f) << shift
      shift += 7
    } while (byte & 0x80)
    if (header & 1) {
      const values = Math.min((header >>> 1) * 8, count - done)
      if (offset + Math.ceil((values * bitWidth) / 8) > end) throw new Error('a bit-packed run ends too early')
      visitor.packed(offset, done, values)
      offset += (header >>> 1) * bitWidth
      done += values
    } else {
      const values = Math.min(header >>> 1, count - done)
      const width = (bitWidth + 7) >> 3
      if (offset + width > end) throw new Error('a repeated run ends too early')
      let value = 0
      for (let i = 0; i < width; i++) value |= bytes[offset++] << (8 * i)
      visitor.repeated(value, done, values)
      done += values
    }
  }
}

/**
 * Unpacks `count` values of `bitWidth` bits each from byte `start` on, and writes them to `target` from index `from`
 * on.
 */
type Unpack = (
  bytes: Uint8Array,
  start: number,
  bitWidth: number,
  target: Int32Array | Uint8Array,
  from: number,
  count: number,
) => void

/** Largest bit width at which a value, with up to 7 bits of the previous one in its first byte, fits into 32 bits. */
export const QUICK_BITS = 25

/** Returns how many of `count` packed values can be read 32 bits at a time; the last ones are too close to the end. */
export const quickCount = (byteLength: number, bitWidth: number, count: number): number =>
  Math.max(0, Math.min(count, Math.floor(((byteLength - 4) * 8) / bitWidth)))

export const unpackBits: Unpack = (bytes, start, bitWidth, target, from, count) => {
  if (bitWidth > QUICK_BITS) {
    unpackWideBits(bytes, start, bitWidth, target, from, count)
    return
  }
  // The last values are read byte by byte, because four bytes from their first one on would exceed the page.
  const view = new DataView(bytes.buffer, bytes.byteOffset + start, bytes.byteLength - start)
  const mask = (1 << bitWidth) - 1
  const quick = quickCount(view.byteLength, bitWidth, count)
  for (let i = 0, bit = 0; i < quick; i++, bit += bitWidth) {
    target[from + i] = (view.getUint32(bit >>> 3, true) >>> (bit & 7)) & mask
  }
  const done = quick * bitWidth
  const restStart = start + (done >>> 3)
  let buffered = bytes[restStart] >>> (done & 7)
  let bits = 8 - (done & 7)
  let at = restStart + 1
  for (let i = quick; i < count; i++) {
    while (bits < bitWidth) {
      buffered |= bytes[at++] << bits
      bits += 8
    }
    target[from + i] = buffered & mask
    buffered >>>= bitWidth
    bits -= bitWidth
  }
}

/** Unpacks values of a width at which a value and the bits before it may exceed 32 bits. */
const unpackWideBits: Unpack = (bytes, start, bitWidth, target, from, count) => {
  for (let i = 0; i < count; i++) {
    const firstBit = i * bitWidth
    let value = 0
    for (let bit = 0; bit < bitWidth; bit++) {
      const position = firstBit + bit
      value |= ((bytes[start + (position >> 3)] >> (position & 7)) & 1) << bit
    }
    target[from + i] = value
  }
}
