import { truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parquetMetadata } from 'hyparquet'
import { parquetWriteBuffer } from 'hyparquet-writer'
import { describe, expect, it, test } from 'vitest'
import { TextDictionary, textHashes } from '#core/parquet/decodeTexts.ts'
import { checkValues } from '#core/parquet/checkValues.ts'
import { ParquetFile, wholeSource } from '#core/parquet/parquetFile.ts'
import { boundsOf, checkColumns, hasLongIntegers, readNumbers, readTexts } from '#core/parquet/readColumn.ts'
import { timeTableParquet } from '#core/parquet/timeTable.ts'
import {
  dataPage,
  dictionaryPage,
  type EncodedValue,
  fileOf,
  hostileFile,
  i32,
  i64,
  list,
  struct,
  text,
  varint,
} from '../../fakes/hostileParquet.ts'
import { temporaryFolder } from '../../fakes/temporaryFolder.ts'

function writeTemporary(bytes: Uint8Array): string {
  const path = join(temporaryFolder(), 'file.parquet')
  writeFileSync(path, bytes)
  return path
}

const concat = (...parts: (Uint8Array | number[])[]) =>
  new Uint8Array(Buffer.concat(parts.map((part) => Uint8Array.from(part))))
const longs = (...values: number[]) => new Uint8Array(BigInt64Array.from(values, BigInt).buffer)
const plain = (...values: number[]) => dataPage({ rows: values.length, body: longs(...values) })
const RLE_DICTIONARY = 8

function numbersOf(bytes: Uint8Array, name = 'time'): number[] {
  using file = new ParquetFile(writeTemporary(bytes), { remember: false })
  const values = new Float64Array(file.rows)
  readNumbers(file, name, { from: 0, to: file.rows }, { values, at: 0 })
  return [...values]
}

