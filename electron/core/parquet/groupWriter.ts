/**
 * Writes row groups of flat columns from typed arrays, several times as fast as the writer that takes any values: it
 * makes no object for a value, and knows what a column holds.
 */
import type { ByteWriter, ParquetWriter } from 'hyparquet-writer'
import type { ColumnChunk, Encoding, Statistics } from 'hyparquet'
import { indexDistinct } from './distinctNumbers.ts'
import { compressPage } from './zstdWriter.ts'

/** A column of a row group, by the name that the schema gives it. */
export type GroupColumn = { name: string } & (
  | { kind: 'times'; timesUs: Float64Array }
  /** NaN and infinities are missing. */
  | { kind: 'numbers'; values: Float64Array<ArrayBuffer> }
  /** Rows by the index of their text; null, or an index below 0, is missing. */
  | { kind: 'texts'; codes: Int32Array; texts: readonly (string | null)[] }
)

/** Bytes of a page, in memory that grows and is kept. */
class PageBytes {
  buffer = Buffer.alloc(0)
  length = 0

  /** Makes room for bytes after those that stand. */
  ensure(bytes: number): void {
    if (this.length + bytes <= this.buffer.length) return
    const larger = Buffer.allocUnsafeSlow(Math.ceil((this.length + bytes) * 1.25))
    larger.set(this.buffer.subarray(0, this.length))
    this.buffer = larger
  }

  get bytes(): Uint8Array {
    return this.buffer.subarray(0, this.length)
  }

  byte(value: number): void {
    this.ensure(1)
    this.buffer[this.length++] = value
  }

  varint(value: number): void {
    for (; value > 127; value >>>= 7) this.byte((value & 127) | 128)
    this.byte(value)
  }
}

const page = new PageBytes()
const levels = new PageBytes()
const dictionaryPage = new PageBytes()
let indexes = new Int32Array(0)
let present = new Float64Array(0)

/** Adds a row group to a file whose schema has these columns in this order: times required, all others optional. */
export function writeGroup(writer: ParquetWriter, bytes: ByteWriter, columns: readonly GroupColumn[]): void {
  const startAt = bytes.offset
  const rows = rowsOf(columns[0])
  if (indexes.length < rows) indexes = new Int32Array(rows)
  const chunks = columns.map((column) => writeChunk(bytes, column, rows))
  writer.num_rows += BigInt(rows)
  writer.row_groups.push({
    columns: chunks,
    num_rows: BigInt(rows),
    total_byte_size: chunks.reduce((sum, chunk) => sum + chunk.meta_data!.total_uncompressed_size, 0n),
    total_compressed_size: BigInt(bytes.offset - startAt),
  })
}

function rowsOf(column: GroupColumn): number {
  if (column.kind === 'times') return column.timesUs.length
  return column.kind === 'numbers' ? column.values.length : column.codes.length
}

/** What was put into the pages of a column, before they are compressed. */
interface FilledPages {
  nulls: number
  isDictionary: boolean
  /** Number of values in the dictionary. */
  distinct: number
  statistics?: Statistics
}

function writeChunk(bytes: ByteWriter, column: GroupColumn, rows: number): ColumnChunk {
  const startAt = bytes.offset
  page.length = levels.length = dictionaryPage.length = 0
  const filled = fillPages(column, rows)
  let plainBytes = 0
  const dictionaryAt = filled.isDictionary ? BigInt(bytes.offset) : undefined
  if (filled.isDictionary) plainBytes += writeDictionaryPage(bytes, filled.distinct)
  const dataAt = BigInt(bytes.offset)
  plainBytes += writeDataPage(bytes, rows, filled)
  const encodings: Encoding[] = filled.isDictionary ? ['PLAIN', 'RLE_DICTIONARY'] : ['PLAIN']
  return {
    file_offset: BigInt(startAt),
    meta_data: {
      type: column.kind === 'times' ? 'INT64' : column.kind === 'numbers' ? 'DOUBLE' : 'BYTE_ARRAY',
      encodings,
      path_in_schema: [column.name],
      codec: 'ZSTD',
      num_values: BigInt(rows),
      total_uncompressed_size: BigInt(plainBytes),
      total_compressed_size: BigInt(bytes.offset - startAt),
      data_page_offset: dataAt,
      ...(dictionaryAt !== undefined && { dictionary_page_offset: dictionaryAt }),
      ...(filled.statistics && { statistics: filled.statistics }),
    },
  }
}

function fillPages(column: GroupColumn, rows: number): FilledPages {
  if (column.kind === 'times') return fillTimes(column.timesUs)
  return column.kind === 'numbers' ? fillNumbers(column.values) : fillTexts(column.codes, column.texts, rows)
}

const TWO_TO_32 = 2 ** 32

