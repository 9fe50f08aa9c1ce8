/**
 * Decodes the texts of a column chunk into codes; equal texts have equal codes, even across files that share a
 * dictionary.
 */
import { decodeIndexes, type GroupRows, isDictionaryEncoding, visitIndexes } from './decodeNumbers.ts'
import { type DataPage, readChunk, type ValuePage, visitPages } from './columnPages.ts'
import type { ColumnChunk } from './footerRowGroups.ts'
import { cursorAt, decodeDeltaBytes } from './hyparquetInternals.ts'
import type { ParquetColumn, ParquetFile } from './parquetFile.ts'

/** Receives the pages of a text column that is read; their bytes are overwritten by the next page. */
export interface TextPages {
  onDictionary(page: ValuePage): void
  onData(page: DataPage): void
}

/**
 * Decodes a text column's rows of one row group into codes, -1 for null.
 * @returns number of nulls
 */
export function readTextChunk(
  file: ParquetFile,
  column: ParquetColumn,
  chunk: ColumnChunk,
  rows: GroupRows,
  dictionary: TextCodes,
  codes: Int32Array | Uint8Array,
  valid: Uint8Array | null,
  pages: TextPages | null,
): number {
  /** The chunk's own dictionary, translated to our codes. */
  let chunkCodes: Int32Array | null = null
  let nulls = 0
  const onDictionary = (page: ValuePage) => {
    pages?.onDictionary(page)
    chunkCodes = plainCodes(page, 0, page.valueCount, dictionary)
  }
  const onData = (page: DataPage, firstRow: number) => {
    pages?.onData(page)
    const from = Math.max(rows.from - firstRow, 0)
    const to = Math.min(rows.to - firstRow, page.rows)
    const at = rows.targetStart + firstRow + from - rows.from
    const { valid: pageValid } = page
    let first = from
    let end = to
    if (pageValid) {
      first = countValues(pageValid, 0, from)
      end = first + countValues(pageValid, from, to)
    }
    if (!pageValid && chunkCodes && isDictionaryEncoding(page.encoding)) {
      if (first === 0 && end === page.valueCount && hasAlignedIndexes(page)) translatePage(page, chunkCodes, codes, at)
      else translate(decodeIndexes(page), first, end, chunkCodes, codes, at)
      return
    }
    const values = codesOf(page, first, end, chunkCodes, dictionary)
    if (!pageValid) {
      for (let row = from; row < to; row++) codes[at + row - from] = values[row - from]
      return
    }
    let nextValue = 0
    for (let row = from; row < to; row++) {
      const target = at + row - from
      if (pageValid[row]) {
        codes[target] = values[nextValue++]
      } else {
        codes[target] = -1
        if (valid) valid[target] = 0
        nulls++
      }
    }
  }
  const isWanted = (from: number, to: number) => from < rows.to && to > rows.from
  visitPages(readChunk(file, chunk), column, chunk, rows.groupRows, isWanted, onDictionary, onData)
  return nulls
}

function countValues(valid: Uint8Array, from: number, to: number): number {
  let count = 0
  for (let row = from; row < to; row++) count += valid[row]
  return count
}

/** Finds the codes of the values [first, end) of a page. */
function codesOf(
  page: DataPage,
  first: number,
  end: number,
  chunkCodes: Int32Array | null,
  dictionary: TextCodes,
): Int32Array {
  const { encoding, valueCount } = page
  if (encoding === 'PLAIN') return plainCodes(page, first, end, dictionary)
  if (isDictionaryEncoding(encoding)) {
    if (!chunkCodes) throw new Error('a dictionary is missing')
    const indexes = decodeIndexes(page)
    translate(indexes, first, end, chunkCodes, indexes, first)
    return indexes.subarray(first, end)
  }
  const texts = decodeDeltaBytes(cursorAt(page.bytes, page.start), encoding, valueCount)
  if (!texts) throw new Error(`encoding ${encoding} is not supported here`)
  return Int32Array.from(texts.slice(first, end), (text) => dictionary.codeOfBytes(text, 0, text.length))
}

/**
 * Translates the indexes at the positions [first, end), which refer to the chunk's dictionary, to our codes; these may
 * be written in place of the indexes.
 */