describe('the pages of a column', () => {
  test('may have an index between them, which is skipped', () => {
    const index = concat(struct({ 1: i32(1), 2: i32(3), 3: i32(3), 6: struct({}) }).bytes, [7, 7, 7])
    expect(numbersOf(hostileFile([{ pages: concat(plain(1, 2), index, plain(3)), rows: 3 }]))).toEqual([1, 2, 3])
  })

  test('have one dictionary, before their values', () => {
    const indexes = dataPage({ rows: 3, encoding: RLE_DICTIONARY, body: Uint8Array.of(1, 3, 0b101) })
    const pages = concat(dictionaryPage([10, 20]), indexes)
    expect(numbersOf(hostileFile([{ pages, rows: 3 }]))).toEqual([20, 10, 20])
    const again = concat(dictionaryPage([10, 20]), dictionaryPage([30, 40]), indexes)
    expect(() => numbersOf(hostileFile([{ pages: again, rows: 3 }]))).toThrow('a second dictionary')
    const late = concat(
      plain(1),
      dictionaryPage([30, 40]),
      dataPage({ rows: 2, encoding: RLE_DICTIONARY, body: Uint8Array.of(1, 4, 1) }),
    )
    expect(() => numbersOf(hostileFile([{ pages: late, rows: 3 }]))).toThrow('a second dictionary')
    expect(() => numbersOf(hostileFile([{ pages: indexes, rows: 3 }]))).toThrow('a dictionary is missing')
  })

  test('continue each other, whatever runs they are made of', () => {
    const pages = concat(
      dictionaryPage([10, 20]),
      dataPage({ rows: 20, encoding: RLE_DICTIONARY, body: Uint8Array.of(1, 20 << 1, 1) }),
      dataPage({ rows: 14, encoding: RLE_DICTIONARY, body: Uint8Array.of(1, 3, 0b1010_1010, 5 << 1, 1, 1 << 1, 0) }),
    )
    const alternating = [10, 20, 10, 20, 10, 20, 10, 20]
    expect(numbersOf(hostileFile([{ pages, rows: 34 }]))).toEqual([
      ...[...Array<number>(20).fill(20), ...alternating],
      ...[20, 20, 20, 20, 20, 10],
    ])
  })

  test('of types that are converted need a dictionary with an entry for each index', () => {
    const schema = [
      struct({ 4: text('schema'), 5: i32(1) }),
      // The column contains unsigned 64-bit integers.
      struct({ 1: i32(2), 3: i32(0), 4: text('time'), 6: i32(14) }),
    ]
    const indexes = (...run: number[]) => dataPage({ rows: 3, encoding: RLE_DICTIONARY, body: Uint8Array.from(run) })
    const read = (...pages: Uint8Array[]) => numbersOf(hostileFile([{ pages: concat(...pages), rows: 3 }], { schema }))
    expect(read(dictionaryPage([10, 20]), indexes(1, 3, 0b101))).toEqual([20, 10, 20])
    expect(() => read(dictionaryPage([10, 20]), indexes(2, 6, 2))).toThrow('a dictionary index is out of range')
    expect(() => read(indexes(1, 3, 0b101))).toThrow('a dictionary is missing')
  })

  test('may be left as they are in a compressed column', () => {
    const body = longs(4, 5)
    const header = struct({
      ...{ 1: i32(3), 2: i32(body.length), 3: i32(body.length) },
      8: struct({
        1: i32(2),
        2: i32(0),
        3: i32(2),
        4: i32(0),
        5: i32(0),
        6: i32(0),
        7: { type: 2, bytes: new Uint8Array(0) },
      }),
    })
    expect(numbersOf(hostileFile([{ pages: concat(header.bytes, body), codec: 6, rows: 2 }]))).toEqual([4, 5])
  })

  test('without any value have no bytes after their levels', () => {
    const schema = [struct({ 4: text('schema'), 5: i32(1) }), struct({ 1: i32(2), 3: i32(1), 4: text('time') })]
    const levels = Uint8Array.of(2, 0, 0, 0, 3 << 1, 0)
    const pages = concat(dictionaryPage([10]), dataPage({ rows: 3, encoding: RLE_DICTIONARY, body: levels }))
    expect(numbersOf(hostileFile([{ pages, rows: 3 }], { schema }))).toEqual([NaN, NaN, NaN])
  })

  const flagsOf = (encoding: number, body: number[], rows: number) =>
    numbersOf(hostileFile([{ type: 0, pages: dataPage({ rows, encoding, body: Uint8Array.from(body) }), rows }]))

  test('of flags have a bit for each, or runs of them', () => {
    expect(flagsOf(0, [0b0000_0101, 1], 9)).toEqual([1, 0, 1, 0, 0, 0, 0, 0, 1])
    expect(() => flagsOf(0, [0b0000_0101], 9)).toThrow('a page ends too early')
    const RLE = 3
    expect(flagsOf(RLE, [4, 0, 0, 0, 3 << 1, 1, 3, 0b0000_0010], 6)).toEqual([1, 1, 1, 0, 1, 0])
    expect(() => flagsOf(RLE, [4, 0, 0], 1)).toThrow('a page ends too early')
  })

  test('may take a little more than the footer says, because some writers leave the levels out, and no more', () => {
    const pages = Array.from({ length: 20 }, (_, index) =>
      dataPage({ rows: 500, body: longs(...Array<number>(500).fill(index)) }),
    )
    const all = (count: number) =>
      hostileFile([{ pages: concat(...pages.slice(0, count)), rows: 500 * count, claims: { uncompressed: 0 } }])
    // A page has 4000 bytes; writers may exceed their claim by 64 KiB.
    expect(numbersOf(all(16))).toHaveLength(8000)
    expect(() => numbersOf(all(17))).toThrow('pages claim more bytes than their column')
  })
})

describe('texts of a dictionary', () => {
  const lengths = (words: string[]) => concat(...words.flatMap((word) => [[word.length, 0, 0, 0], Buffer.from(word)]))
  const dictionary = (words: string[]) => {
    const body = lengths(words)
    const header = struct({
      1: i32(2),
      2: i32(body.length),
      3: i32(body.length),
      7: struct({ 1: i32(words.length), 2: i32(0) }),
    })
    return concat(header.bytes, body)
  }
  function textsOf(words: string[], run: number[], rows: number, from = 0): string[] {
    const pages = concat(dictionary(words), dataPage({ rows, encoding: RLE_DICTIONARY, body: Uint8Array.from(run) }))
    using file = new ParquetFile(writeTemporary(hostileFile([{ name: 'side', type: 6, pages, rows }])), {
      remember: false,
    })
    const known = new TextDictionary(['sell'])
    const codes = new Int32Array(rows - from)
    readTexts(file, 'side', { from, to: rows }, known, { values: codes, at: 0 })
    return Array.from(codes, (code) => known.texts[code])
  }

  test('are those that their indexes name, whatever was known before', () => {
    expect(textsOf(['buy', 'sell'], [1, 3, 0b0110], 4)).toEqual(['buy', 'sell', 'sell', 'buy'])
    expect(textsOf(['buy', 'sell'], [1, 3, 0b0110], 4, 2)).toEqual(['sell', 'buy'])
  })

  test.each([
    ['of a packed run', [2, 3, 0b1001_00, 0], 3],
    ['of a repeated one', [2, 8, 2], 4],
  ])('are refused where an index names none: %s', (_, run, rows) => {
    expect(() => textsOf(['buy', 'sell'], run, rows)).toThrow('a dictionary index is out of range')
  })

  test('are told apart by their hashes, whether as text or as bytes', () => {
    const words = ['', 'buy', 'sell', 'bux', 'é', 'long '.repeat(50)]
    expect(new Set(words.map((word) => textHashes.codeOf(word))).size).toBe(words.length)
    const bytes = Buffer.from('xxbuyxx')
    expect(textHashes.codeOfBytes(bytes, 2, 5)).toBe(textHashes.codeOf('buy'))
  })
})

