import { brotliCompressSync, gzipSync, zstdCompressSync } from 'node:zlib'

/** This module builds invalid Parquet files byte by byte, because no writer would write them. */

const bytesOf = (...parts: (number | Uint8Array | number[])[]) => joinBytes(parts)

const joinBytes = (parts: readonly (number | Uint8Array | number[])[]) =>
  new Uint8Array(
    Buffer.concat(parts.map((part) => (typeof part === 'number' ? Uint8Array.of(part) : Uint8Array.from(part)))),
  )

/** Repeats bytes a number of times. */
const times = (count: number, bytes: Uint8Array) => joinBytes(Array.from({ length: count }, () => bytes))

/** Encodes an unsigned number, seven bits in a byte. */
export function varint(value: number | bigint): Uint8Array {
  const bytes: number[] = []
  let left = BigInt(value)
  do {
    const low = Number(left & 0x7fn)
    left >>= 7n
    bytes.push(left > 0n ? low | 0x80 : low)
  } while (left > 0n)
  return new Uint8Array(bytes)
}

const zigzag = (value: number) => varint(value < 0 ? BigInt(-value) * 2n - 1n : BigInt(value) * 2n)

/** Value with its type in Thrift's compact protocol. */
export interface EncodedValue {
  type: number
  bytes: Uint8Array
}

export const i32 = (value: number): EncodedValue => ({ type: 5, bytes: zigzag(value) })
export const i64 = (value: number): EncodedValue => ({ type: 6, bytes: zigzag(value) })
export const text = (value: string): EncodedValue => ({
  type: 8,
  bytes: bytesOf(varint(value.length), Buffer.from(value)),
})
export const list = (elements: EncodedValue[], claimed = elements.length): EncodedValue => ({
  type: 9,
  bytes: bytesOf(0xf0 | (elements[0]?.type ?? 12), varint(claimed), ...elements.map(({ bytes }) => bytes)),
})
export const struct = (fields: Record<number, EncodedValue | undefined>): EncodedValue => {
  let last = 0
  const parts = Object.entries(fields).flatMap(([id, value]) => {
    if (!value) return []
    const delta = Number(id) - last
    last = Number(id)
    // A field number more than 15 above the last one is written in full.
    const header = delta > 15 ? bytesOf(value.type, zigzag(last)) : bytesOf((delta << 4) | value.type)
    return [bytesOf(header, value.bytes)]
  })
  return { type: 12, bytes: bytesOf(...parts, 0) }
}

export interface HostileColumn {
  name?: string
  /** Parquet's number of the type: 2 for 64-bit integers, 5 for doubles, 6 for texts. */
  type?: number
  /** Headers and contents of the pages, as in the file. */
  pages: Uint8Array
  codec?: number
  rows: number
  claims?: { uncompressed?: number; dataPageOffset?: number; compressed?: number }
}

/** Creates a file of one row group from columns. */
export function hostileFile(
  columns: readonly HostileColumn[],
  claims: { rows?: number; schema?: EncodedValue[] } = {},
) {
  let at = 4
  const chunks = columns.map(({ name = 'time', type = 2, pages, codec = 0, rows, claims: falseSizes = {} }) => {
    const metadata = struct({
      1: i32(type),
      2: list([i32(0)]),
      3: list([text(name)]),
      4: i32(codec),
      5: i64(rows),
      6: i64(falseSizes.uncompressed ?? pages.length),
      7: i64(falseSizes.compressed ?? pages.length),
      9: i64(falseSizes.dataPageOffset ?? at),
    })
    at += pages.length
    return struct({ 2: i64(4), 3: metadata })
  })
  const rows = claims.rows ?? columns[0]?.rows ?? 0
  const schema = claims.schema ?? [
    struct({ 4: text('schema'), 5: i32(columns.length) }),
    ...columns.map(({ name = 'time', type = 2 }) => struct({ 1: i32(type), 3: i32(0), 4: text(name) })),
  ]
  const group = struct({ 1: list(chunks), 2: i64(100), 3: i64(rows) })
  const footer = struct({ 1: i32(1), 2: list(schema), 3: i64(rows), 4: list([group]) })
  return fileOf(
    columns.map(({ pages }) => pages),
    footer.bytes,
  )
}

/** Appends a footer to the bytes of pages. */
export function fileOf(pages: readonly Uint8Array[], footer: Uint8Array): Uint8Array {
  const length = new Uint8Array(4)
  new DataView(length.buffer).setUint32(0, footer.length, true)
  return new Uint8Array(Buffer.concat([Buffer.from('PAR1'), ...pages, footer, length, Buffer.from('PAR1')]))
}

export interface HostilePage {
  rows: number
  body: Uint8Array
  encoding?: number
  /** Claimed sizes; undefined leaves the field out. */
  uncompressed?: number | undefined
  compressed?: number | undefined
}

/** Builds a data page of the first version. */
export function dataPage(page: HostilePage): Uint8Array {
  const { rows, body, encoding = 0 } = page
  const uncompressed = 'uncompressed' in page ? page.uncompressed : body.length
  const compressed = 'compressed' in page ? page.compressed : body.length
  const header = struct({
    1: i32(0),
    2: uncompressed === undefined ? undefined : i32(uncompressed),
    3: compressed === undefined ? undefined : i32(compressed),
    5: struct({ 1: i32(rows), 2: i32(encoding), 3: i32(3), 4: i32(3) }),
  })
  return bytesOf(header.bytes, body)
}

