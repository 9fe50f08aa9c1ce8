import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, test } from 'vitest'
import { validateParquet } from '#core/downloads/verifyFile.ts'
import { ParquetFile } from '#core/parquet/parquetFile.ts'
import { dataPage, type EncodedValue, i32, struct } from '../../fakes/hostileParquet.ts'
import {
  doubleBytes,
  encodings,
  longBytes,
  parquetBytes,
  physical,
  plainChunk,
  textBytes,
  type WrittenColumn,
} from '../../fakes/parquetBytes.ts'
import { temporaryFolder } from '../../fakes/temporaryFolder.ts'

const time: WrittenColumn = { name: 'time', type: 'INT64', chunks: [plainChunk(3, longBytes(0, 60_000, 120_000))] }

function write(column: Omit<WrittenColumn, 'name'>): string {
  const path = join(temporaryFolder(), 'file.parquet')
  writeFileSync(path, parquetBytes([time, { name: 'value', ...column }]))
  return path
}

function problemOf(path: string, deep: boolean): string {
  try {
    validateParquet(path, { deep })
    return 'none'
  } catch (thrown) {
    expect(thrown).toMatchObject({ code: 'corrupt-file' })
    return String(thrown)
  }
}

const join2 = (...parts: Uint8Array[]) => new Uint8Array(Buffer.concat(parts))

function dictionaryPage(values: number, body: Uint8Array, encoding: number = encodings.PLAIN): Uint8Array {
  const header = struct({
    1: i32(2),
    2: i32(body.length),
    3: i32(body.length),
    7: struct({ 1: i32(values), 2: i32(encoding) }),
  })
  return join2(header.bytes, body)
}

/** Indexes 0, 1, 0 of one bit. */
const indexes = Uint8Array.of(1, 3, 0b010)

describe('a page whose encoding its values cannot have', () => {
  const possible: Readonly<Record<keyof typeof physical, string>> = {
    BOOLEAN: 'PLAIN RLE',
    INT32: 'PLAIN PLAIN_DICTIONARY RLE_DICTIONARY DELTA_BINARY_PACKED BYTE_STREAM_SPLIT',
    INT64: 'PLAIN PLAIN_DICTIONARY RLE_DICTIONARY DELTA_BINARY_PACKED BYTE_STREAM_SPLIT',
    INT96: 'PLAIN PLAIN_DICTIONARY RLE_DICTIONARY',
    FLOAT: 'PLAIN PLAIN_DICTIONARY RLE_DICTIONARY BYTE_STREAM_SPLIT',
    DOUBLE: 'PLAIN PLAIN_DICTIONARY RLE_DICTIONARY BYTE_STREAM_SPLIT',
    BYTE_ARRAY: 'PLAIN PLAIN_DICTIONARY RLE_DICTIONARY DELTA_LENGTH_BYTE_ARRAY DELTA_BYTE_ARRAY',
    FIXED_LEN_BYTE_ARRAY: 'PLAIN PLAIN_DICTIONARY RLE_DICTIONARY DELTA_BYTE_ARRAY BYTE_STREAM_SPLIT',
  }
  const types = Object.keys(physical) as (keyof typeof physical)[]
  const names = Object.keys(encodings) as (keyof typeof encodings)[]
  const pairs = types.flatMap((type) => [...names, 'of number 10' as const].map((encoding) => ({ type, encoding })))

  it.each(pairs)('is refused before it is read: $type values in $encoding', ({ type, encoding }) => {
    const number = encoding === 'of number 10' ? 10 : encodings[encoding]
    // The page is never decoded, so its content does not matter.
    const path = write({
      type,
      element: type === 'FIXED_LEN_BYTE_ARRAY' ? { 2: i32(8) } : {},
      chunks: [
        {
          rows: 3,
          pages: dataPage({ rows: 3, body: new Uint8Array(100), encoding: number }),
          dictionary: dictionaryPage(2, new Uint8Array(24)),
        },
      ],
    })
    const isPossible = possible[type].split(' ').includes(encoding)
    using file = new ParquetFile(path, { remember: false })
    expect(file.columns[1].name).toBe('value')
    const problem = problemOf(path, false)
    if (isPossible) expect(problem).not.toContain('has encoding')
    else expect(problem).toContain(`column value cannot be read (a page of ${type} values has encoding`)
  })

  it('is refused in a second page and in a later row group', () => {
    const spoilt = dataPage({ rows: 1, body: doubleBytes(3), encoding: encodings.DELTA_BYTE_ARRAY })
    const pages = join2(dataPage({ rows: 2, body: doubleBytes(1, 2) }), spoilt)
    expect(problemOf(write({ type: 'DOUBLE', chunks: [{ rows: 3, pages }] }), false)).toContain('DELTA_BYTE_ARRAY')
    const path = join(temporaryFolder(), 'file.parquet')
    const chunks = [plainChunk(3, doubleBytes(1, 2, 3)), { rows: 1, pages: spoilt }]
    const times = { ...time, chunks: [...time.chunks, plainChunk(1, longBytes(180_000))] }
    writeFileSync(path, parquetBytes([times, { name: 'value', type: 'DOUBLE', chunks }]))
    expect(problemOf(path, false)).toContain('DELTA_BYTE_ARRAY')
  })

  it('is refused in a dictionary', () => {
    const dictionary = dictionaryPage(2, doubleBytes(1, 2), encodings.BYTE_STREAM_SPLIT)
    const pages = dataPage({ rows: 3, body: indexes, encoding: encodings.RLE_DICTIONARY })
    expect(problemOf(write({ type: 'DOUBLE', chunks: [{ rows: 3, pages, dictionary }] }), false)).toContain(
      'BYTE_STREAM_SPLIT',
    )
  })
})

