import type { ColumnMetaData } from 'hyparquet'
import { deltaByteArray, deltaLengthByteArray } from 'hyparquet/src/delta.js'
import type { GroupRows } from './chunkNumbers.ts'
import { type DataPage, readChunk, type ValuePage, visitPages } from './columnPages.ts'
import { decodeIndexes } from './numberValues.ts'
import type { ParquetColumn, ParquetFile } from './parquetFile.ts'
import type { TextCodes } from './textDictionary.ts'

/** Decodes a text column's rows of one row group into codes, -1 where null. @returns how many are null */
export function readTextChunk(
  file: ParquetFile,
  column: ParquetColumn,
  chunk: ColumnMetaData,
  rows: GroupRows,
  dictionary: TextCodes,
  codes: Int32Array | Uint8Array,
  valid: Uint8Array | null,
): number {
  /** The chunk's own dictionary, as codes of ours. */
  let known: Int32Array | null = null
  let nulls = 0
  const onDictionary = (page: ValuePage) => {
    known = plainCodes(page, dictionary)
  }
  const onData = (page: DataPage, firstRow: number) => {
    const from = Math.max(rows.from - firstRow, 0)
    const to = Math.min(rows.to - firstRow, page.rows)
    const at = rows.at + firstRow + from - rows.from
    const values = codesOf(page, known, dictionary)
    if (!page.valid) {
      for (let row = from; row < to; row++) codes[at + row - from] = values[row]
      return
    }
    let next = 0
    for (let row = 0; row < from; row++) next += page.valid[row]
    for (let row = from; row < to; row++) {
      const target = at + row - from
      if (page.valid[row]) {
        codes[target] = values[next++]
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

function codesOf(page: DataPage, known: Int32Array | null, dictionary: TextCodes): Int32Array {
  const { encoding, present } = page
  if (encoding === 'PLAIN') return plainCodes(page, dictionary)
  if (encoding === 'PLAIN_DICTIONARY' || encoding === 'RLE_DICTIONARY') {
    if (!known) throw new Error('a dictionary is missing')
    return translated(decodeIndexes(page), present, known)
  }
  const reader = {
    view: new DataView(page.bytes.buffer, page.bytes.byteOffset, page.bytes.byteLength),
    offset: page.start,
  }
  const texts = new Array<Uint8Array>(present)
  if (encoding === 'DELTA_LENGTH_BYTE_ARRAY') deltaLengthByteArray(reader, present, texts)
  else if (encoding === 'DELTA_BYTE_ARRAY') deltaByteArray(reader, present, texts)
  else throw new Error(`encoding ${encoding} is not supported here`)
  return Int32Array.from(texts, (text) => dictionary.codeOfBytes(text, 0, text.length))
}

/** Indexes of the chunk's dictionary as codes of ours, in place. */
function translated(indexes: Int32Array, count: number, known: Int32Array): Int32Array {
  const size = known.length
  for (let i = 0; i < count; i++) {
    const index = indexes[i]
    if (index < 0 || index >= size) throw new Error('a dictionary index is out of range')
    indexes[i] = known[index]
  }
  return indexes
}

/** Length-prefixed texts, one after the other. */
function plainCodes({ bytes, start, present }: ValuePage, dictionary: TextCodes): Int32Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const codes = new Int32Array(present)
  let at = start
  for (let i = 0; i < present; i++) {
    const length = view.getUint32(at, true)
    at += 4
    if (at + length > bytes.length) throw new Error('a text ends too late')
    codes[i] = dictionary.codeOfBytes(bytes, at, at + length)
    at += length
  }
  return codes
}
