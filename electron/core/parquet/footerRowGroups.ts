/**
 * Reads the row groups of a footer, whose shape has been checked. A file of many columns and small row groups has
 * thousands of column chunks, and the general parser takes longer to read the description of each than it takes to
 * decode the chunk.
 */
import type { CompressionCodec, ParquetType, SchemaElement, Statistics } from 'hyparquet'
import { type ClaimedChunk, isDecimal, isUnsigned } from './fileLimits.ts'
import { codecNames, physicalTypeNames, statedBound } from './hyparquetInternals.ts'

/** A column in a row group. */
export interface ColumnChunk extends ClaimedChunk {
  codec: CompressionCodec
  statistics: ChunkStatistics | undefined
  hasBloomFilter: boolean
}

export type ChunkStatistics = Pick<Statistics, 'min' | 'max' | 'min_value' | 'max_value'> & {
  null_count: number | undefined
}

/** A row group as the footer describes it; a chunk is null if its bytes are in another file. */
interface StatedRowGroup {
  chunks: (ColumnChunk | null)[]
  rows: number
}

const signedTypes: readonly (ParquetType | undefined)[] = ['BOOLEAN', 'INT32', 'INT64', 'FLOAT', 'DOUBLE']

/** Tells whether the values of a column are compared as numbers with a sign. */
const hasSignedOrder = (leaf: SchemaElement | undefined): boolean =>
  leaf !== undefined && signedTypes.includes(leaf.type) && !isUnsigned(leaf)

/** Types of the compact protocol. */
const wireTypes = { stop: 0, true: 1, false: 2, i8: 3, double: 7, bytes: 8, list: 9, struct: 12 } as const

/**
 * Reads the list of row groups of a footer.
 * @param bytes the bytes of the list, and nothing after them
 * @param leaves the columns with values
 */
export function readRowGroups(bytes: Uint8Array, leaves: readonly SchemaElement[]): StatedRowGroup[] {
  return new RowGroupReader(bytes, leaves).rowGroups()
}

class RowGroupReader {
  readonly #bytes: Uint8Array
  readonly #view: DataView
  readonly #leaves: readonly SchemaElement[]
  #offset = 0
  /** Number of the field that was read last in the current structure. */
  #field = 0

  constructor(bytes: Uint8Array, leaves: readonly SchemaElement[]) {
    this.#bytes = bytes
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.#leaves = leaves
  }