describe('a dictionary-encoded page with another label', () => {
  const relabelled = (type: 'DOUBLE' | 'BYTE_ARRAY', dictionaryBody: Uint8Array, encoding: number) =>
    write({
      type,
      ...(type === 'BYTE_ARRAY' && { element: { 6: i32(0) } }),
      chunks: [
        {
          rows: 3,
          pages: dataPage({ rows: 3, body: indexes, encoding }),
          dictionary: dictionaryPage(2, dictionaryBody),
        },
      ],
    })
  const doubles = doubleBytes(1, 2)
  const texts = textBytes('buy', 'sell')

  it('is valid under its own', () => {
    expect(problemOf(relabelled('DOUBLE', doubles, encodings.RLE_DICTIONARY), true)).toBe('none')
    expect(problemOf(relabelled('BYTE_ARRAY', texts, encodings.RLE_DICTIONARY), true)).toBe('none')
  })

  it.each([
    'DELTA_BYTE_ARRAY',
    'DELTA_LENGTH_BYTE_ARRAY',
    'DELTA_BINARY_PACKED',
    'BYTE_STREAM_SPLIT',
    'PLAIN',
    'RLE',
  ] as const)('is refused when it comes in: %s', (encoding) => {
    expect(problemOf(relabelled('DOUBLE', doubles, encodings[encoding]), true)).toContain('column value cannot be read')
    expect(problemOf(relabelled('BYTE_ARRAY', texts, encodings[encoding]), true)).toContain(
      'column value cannot be read',
    )
  })
})

describe('definition levels', () => {
  const nullable = (levels: number[], values: number[], levelEncoding: number = encodings.RLE) => {
    const body = join2(
      new Uint8Array(Uint32Array.of(levels.length).buffer),
      Uint8Array.from(levels),
      doubleBytes(...values),
    )
    const page = struct({ 1: i32(3), 2: i32(encodings.PLAIN), 3: i32(levelEncoding), 4: i32(encodings.RLE) })
    const header = struct({ 1: i32(0), 2: i32(body.length), 3: i32(body.length), 5: page })
    return write({ type: 'DOUBLE', nullable: true, chunks: [{ rows: 3, pages: join2(header.bytes, body) }] })
  }

  test('up to the maximum are read', () => {
    expect(problemOf(nullable([6, 1], [1, 2, 3]), true)).toBe('none')
    expect(problemOf(nullable([4, 1, 2, 0], [1, 2]), true)).toBe('none')
  })

  test('above the maximum are refused', () => {
    expect(problemOf(nullable([6, 2], [1, 2, 3]), true)).toContain('a definition level is above the maximum')
    expect(problemOf(nullable([4, 1, 2, 3], [1, 2, 3]), true)).toContain('a definition level is above the maximum')
  })

  test('in an encoding that nobody reads are refused', () => {
    expect(problemOf(nullable([6, 1], [1, 2, 3], encodings.BIT_PACKED), true)).toContain('encoding BIT_PACKED')
  })
})

describe('the annotation of a column', () => {
  const converted = (type: keyof typeof physical, number: number, more: Record<number, EncodedValue> = {}) => {
    const body = type === 'INT32' ? new Uint8Array(Int32Array.of(1, 2, 3).buffer) : doubleBytes(1, 2, 3)
    const path = write({ type, element: { 6: i32(number), ...more }, chunks: [plainChunk(3, body)] })
    return problemOf(path, false)
  }
  const digits = (precision: number, scale: number) => ({ 7: i32(scale), 8: i32(precision) })

  test('may be one that its values can have', () => {
    expect(converted('INT32', 5, digits(9, 2))).toBe('none')
    expect(converted('INT64', 5, digits(18, 2))).toBe('none')
    expect(converted('INT32', 13)).toBe('none')
    expect(converted('INT64', 14)).toBe('none')
    expect(converted('INT32', 6)).toBe('none')
  })

  test.each([
    ['DECIMAL', 'DOUBLE', 5],
    ['DECIMAL', 'FLOAT', 5],
    ['UINT_32', 'DOUBLE', 13],
    ['UINT_64', 'DOUBLE', 14],
    ['UINT_8', 'INT64', 11],
    ['INT_64', 'INT32', 18],
    ['UTF8', 'INT64', 0],
    ['DATE', 'INT64', 6],
    ['TIME_MICROS', 'INT32', 8],
    ['TIMESTAMP_MILLIS', 'DOUBLE', 9],
    ['INTERVAL', 'INT64', 21],
  ] as const)('is refused where they cannot: %s on %s', (name, type, number) => {
    expect(converted(type, number, digits(9, 2))).toContain(`a column of ${type} claims to be ${name}`)
  })

  test.each([
    [0, 0],
    [3, 5],
    [9, -1],
  ])('is refused if it is a decimal of %d digits with %d after the point', (precision, scale) => {
    expect(converted('INT32', 5, digits(precision, scale))).toContain('a decimal claims to have')
  })

  test('is ignored where only the newer field states what they cannot have', () => {
    const decimal = struct({ 5: struct({ 1: i32(2), 2: i32(9) }) })
    const path = write({ type: 'DOUBLE', element: { 10: decimal }, chunks: [plainChunk(3, doubleBytes(1, 2, 3))] })
    expect(validateParquet(path, { deep: true }).facts.columns[1]).toMatchObject({ type: 'double', min: 1, max: 3 })
  })
})