/** Builds a file whose footer has an unknown field in every structure of its row groups. */
function withUnknown(value: EncodedValue): Uint8Array {
  const page = plain(5)
  const metadata = struct({
    ...{
      1: i32(2),
      2: list([i32(0)]),
      3: list([text('time')]),
      4: i32(0),
      5: i64(1),
      6: i64(page.length),
      7: i64(page.length),
    },
    ...{
      9: i64(4),
      12: struct({
        3: i64(0),
        5: { type: 8, bytes: concat([8], longs(5)) },
        6: { type: 8, bytes: concat([8], longs(5)) },
        9: value,
      }),
    },
    40: value,
  })
  const chunk = struct({ 2: i64(4), 3: metadata, 10: value })
  const group = struct({ 1: list([chunk]), 2: i64(8), 3: i64(1), 40: value })
  const schema = list([struct({ 4: text('schema'), 5: i32(1) }), struct({ 1: i32(2), 3: i32(0), 4: text('time') })])
  return fileOf(
    [page],
    struct({ 1: i32(1), 2: schema, 3: i64(1), 4: list([group]), 6: text('a writer of the future') }).bytes,
  )
}

it.each<[string, EncodedValue]>([
  ['a flag', { type: 1, bytes: new Uint8Array(0) }],
  ['a flag that is off', { type: 2, bytes: new Uint8Array(0) }],
  ['a byte', { type: 3, bytes: Uint8Array.of(0x15) }],
  ['a short number', { type: 4, bytes: varint(300) }],
  ['a number', i32(70_000)],
  ['a double', { type: 7, bytes: new Uint8Array(8).fill(0x15) }],
  ['a text', text('x'.repeat(300))],
  ['a list of flags', { type: 9, bytes: Uint8Array.of(0x31, 1, 2, 1) }],
  ['a list of bytes', { type: 9, bytes: Uint8Array.of(0x23, 1, 2) }],
  ['a list of structures', list([struct({ 1: i32(1), 30: text('abc') }), struct({})])],
  ['a structure', struct({ 1: struct({ 30: i64(5) }), 2: text('abc') })],
])('what a later version of the format adds to a footer is skipped: %s', (_, value) => {
  const bytes = withUnknown(value)
  const path = writeTemporary(bytes)
  using file = new ParquetFile(path, { remember: false })
  const [{ meta_data: general }] = parquetMetadata(bytes).row_groups[0].columns
  const [chunk] = file.rowGroups[0].chunks
  expect(file.rows).toBe(1)
  expect(file.metadata.created_by).toBe('a writer of the future')
  expect(chunk).toMatchObject({
    type: 'INT64',
    codec: 'UNCOMPRESSED',
    data_page_offset: 4,
    num_values: 1,
    path_length: 1,
  })
  expect(chunk.total_compressed_size).toBe(Number(general!.total_compressed_size))
  expect(chunk.statistics).toEqual({ min: undefined, max: undefined, min_value: 5n, max_value: 5n, null_count: 0 })
  checkValues(file)
})

test('a column whose bytes are in another file is refused', () => {
  const page = plain(5)
  const metadata = struct({
    ...{
      1: i32(2),
      2: list([i32(0)]),
      3: list([text('time')]),
      4: i32(0),
      5: i64(1),
      6: i64(24),
      7: i64(page.length),
      9: i64(4),
    },
  })
  const fileWithPath = (place: string) => {
    const group = struct({ 1: list([struct({ 1: text(place), 2: i64(4), 3: metadata })]), 2: i64(8), 3: i64(1) })
    const schema = list([struct({ 4: text('schema'), 5: i32(1) }), struct({ 1: i32(2), 3: i32(0), 4: text('time') })])
    return fileOf([page], struct({ 1: i32(1), 2: schema, 3: i64(1), 4: list([group]) }).bytes)
  }
  expect(numbersOf(fileWithPath(''))).toEqual([5])
  expect(() => numbersOf(fileWithPath('other.parquet'))).toThrow('a column chunk has no data of its own')
})