/** Puts down whole numbers of 64 bits by their halves; a conversion to big integers would take ten times as long. */
function fillTimes(timesUs: Float64Array): FilledPages {
  page.ensure(8 * timesUs.length)
  const halves = new Int32Array(page.buffer.buffer, page.buffer.byteOffset, 2 * timesUs.length)
  let [least, most] = [Infinity, -Infinity]
  for (let row = 0; row < timesUs.length; row++) {
    const timeUs = timesUs[row]
    if (timeUs < least) least = timeUs
    if (timeUs > most) most = timeUs
    const high = Math.floor(timeUs / TWO_TO_32)
    halves[2 * row] = timeUs - high * TWO_TO_32
    halves[2 * row + 1] = high
  }
  page.length = 8 * timesUs.length
  const statistics = { min_value: BigInt(least), max_value: BigInt(most), null_count: 0n }
  return { nulls: 0, isDictionary: false, distinct: 0, statistics }
}

/** Puts down numbers: as they are, or by a dictionary if that takes less than half of the room. */
function fillNumbers(values: Float64Array<ArrayBuffer>): FilledPages {
  const all = withoutMissing(values)
  const nulls = values.length - all.length
  fillLevels(nulls, values.length, (row) => isFinite(values[row]))
  const firstRows = new Int32Array(all.length >> 1)
  const distinct = indexDistinct(all, indexes, firstRows)
  if (distinct >= 0 && isShorter(8 * distinct, distinct, all.length, 8 * all.length)) {
    numbersTo(
      dictionaryPage,
      Float64Array.from(firstRows.subarray(0, distinct), (row) => all[row]),
    )
    fillIndexes(all.length, distinct)
    return { nulls, isDictionary: true, distinct }
  }
  numbersTo(page, all)
  return { nulls, isDictionary: false, distinct: 0 }
}

function withoutMissing(values: Float64Array<ArrayBuffer>): Float64Array<ArrayBuffer> {
  let count = 0
  // The difference of a number to itself is 0 unless it is NaN or infinite.
  for (let row = 0; row < values.length; row++) if (values[row] - values[row] === 0) count++
  if (count === values.length) return values
  if (present.length < count) present = new Float64Array(values.length)
  count = 0
  for (let row = 0; row < values.length; row++) if (values[row] - values[row] === 0) present[count++] = values[row]
  return present.subarray(0, count)
}

function numbersTo(to: PageBytes, values: Float64Array): void {
  to.ensure(values.byteLength)
  to.buffer.set(new Uint8Array(values.buffer, values.byteOffset, values.byteLength), to.length)
  to.length += values.byteLength
}

/** Tells whether a dictionary and the indexes into it take at most half of the room that the values take. */
const isShorter = (dictionaryBytes: number, distinct: number, count: number, plainBytes: number): boolean =>
  2 * (dictionaryBytes + (count * bitsFor(distinct)) / 8) <= plainBytes

const bitsFor = (distinct: number): number => Math.ceil(Math.log2(Math.max(1, distinct)))

/** Puts down texts by a dictionary of those that occur, or as they are if most of them differ. */
function fillTexts(codes: Int32Array, texts: readonly (string | null)[], rows: number): FilledPages {
  const isPresent = (row: number) => codes[row] >= 0 && texts[codes[row]] !== null
  const indexByCode = new Map<number, number>()
  const encoded: Buffer[] = []
  let [count, plainBytes, dictionaryBytes] = [0, 0, 0]
  let [lastCode, lastIndex] = [-1, -1]
  for (let row = 0; row < rows; row++) {
    const code = codes[row]
    if (code !== lastCode || row === 0) {
      lastCode = code
      lastIndex = isPresent(row) ? (indexByCode.get(code) ?? -1) : -2
      if (lastIndex === -1) {
        indexByCode.set(code, (lastIndex = encoded.length))
        const bytes = Buffer.from(texts[code]!, 'utf8')
        encoded.push(bytes)
        dictionaryBytes += 4 + bytes.length
      }
    }
    if (lastIndex < 0) continue
    indexes[count++] = lastIndex
    plainBytes += 4 + encoded[lastIndex].length
  }
  const nulls = rows - count
  fillLevels(nulls, rows, isPresent)
  const statistics = { ...extremes(encoded), null_count: BigInt(nulls) }
  const isDictionary = count > 0 && isShorter(dictionaryBytes, encoded.length, count, plainBytes)
  if (isDictionary) {
    for (const text of encoded) textTo(dictionaryPage, text)
    fillIndexes(count, encoded.length)
  } else for (let at = 0; at < count; at++) textTo(page, encoded[indexes[at]])
  return { nulls, isDictionary, distinct: isDictionary ? encoded.length : 0, statistics }
}