function translate(
  indexes: Int32Array,
  first: number,
  end: number,
  chunkCodes: Int32Array,
  codes: Int32Array | Uint8Array,
  at: number,
): void {
  // A check of every index would double the time, so only the largest index is checked.
  let largest = 0
  for (let i = first; i < end; i++) {
    const index = indexes[i] >>> 0
    largest = index > largest ? index : largest
    codes[at + i - first] = chunkCodes[index]
  }
  if (end > first && largest >= chunkCodes.length) throw new Error('a dictionary index is out of range')
}

/** Tells whether the packed indexes of a page never cross from one byte to the next. */
const hasAlignedIndexes = ({ bytes, start }: DataPage): boolean => 8 % bytes[start] === 0

/** Translates all indexes of a page without storing them; no index may cross from one byte to the next. */
function translatePage(page: DataPage, chunkCodes: Int32Array, codes: Int32Array | Uint8Array, at: number): void {
  const { bytes } = page
  visitIndexes(page, chunkCodes.length, {
    packed: (offset, bitWidth, from, count) =>
      translateBytes(bytes, offset, bitWidth, chunkCodes, codes, at + from, count),
    repeated: (index, from, count) => codes.fill(chunkCodes[index], at + from, at + from + count),
  })
}

/**
 * Translates packed indexes, which must not cross from one byte to the next.
 * @returns the largest index
 */
function translateBytes(
  bytes: Uint8Array,
  offset: number,
  bitWidth: number,
  chunkCodes: Int32Array,
  codes: Int32Array | Uint8Array,
  at: number,
  count: number,
): number {
  const mask = (1 << bitWidth) - 1
  let largest = 0
  for (let i = 0, bit = 0; i < count; i++, bit += bitWidth) {
    const index = (bytes[offset + (bit >>> 3)] >>> (bit & 7)) & mask
    largest = index > largest ? index : largest
    codes[at + i] = chunkCodes[index]
  }
  return largest
}

/** Finds the codes of the values [first, end) of consecutive length-prefixed texts. */
function plainCodes({ bytes, start }: ValuePage, first: number, end: number, dictionary: TextCodes): Int32Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const codes = new Int32Array(end - first)
  let at = start
  for (let i = 0; i < end; i++) {
    const length = view.getUint32(at, true)
    at += 4
    if (at + length > bytes.length) throw new Error('a text ends too late')
    if (i >= first) codes[i - first] = dictionary.codeOfBytes(bytes, at, at + length)
    at += length
  }
  return codes
}

const decoder = new TextDecoder()

/** Assigns numbers to texts; equal texts have equal numbers. */
export interface TextCodes {
  codeOf(text: string): number
  /** Returns the code of the UTF-8 text in the bytes [from, to). */
  codeOfBytes(bytes: Uint8Array, from: number, to: number): number
}

/** Texts and their codes; a code is the text's position in the order of first occurrence. */
export class TextDictionary implements TextCodes {
  readonly texts: string[]
  private readonly codes: Map<string, number>

  constructor(texts: Iterable<string> = []) {
    this.texts = [...texts]
    this.codes = new Map(this.texts.map((text, code) => [text, code]))
  }

  codeOf(text: string): number {
    const knownCode = this.codes.get(text)
    if (knownCode !== undefined) return knownCode
    this.codes.set(text, this.texts.length)
    return this.texts.push(text) - 1
  }

  codeOfBytes(bytes: Uint8Array, from: number, to: number): number {
    return this.codeOf(decoder.decode(bytes.subarray(from, to)))
  }
}

const encoder = new TextEncoder()

/**
 * Assigns a 32-bit hash to each text, to distinguish the texts of long lists without storing them. Two different texts
 * have the same hash with a probability of one in four billion.
 */
export const textHashes: TextCodes = {
  codeOf(text) {
    const bytes = encoder.encode(text)
    return textHashes.codeOfBytes(bytes, 0, bytes.length)
  },
  codeOfBytes(bytes, from, to) {
    let hash = 0x811c9dc5
    for (let at = from; at < to; at++) hash = Math.imul(hash ^ bytes[at], 0x01000193)
    return hash | 0
  },
}