describe('the type of a column', () => {
  const logical = (bits: number, isSigned: boolean) => ({
    10: struct({
      10: struct({
        1: { type: 3, bytes: Uint8Array.of(bits) },
        2: { type: isSigned ? 1 : 2, bytes: new Uint8Array(0) },
      }),
    }),
  })
  const typeOf = (elements: EncodedValue[]) => {
    const schema = [struct({ 4: text('schema'), 5: i32(1) }), ...elements]
    const pages = dataPage({ rows: 1, body: new Uint8Array(4) })
    using file = new ParquetFile(writeTemporary(hostileFile([{ type: 1, pages, rows: 1 }], { schema })), {
      remember: false,
    })
    return file.columns.map(({ name, type }) => `${name} ${type}`)
  }
  const flat = (more: Record<number, EncodedValue>, repetition = 0) => [
    struct({ 1: i32(1), 3: i32(repetition), 4: text('x'), ...more }),
  ]

  test.each([
    ['signed', flat(logical(32, true)), 'x int32'],
    ['unsigned', flat(logical(32, false)), 'x other'],
    ['unsigned and small', flat(logical(16, false)), 'x int32'],
    ['without a logical type', flat({}), 'x int32'],
    ['unsigned by the old field', flat({ 6: i32(13) }), 'x other'],
    ['decimal by the old field', flat({ 6: i32(5), 7: i32(2), 8: i32(9) }), 'x other'],
    ['repeated', flat({}, 2), 'x other'],
    ['nested', [struct({ 3: i32(0), 4: text('outer'), 5: i32(1) }), ...flat({})], 'outer.x other'],
  ])('of 32 bits that is %s', (_, elements, expected) => {
    expect(typeOf(elements)).toEqual([expected])
  })
})

describe('a file', () => {
  test('of more than 64 MiB is not read into memory as a whole', () => {
    const path = join(temporaryFolder(), 'large')
    writeFileSync(path, '')
    const isInMemory = (bytes: number) => {
      truncateSync(path, bytes)
      const source = wholeSource(path)
      source.close()
      return source.bytes !== undefined
    }
    expect([isInMemory(2 ** 26 + 1), isInMemory(1000)]).toEqual([false, true])
  })

  test('that is shortened while it is read is damaged', () => {
    const path = writeTemporary(hostileFile([{ pages: plain(1, 2, 3), rows: 3 }]))
    using file = new ParquetFile(path, { remember: false })
    truncateSync(path, 10)
    const read = () => readNumbers(file, 'time', { from: 0, to: 3 }, { values: new Float64Array(3), at: 0 })
    expect(read).toThrow(`${path}: it ends too early`)
  })

  test('in memory is read like one on disk, and not beyond its end', () => {
    const path = writeTemporary(hostileFile([{ pages: plain(1, 2, 3), rows: 3 }]))
    using file = new ParquetFile(path, { remember: false, source: wholeSource(path) })
    const values = new Float64Array(3)
    readNumbers(file, 'time', { from: 0, to: 3 }, { values, at: 0 })
    expect([...values]).toEqual([1, 2, 3])
    const source = wholeSource(path)
    const target = new Uint8Array(4)
    expect([source.read(target, source.sizeBytes - 4), Buffer.from(target).toString()]).toEqual([true, 'PAR1'])
    expect(source.read(target, source.sizeBytes - 3)).toBe(false)
    source.close()
  })

  test('of a folder is refused, with its path', () => {
    const folder = temporaryFolder()
    expect(() => new ParquetFile(folder)).toThrow(expect.objectContaining({ code: 'bad-input' }) as Error)
    expect(() => new ParquetFile(folder)).toThrow(folder)
    expect(() => new ParquetFile(join(folder, 'none'))).toThrow(expect.objectContaining({ code: 'not-found' }) as Error)
  })

  test('that was changed after its validation is not read', () => {
    const path = writeTemporary(hostileFile([{ pages: plain(1), rows: 1 }]))
    using file = new ParquetFile(path)
    const known = { sizeBytes: file.sizeBytes, changedAtMs: file.changedAtMs }
    const open = (changes: Partial<{ sizeBytes: number; changedAtMs: number | null }>) => () =>
      new ParquetFile(path, { known: { ...known, ...changes } }).close()
    expect(open({})).not.toThrow()
    expect(open({ changedAtMs: null })).not.toThrow()
    expect(open({ sizeBytes: 1 })).toThrow('changed after it had been validated')
    expect(open({ changedAtMs: 1 })).toThrow('changed after it had been validated')
  })

  test('is shorter than any Parquet file, or of another format, says so', () => {
    expect(() => new ParquetFile(writeTemporary(Buffer.from('PAR1PAR1PAR')))).toThrow('this is not a Parquet file')
    expect(() => new ParquetFile(writeTemporary(Buffer.from('PAR1\u0000\u0000\u0000\u0000PAR1')))).toThrow(
      'its footer is damaged',
    )
    expect(() => new ParquetFile(writeTemporary(Buffer.from('PAR1\u0005\u0000\u0000\u0000PAR1')))).toThrow(
      'its footer is damaged',
    )
  })
})