/** Finds the first and the last text in the order of their bytes. */
function extremes(texts: readonly Buffer[]): { min_value?: Uint8Array; max_value?: Uint8Array } {
  if (texts.length === 0) return {}
  let [least, most] = [texts[0], texts[0]]
  for (const text of texts) {
    if (text.compare(least) < 0) least = text
    if (text.compare(most) > 0) most = text
  }
  return { min_value: least, max_value: most }
}

function textTo(to: PageBytes, text: Buffer): void {
  to.ensure(4 + text.length)
  to.length = to.buffer.writeUInt32LE(text.length, to.length)
  to.buffer.set(text, to.length)
  to.length += text.length
}

/** Puts down which rows of an optional column have a value. */
function fillLevels(nulls: number, rows: number, isPresent: (row: number) => boolean): void {
  if (nulls === 0) return runTo(levels, 1, rows, 1)
  const flags = new Uint8Array(rows)
  for (let row = 0; row < rows; row++) flags[row] = isPresent(row) ? 1 : 0
  hybridTo(levels, flags, rows, 1)
}

function fillIndexes(count: number, distinct: number): void {
  const bitWidth = bitsFor(distinct)
  page.byte(bitWidth)
  hybridTo(page, indexes, count, bitWidth)
}

/** Rows from which equal values are a run. */
const RUN_ROWS = 8

/** Puts down small whole numbers: runs of equal ones by their length, others packed in groups of eight. */
function hybridTo(to: PageBytes, values: Uint8Array | Int32Array, count: number, bitWidth: number): void {
  let packedFrom = 0
  for (let at = 0; at < count;) {
    let end = at + 1
    while (end < count && values[end] === values[at]) end++
    if (end - at < RUN_ROWS) {
      at += 8
      continue
    }
    packedTo(to, values, packedFrom, at, bitWidth)
    runTo(to, values[at], end - at, bitWidth)
    packedFrom = at = end
  }
  packedTo(to, values, packedFrom, count, bitWidth)
}

function runTo(to: PageBytes, value: number, count: number, bitWidth: number): void {
  to.varint(count * 2)
  for (let shift = 0; shift < bitWidth; shift += 8) to.byte((value >> shift) & 255)
}

/** Packs values in groups of eight; only the last group of a column may be filled up. */
function packedTo(to: PageBytes, values: Uint8Array | Int32Array, from: number, end: number, bitWidth: number): void {
  if (end <= from) return
  const groups = Math.ceil((end - from) / 8)
  to.varint(groups * 2 + 1)
  to.ensure(groups * bitWidth)
  const { buffer } = to
  let at = to.length
  let [bits, bitCount] = [0, 0]
  for (let place = from; place < from + 8 * groups; place++) {
    bits |= (place < end ? values[place] : 0) << bitCount
    for (bitCount += bitWidth; bitCount >= 8; bitCount -= 8) {
      buffer[at++] = bits & 255
      bits >>>= 8
    }
  }
  to.length = at
}

/** Numbers that the format has for kinds of pages, and for encodings. */
const DICTIONARY_PAGE = 2
const DATA_PAGE_V2 = 3
const PLAIN = 0
const RLE_DICTIONARY = 8
/** Headers of fields in a page header: the distance to the field before, and that it is an integer or a structure. */
const NEXT_INT = 0x15
const DICTIONARY_FIELD = 0x4c
const DATA_FIELD = 0x5c
const STOP = 0

function writeHeader(bytes: ByteWriter, kind: number, sizes: readonly number[], detail: readonly number[]): number {
  const startAt = bytes.offset
  const integers = (values: readonly number[]) => {
    for (const value of values) {
      bytes.appendUint8(NEXT_INT)
      bytes.appendZigZag(value)
    }
  }
  integers([kind, ...sizes])
  bytes.appendUint8(kind === DICTIONARY_PAGE ? DICTIONARY_FIELD : DATA_FIELD)
  integers(detail)
  bytes.appendUint8(STOP)
  bytes.appendUint8(STOP)
  return bytes.offset - startAt
}

/** @returns the size of the page before it is compressed, with its header */
function writeDictionaryPage(bytes: ByteWriter, distinct: number): number {
  const packed = compressPage(dictionaryPage.bytes)
  const header = writeHeader(bytes, DICTIONARY_PAGE, [dictionaryPage.length, packed.length], [distinct, PLAIN])
  bytes.appendBytes(packed)
  return header + dictionaryPage.length
}

/** @returns the size of the page before it is compressed, with its header */
function writeDataPage(bytes: ByteWriter, rows: number, { nulls, isDictionary }: FilledPages): number {
  const packed = compressPage(page.bytes)
  const header = writeHeader(
    bytes,
    DATA_PAGE_V2,
    [levels.length + page.length, levels.length + packed.length],
    [rows, nulls, rows, isDictionary ? RLE_DICTIONARY : PLAIN, levels.length, 0],
  )
  bytes.appendBytes(levels.bytes)
  bytes.appendBytes(packed)
  return header + levels.length + page.length
}