  rowGroups(): StatedRowGroup[] {
    return Array.from({ length: this.#listLength() }, () => this.#rowGroup())
  }

  #rowGroup(): StatedRowGroup {
    const group: StatedRowGroup = { chunks: [], rows: 0 }
    this.#field = 0
    for (let type = this.#next(); type !== wireTypes.stop; type = this.#next()) {
      const field = this.#field
      if (field === 1) {
        const length = this.#listLength()
        group.chunks = Array.from({ length }, (_, column) => this.#columnChunk(this.#leaves[column]))
      } else if (field === 3) group.rows = this.#integer()
      else this.#skip(type)
      this.#field = field
    }
    return group
  }

  #columnChunk(leaf: SchemaElement | undefined): ColumnChunk | null {
    let chunk: ColumnChunk | null = null
    let isElsewhere = false
    this.#field = 0
    for (let type = this.#next(); type !== wireTypes.stop; type = this.#next()) {
      const field = this.#field
      if (field === 1) isElsewhere = this.#byteString().length > 0
      else if (field === 3) chunk = this.#metadata(leaf)
      else this.#skip(type)
      this.#field = field
    }
    return isElsewhere ? null : chunk
  }

  #metadata(leaf: SchemaElement | undefined): ColumnChunk {
    let type: ParquetType = 'BOOLEAN'
    let codec: CompressionCodec = 'UNCOMPRESSED'
    let [pathLength, values, uncompressedBytes, compressedBytes, dataAt] = [0, 0, 0, 0, 0]
    let dictionaryAt: number | undefined
    let statistics: ChunkStatistics | undefined
    let hasBloomFilter = false
    this.#field = 0
    for (let kind = this.#next(); kind !== wireTypes.stop; kind = this.#next()) {
      const field = this.#field
      if (field === 1) type = physicalTypeNames[this.#integer()]
      else if (field === 3) pathLength = this.#path()
      else if (field === 4) codec = codecNames[this.#integer()]
      else if (field === 5) values = this.#integer()
      else if (field === 6) uncompressedBytes = this.#integer()
      else if (field === 7) compressedBytes = this.#integer()
      else if (field === 9) dataAt = this.#integer()
      else if (field === 11) dictionaryAt = this.#integer()
      else if (field === 12) statistics = this.#statistics(leaf)
      else if (field === 14) hasBloomFilter = this.#integer() > 0
      else this.#skip(kind)
      this.#field = field
    }
    return {
      type,
      codec,
      path_length: pathLength,
      num_values: values,
      total_uncompressed_size: uncompressedBytes,
      total_compressed_size: compressedBytes,
      data_page_offset: dataAt,
      dictionary_page_offset: dictionaryAt,
      statistics,
      hasBloomFilter,
    }
  }

  #path(): number {
    const length = this.#listLength()
    for (let name = 0; name < length; name++) this.#skip(wireTypes.bytes)
    return length
  }

  #statistics(leaf: SchemaElement | undefined): ChunkStatistics {
    let [min, max, lowest, highest]: (Statistics['min'] | undefined)[] = []
    let nulls: number | undefined
    this.#field = 0
    for (let type = this.#next(); type !== wireTypes.stop; type = this.#next()) {
      // The order of the two outdated fields is the signed one of numbers; for other values, it depends on the writer.
      if (this.#field === 1 && hasSignedOrder(leaf)) max = this.#bound(leaf)
      else if (this.#field === 2 && hasSignedOrder(leaf)) min = this.#bound(leaf)
      else if (this.#field === 3) nulls = this.#integer()
      else if (this.#field === 5) highest = this.#bound(leaf)
      else if (this.#field === 6) lowest = this.#bound(leaf)
      else this.#skip(type)
    }
    return { min, max, min_value: lowest, max_value: highest, null_count: nulls }
  }

  #bound(leaf: SchemaElement | undefined): Statistics['min'] {
    const value = this.#byteString()
    // Doubles, which nearly all columns are, have only one interpretation, so they take this shortcut.
    if (leaf?.type === 'DOUBLE' && value.length === 8)
      return this.#view.getFloat64(value.byteOffset - this.#view.byteOffset, true)
    // Texts are compared as bytes; they are copied, because a view would keep the whole footer in memory.
    if (leaf?.type === 'BYTE_ARRAY' && !isDecimal(leaf)) return value.slice()
    return leaf && statedBound(value, leaf)
  }

  /** Moves to the next field. @returns the type of its value */
  #next(): number {
    const header = this.#bytes[this.#offset++]
    const delta = header >> 4
    if (delta > 0) this.#field += delta
    else if (header !== wireTypes.stop) this.#field = this.#integer()
    return header & 0x0f
  }

  #listLength(): number {
    const header = this.#bytes[this.#offset++]
    return header >> 4 === 15 ? this.#varint() : header >> 4
  }

  #varint(): number {
    let byte = this.#bytes[this.#offset++]
    let value = byte & 0x7f
    for (let scale = 128; byte >= 0x80; scale *= 128) {
      byte = this.#bytes[this.#offset++]
      value += (byte & 0x7f) * scale
    }
    return value
  }

  #integer(): number {
    const value = this.#varint()
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2
  }

  #byteString(): Uint8Array {
    const length = this.#varint()
    const from = this.#offset
    this.#offset += length
    return this.#bytes.subarray(from, this.#offset)
  }

  #skip(type: number): void {
    if (type === wireTypes.true || type === wireTypes.false) return
    if (type === wireTypes.i8) this.#offset++
    else if (type === wireTypes.double) this.#offset += 8
    else if (type === wireTypes.bytes) this.#byteString()
    else if (type === wireTypes.list) this.#skipList()
    else if (type === wireTypes.struct) this.#skipStruct()
    else this.#varint()
  }

  #skipStruct(): void {
    const field = this.#field
    for (let type = this.#next(); type !== wireTypes.stop; type = this.#next()) this.#skip(type)
    this.#field = field
  }

  #skipList(): void {
    const type = this.#bytes[this.#offset] & 0x0f
    const length = this.#listLength()
    // A boolean takes a whole byte in a list.
    for (let at = 0; at < length; at++)
      this.#skip(type === wireTypes.true || type === wireTypes.false ? wireTypes.i8 : type)
  }
}
