import { dataPage, type EncodedValue, fileOf, i32, i64, list, struct, text } from './hostileParquet.ts'

/** This module writes Parquet files byte by byte, so that a test can state of its values what no writer would. */

/** Numbers of the physical types in a file. */
export const physical = {
  BOOLEAN: 0,
  INT32: 1,
  INT64: 2,
  INT96: 3,
  FLOAT: 4,
  DOUBLE: 5,
  BYTE_ARRAY: 6,
  FIXED_LEN_BYTE_ARRAY: 7,
} as const

/** Numbers of the encodings in a file. */
export const encodings = {
  PLAIN: 0,
  PLAIN_DICTIONARY: 2,
  RLE: 3,
  BIT_PACKED: 4,
  DELTA_BINARY_PACKED: 5,
  DELTA_LENGTH_BYTE_ARRAY: 6,
  DELTA_BYTE_ARRAY: 7,
  RLE_DICTIONARY: 8,
  BYTE_STREAM_SPLIT: 9,
} as const

export interface WrittenChunk {
  rows: number
  /** Pages with their headers. */
  pages: Uint8Array
  /** Bytes of the dictionary page with its header, which precedes the other pages. */
  dictionary?: Uint8Array
  /** Statistics by field number of the format. */
  statistics?: Record<number, EncodedValue>
  /** Place of a Bloom filter, as the file states it. */
  bloomFilterAt?: number
  /** True to leave the places of the pages out, as for a row group without rows. */
  hasNoPlace?: boolean
}

export interface WrittenColumn {
  name: string
  type: keyof typeof physical
  /** Fields of the schema element besides type and name: 2 length, 6 converted type, 7 scale, 8 precision, 10 logical. */
  element?: Record<number, EncodedValue>
  nullable?: boolean
  /** One chunk per row group. */
  chunks: readonly WrittenChunk[]
}

/** Returns the bytes of a file. */
export function parquetBytes(columns: readonly WrittenColumn[]): Uint8Array {
  const parts: Uint8Array[] = []
  let at = 4
  const put = (bytes: Uint8Array) => {
    parts.push(bytes)
    at += bytes.length
    return at - bytes.length
  }
  const groups = (columns[0]?.chunks ?? []).map(({ rows }, group) => {
    const chunks = columns.map(({ name, type, chunks: ofColumn }) => {
      const { pages, dictionary, statistics, bloomFilterAt, hasNoPlace } = ofColumn[group]
      const dictionaryAt = dictionary && put(dictionary)
      const dataAt = put(pages)
      const size = pages.length + (dictionary?.length ?? 0)
      const metadata = struct({
        1: i32(physical[type]),
        2: list([i32(0)]),
        3: list([text(name)]),
        4: i32(0),
        5: i64(ofColumn[group].rows),
        6: i64(size),
        7: i64(size),
        9: i64(hasNoPlace ? 0 : dataAt),
        11: dictionaryAt === undefined ? undefined : i64(dictionaryAt),
        12: statistics && struct(statistics),
        14: bloomFilterAt === undefined ? undefined : i64(bloomFilterAt),
      })
      return struct({ 2: i64(0), 3: metadata })
    })
    return struct({ 1: list(chunks), 2: i64(100), 3: i64(rows) })
  })
  const rows = (columns[0]?.chunks ?? []).reduce((sum, chunk) => sum + chunk.rows, 0)
  const elements = columns.map(({ name, type, element = {}, nullable = false }) =>
    struct({ 1: i32(physical[type]), 3: i32(nullable ? 1 : 0), 4: text(name), ...element }),
  )
  const schema = [struct({ 4: text('schema'), 5: i32(columns.length) }), ...elements]
  return fileOf(parts, struct({ 1: i32(1), 2: list(schema), 3: i64(rows), 4: list(groups) }).bytes)
}

export const bytesValue = (bytes: Uint8Array): EncodedValue => ({
  type: 8,
  bytes: Uint8Array.from([bytes.length, ...bytes]),
})

/** Returns statistics in the current fields: null count, highest and lowest value. */
export const statisticsOf = (low: Uint8Array, high: Uint8Array, nulls = 0): Record<number, EncodedValue> => ({
  3: i64(nulls),
  5: bytesValue(high),
  6: bytesValue(low),
})

export const longBytes = (...values: (number | bigint)[]): Uint8Array =>
  new Uint8Array(BigInt64Array.from(values, BigInt).buffer)
export const doubleBytes = (...values: number[]): Uint8Array => new Uint8Array(Float64Array.from(values).buffer)
/** Encodes byte strings, each after its length in four bytes. */
export const textBytes = (...values: (string | Uint8Array)[]): Uint8Array =>
  new Uint8Array(
    Buffer.concat(
      values.flatMap((value) => {
        const bytes = Buffer.from(value)
        return [new Uint8Array(Uint32Array.of(bytes.length).buffer), bytes]
      }),
    ),
  )

/** Returns a chunk of one page of plain values without statistics. */
export const plainChunk = (rows: number, body: Uint8Array): WrittenChunk => ({ rows, pages: dataPage({ rows, body }) })