test('a computed series keeps the sign of 0, its missing values and its times', () => {
  const values = [0, -0, null, 0, -0, 1.5]
  const times = values.map((_, row) => 1_788_220_800_000 + row)
  const bytes = timeTableParquet({
    times,
    columns: [
      { name: 'value', values },
      { name: 'same', values: values.map(() => 2) },
    ],
  })
  const read = numbersOf(bytes, 'value')
  expect(
    read.map((value, row) => (values[row] === null ? Number.isNaN(value) : Object.is(value, values[row]))),
  ).toEqual(values.map(() => true))
  expect([numbersOf(bytes), numbersOf(bytes, 'same')]).toEqual([times, values.map(() => 2)])
  using file = new ParquetFile(writeTemporary(bytes), { remember: false })
  expect(file.columns.map(({ nullable }) => nullable)).toEqual([false, true, true])
})

describe('the bounds that a column states', () => {
  const bounds = (statistics: object | undefined) => boundsOf({ statistics } as never)

  test.each([
    ['both', { min_value: 1, max_value: 2n }, { low: 1, high: 2 }],
    ['in the old fields', { min: 1, max: 2 }, { low: 1, high: 2 }],
    ['only one', { max_value: 2 }, { low: -Infinity, high: 2 }],
    ['only the other', { min_value: 1 }, { low: 1, high: Infinity }],
    ['one that is no number', { min_value: NaN, max_value: 3 }, { low: -Infinity, high: 3 }],
  ])('are used: %s', (_, statistics, expected) => {
    expect(bounds(statistics)).toEqual(expected)
  })

  test.each([undefined, {}, { min_value: NaN, max_value: NaN }, { min: new Date(0), max: 'z' }])(
    'are none in %o',
    (statistics) => {
      expect(bounds(statistics)).toBeNull()
    },
  )
})

test('only the named columns of a table are read, whatever is wrong with the others', () => {
  const broken = dataPage({ rows: 2, encoding: RLE_DICTIONARY, body: Uint8Array.of(1, 4, 1) })
  const path = writeTemporary(
    hostileFile([
      { pages: plain(1, 2), rows: 2 },
      { name: 'value', pages: broken, rows: 2 },
    ]),
  )
  using file = new ParquetFile(path, { remember: false })
  expect(() => checkColumns(file, ['time', 'other'])).not.toThrow()
  expect(() => checkColumns(file, ['time', 'value'])).toThrow('column value cannot be read')
})

test('unsigned integers of 64 bits, and integers of a file without statistics, count as long', async () => {
  const schema = [
    { name: 'root', num_children: 2 },
    { name: 'id', type: 'INT64' as const, repetition_type: 'OPTIONAL' as const, converted_type: 'UINT_64' as const },
    { name: 'n', type: 'INT64' as const, repetition_type: 'OPTIONAL' as const },
  ]
  const columnData = [
    { name: 'id', data: [18_446_744_073_709_551_615n, null] },
    { name: 'n', data: [7n, null] },
  ]
  const longOf = (statistics: boolean) => {
    const path = join(temporaryFolder(), 'long.parquet')
    writeFileSync(path, new Uint8Array(parquetWriteBuffer({ columnData, schema, statistics })))
    using file = new ParquetFile(path)
    return [0, 1].map((index) => hasLongIntegers(file, index))
  }
  expect(longOf(true)).toEqual([true, false])
  expect(longOf(false)).toEqual([true, true])
})