/** Builds a dictionary page of plain 64-bit integers. */
export function dictionaryPage(values: readonly number[]): Uint8Array {
  const body = new Uint8Array(BigInt64Array.from(values, BigInt).buffer)
  const header = struct({
    1: i32(2),
    2: i32(body.length),
    3: i32(body.length),
    7: struct({ 1: i32(values.length), 2: i32(0) }),
  })
  return bytesOf(header.bytes, body)
}

const RLE_DICTIONARY = 8
const DELTA_BINARY_PACKED = 5
const DELTA_BYTE_ARRAY = 7

/** Nests lists, each of which claims this many elements but has one. */
function nestedLists(depth: number, claimed: number): Uint8Array {
  const open = bytesOf(0xf9, varint(claimed))
  return bytesOf(0x19, times(depth, open), 0)
}

const zeros = (length: number) => new Uint8Array(length)

/**
 * Builds invalid files by name: sizes that are missing, negative or far too large, deep nesting, and data without an
 * end.
 */
export function hostileFiles(): Record<string, Uint8Array> {
  const eight = zeros(8)
  const plain = dataPage({ rows: 1, body: eight })
  const bomb = (codec: number, pack: (bytes: Uint8Array) => Uint8Array) => {
    const body = pack(zeros(500_000_000))
    const pages = dataPage({ rows: 1, body, uncompressed: 500_000_000 })
    return hostileFile([{ pages, codec, rows: 1, claims: { uncompressed: 500_000_100 } }])
  }
  const repeated = (rows: number) => {
    const runs = dataPage({ rows, encoding: RLE_DICTIONARY, body: bytesOf(1, varint(rows * 2), 0) })
    return hostileFile([{ pages: bytesOf(dictionaryPage([1]), runs), rows }])
  }
  const delta = (body: Uint8Array, rows = 8) =>
    hostileFile([{ pages: dataPage({ rows, encoding: DELTA_BINARY_PACKED, body }), rows }])
  const prefixes = bytesOf(
    // Lengths shared with the text before: a constant difference of 50,000.
    varint(128),
    varint(4),
    varint(100_000),
    zigzag(0),
    times(782, bytesOf(zigzag(50_000), zeros(4))),
    varint(128),
    varint(4),
    varint(100_000),
    zigzag(0),
    times(782, bytesOf(zigzag(0), zeros(4))),
  )
  return {
    'lists nested 60 deep': fileOf([], nestedLists(60, 33_000_000)),
    'lists nested 1,000,000 deep': fileOf([], nestedLists(1_000_000, 1)),
    'a list of 33 M elements': fileOf([], struct({ 2: list([], 33_000_000) }).bytes),
    'a varint of a megabyte': fileOf([], bytesOf(0x16, new Uint8Array(1_000_000).fill(0xff))),
    'structures nested 100,000 deep': fileOf([], new Uint8Array(100_000).fill(0x1c)),
    'a page without a size': hostileFile([
      { pages: dataPage({ rows: 1, body: eight, compressed: undefined }), rows: 1 },
    ]),
    'a page of negative size': hostileFile([{ pages: dataPage({ rows: 1, body: eight, compressed: -20 }), rows: 1 }]),
    'empty pages for ever': hostileFile([{ pages: times(50_000, dataPage({ rows: 0, body: zeros(0) })), rows: 1 }]),
    'a column outside of the file': hostileFile([{ pages: plain, rows: 1, claims: { dataPageOffset: 2 ** 40 } }]),
    'a chunk of negative size': hostileFile([{ pages: plain, rows: 1, claims: { compressed: -1 } }]),
    'runs of 200 M rows': repeated(200_000_000),
    'runs of 2 G rows': repeated(2_000_000_000),
    'a zstd bomb': bomb(6, (bytes) => zstdCompressSync(bytes)),
    'a gzip bomb': bomb(2, (bytes) => gzipSync(bytes, { level: 1 })),
    'a brotli bomb': bomb(4, (bytes) => brotliCompressSync(bytes, { params: { 1: 0 } })),
    'differences in a block of 4 G': delta(
      bytesOf(varint(0xffff_ffff), varint(0xffff_ffff), varint(8), zigzag(0), zeros(100)),
    ),
    'differences in blocks of nothing': delta(
      bytesOf(varint(0), varint(0), varint(8), zigzag(0), zeros(100_000)),
      1_000_000,
    ),
    'a difference of a megabyte': delta(
      bytesOf(varint(128), varint(4), varint(8), new Uint8Array(1_000_000).fill(0xff)),
    ),
    'texts that repeat each other': hostileFile([
      { pages: plain, rows: 100_000 },
      {
        name: 'word',
        type: 6,
        pages: dataPage({ rows: 100_000, encoding: DELTA_BYTE_ARRAY, body: prefixes }),
        rows: 100_000,
      },
    ]),
    'a schema of two billion columns': hostileFile([{ pages: plain, rows: 1 }], {
      schema: [struct({ 4: text('schema'), 5: i32(2_000_000_000) }), struct({ 1: i32(2), 3: i32(0), 4: text('time') })],
    }),
    'a schema nested 5,000 deep': hostileFile([{ pages: plain, rows: 1 }], {
      schema: Array.from({ length: 5000 }, () => struct({ 4: text('a'), 5: i32(1) })),
    }),
    'dictionary indexes of no width': hostileFile([
      {
        pages: bytesOf(dictionaryPage([1]), dataPage({ rows: 1000, encoding: RLE_DICTIONARY, body: zeros(0) })),
        rows: 1000,
      },
    ]),
  }
}
