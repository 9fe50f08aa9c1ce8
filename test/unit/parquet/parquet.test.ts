import { DuckDBInstance } from '@duckdb/node-api'
import { mkdtempSync, rmSync, truncateSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readEventRowGroups } from '#core/compute/eventRowGroups.ts'
import { ParquetFile } from '#core/parquet/parquetFile.ts'
import { readNumbers, readTexts, readTimesUs } from '#core/parquet/readColumn.ts'
import { TextDictionary } from '#core/parquet/decodeTexts.ts'
import { parquetWriteBuffer } from 'hyparquet-writer'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const folder = mkdtempSync(join(tmpdir(), 'perpscope-readers-'))
const instance = await DuckDBInstance.create(':memory:')
const connection = await instance.connect()

afterAll(() => {
  connection.closeSync()
  instance.closeSync()
  rmSync(folder, { recursive: true })
})

const rows = 5000

/** SQL with columns of every type, with and without nulls, with few and with many distinct values. */
const everything = `SELECT
    i::BIGINT AS whole64, i::INTEGER - 2500 AS whole32, (i % 7)::SMALLINT AS whole16, (i * 3000000000)::UBIGINT AS unsigned64,
    (i % 6 * 3000000000)::UBIGINT AS repeated64, (i % 8)::UINTEGER AS repeated32,
    i / 3.0::DOUBLE AS many, (i % 5) * 0.25::DOUBLE AS few, (i / 7.0)::FLOAT AS single, i % 3 = 0 AS flag,
    CASE WHEN i % 4 = 1 THEN NULL ELSE i * 1.5::DOUBLE END AS sparse, NULL::DOUBLE AS empty,
    CASE WHEN i BETWEEN 1000 AND 3500 THEN NULL ELSE (i % 9)::DOUBLE END AS gap,
    (i * 1.25)::DECIMAL(12, 2) AS fixed, CASE WHEN i % 4 = 1 THEN NULL ELSE (i % 9 * 1.25)::DECIMAL(12, 2) END AS sparse_fixed,
    make_timestamp(1788220800123456 + i * 1000003) AS micros,
    make_timestamp(1788220800123456 + i * 1000003)::TIMESTAMP_MS AS millis,
    make_timestamp_ns(1788220800123456789 + i * 1000000007) AS nanos,
    make_timestamp_ns((i - 2500) * 1000000007) AS around1970,
    'side ' || (i % 3) AS side, CASE WHEN i % 5 = 0 THEN NULL ELSE 'id ' || i END AS id, repeat('é', (i % 4)::INT) AS wide
  FROM range(${rows}) t(i)`

const numberColumns =
  'whole64 whole32 whole16 unsigned64 repeated64 repeated32 many few single flag sparse empty gap fixed sparse_fixed'.split(
    ' ',
  )

type Cell = number | string | null
let truth: Record<string, Cell[]>

beforeAll(async () => {
  const asNumbers = numberColumns.map((name) => `${name}::DOUBLE AS ${name}`)
  const times = `epoch_us(micros)::DOUBLE AS micros, epoch_us(millis)::DOUBLE AS millis, (epoch_ns(nanos) // 1000)::DOUBLE AS nanos`
  // Times before 1970 are rounded down as well, so that nanoseconds keep their order in microseconds.
  const around1970 = '(epoch_ns(around1970) // 1000 - (epoch_ns(around1970) % 1000 < 0)::INT)::DOUBLE AS around1970'
  const result = await connection.runAndReadAll(
    `SELECT ${asNumbers}, ${times}, ${around1970}, side, id, wide FROM (${everything})`,
  )
  truth = result.getColumnsObjectJS() as Record<string, Cell[]>
})

async function writeFile(name: string, options: string): Promise<string> {
  const path = join(folder, `${name}.parquet`)
  await connection.run(`COPY (${everything}) TO '${path}' (FORMAT parquet, ${options})`)
  return path
}

const cells = (values: Iterable<number>): Cell[] => [...values].map((value) => (Number.isNaN(value) ? null : value))

function readAll(path: string, from: number, to: number): Record<string, Cell[]> {
  using file = new ParquetFile(path)
  const read: Record<string, Cell[]> = {}
  const numbers = (name: string, reader: typeof readNumbers) => {
    const values = new Float64Array(to - from + 2).fill(-1)
    const valid = new Uint8Array(values.length).fill(1)
    const nulls = reader(file, name, { from, to }, { values, at: 1, valid })
    expect([values[0], values[values.length - 1]], `${name}: beside the target`).toEqual([-1, -1])
    read[name] = cells(values.subarray(1, values.length - 1))
    expect(read[name].filter((cell) => cell === null)).toHaveLength(nulls)
    expect(valid.filter((bit) => bit === 0)).toHaveLength(nulls)
  }
  for (const name of numberColumns) numbers(name, readNumbers)
  for (const name of ['micros', 'millis', 'nanos', 'around1970']) numbers(name, readTimesUs)
  for (const name of ['side', 'id', 'wide']) {
    const codes = new Int32Array(to - from)
    const dictionary = new TextDictionary()
    readTexts(file, name, { from, to }, dictionary, { values: codes, at: 0 })
    read[name] = Array.from(codes, (code) => dictionary.texts[code] ?? null)
  }
  return read
}

const cut = (from: number, to: number) =>
  Object.fromEntries(Object.entries(truth).map(([name, column]) => [name, column.slice(from, to)]))

describe('columns of Parquet files', () => {
  const writings = [
    ...['uncompressed', 'snappy', 'gzip', 'zstd', 'brotli', 'lz4_raw'].map(
      (codec) => `COMPRESSION ${codec}, ROW_GROUP_SIZE 2048`,
    ),
    'COMPRESSION zstd, PARQUET_VERSION v2, ROW_GROUP_SIZE 2048',
    'COMPRESSION snappy, PARQUET_VERSION v2, DICTIONARY_SIZE_LIMIT 1',
  ]
  it.each(writings)('are read as the database that wrote them reads them: %s', async (options) => {
    const path = await writeFile(`codec-${writings.indexOf(options)}`, options)
    expect(readAll(path, 0, rows)).toEqual(truth)
    for (const [from, to] of [
      [0, 1],
      [1500, 2100],
      [2048, 4096],
      [rows - 1, rows],
      [7, 7],
    ]) {
      expect(readAll(path, from, to)).toEqual(cut(from, to))
    }
  })

  it('are read from pages of the second version with nulls and several pages a group', () => {
    const values = Array.from({ length: 3000 }, (_, i) => (i % 6 === 2 ? null : i / 8))
    const path = join(folder, 'pages.parquet')
    const columnData = [{ name: 'x', type: 'DOUBLE' as const, data: values }]
    writeFileSync(path, new Uint8Array(parquetWriteBuffer({ columnData, pageSize: 1024, rowGroupSize: 1700 })))
    using file = new ParquetFile(path)
    const target = new Float64Array(2000)
    readNumbers(file, 'x', { from: 900, to: 2900 }, { values: target, at: 0 })
    expect(cells(target)).toEqual(values.slice(900, 2900))
  })

  it('give the same range of times before 1970 by their statistics and by their values', async () => {
    const path = await writeFile('early', 'COMPRESSION snappy, ROW_GROUP_SIZE 2048')
    using file = new ParquetFile(path)
    const times = truth.around1970.map(Number)
    const expected = file.rowGroups.map(({ startRow, rows: count }) => {
      return { path, startRow, rows: count, minUs: times[startRow], maxUs: times[startRow + count - 1] }
    })
    expect(file.rowGroups[0].chunks[file.indexOf('around1970')].statistics?.min_value).toBeTypeOf('bigint')
    expect(readEventRowGroups(file, 'around1970')).toEqual(expected)
  })

  it('say what they are', async () => {
    using file = new ParquetFile(await writeFile('types', 'COMPRESSION zstd'))
    const typeOf = (name: string) => file.columns[file.indexOf(name)]
    expect(file.rows).toBe(rows)
    expect([typeOf('many').type, typeOf('flag').type, typeOf('side').type, typeOf('fixed').type]).toEqual([
      'double',
      'boolean',
      'text',
      'other',
    ])
    expect(['micros', 'millis', 'nanos', 'whole64'].map((name) => typeOf(name).timestampUnit)).toEqual([
      'us',
      'ms',
      'ns',
      null,
    ])
  })
})

describe('what is no readable file or column', () => {
  it.each([
    ['an empty file', (path: string) => truncateSync(path, 0), 'empty'],
    ['a file cut off at the end', (path: string) => truncateSync(path, statSync(path).size - 100), 'cut off'],
    ['a short foreign file', (path: string) => writeFileSync(path, 'hello'), 'not a Parquet file'],
    ['a long foreign file', (path: string) => writeFileSync(path, 'time,price\n'.repeat(100)), 'not a Parquet file'],
    [
      'a damaged footer',
      (path: string) => writeFileSync(path, `PAR1${'x'.repeat(400)}\u0040\u0001\u0000\u0000PAR1`),
      'footer is damaged',
    ],
  ])('%s is said to be one, with its name', async (_name, spoil, message) => {
    const path = await writeFile('spoilt', 'COMPRESSION zstd')
    spoil(path)
    expect(() => new ParquetFile(path)).toThrow(message)
    expect(() => new ParquetFile(path)).toThrow(path)
  })

  it('an encrypted file is said to be encrypted, with its footer or with a plain one', async () => {
    const instance = await DuckDBInstance.create(':memory:')
    const db = await instance.connect()
    const sealed = join(folder, 'sealed.parquet')
    // DuckDB encrypts without its extension only if it may do so insecurely.
    await db.run("SET force_mbedtls_unsafe = 'true'")
    await db.run("PRAGMA add_parquet_key('test', '0123456789112345')")
    await db.run(`COPY (SELECT 1 AS a) TO '${sealed}' (FORMAT parquet, ENCRYPTION_CONFIG {footer_key: 'test'})`)
    db.closeSync()
    instance.closeSync()
    // A footer with one row group of one column chunk, which names its key and has no description of its own.
    const footer = Buffer.from('1502190c160019' + '1c' + '19' + '1c' + '26086c1c000000' + '1600160000' + '00', 'hex')
    const plainFooter = join(folder, 'plainFooter.parquet')
    const length = Buffer.from(Uint32Array.of(footer.length).buffer)
    writeFileSync(plainFooter, Buffer.concat([Buffer.from('PAR1'), footer, length, Buffer.from('PAR1')]))
    for (const path of [sealed, plainFooter])
      expect(() => new ParquetFile(path)).toThrow(`${path}: the file is encrypted, and Perpscope reads only files`)
  })

  it('damage inside a column names the file and the column', async () => {
    const path = await writeFile('damaged', 'COMPRESSION zstd')
    const bytes = Buffer.alloc(3000, 0xee)
    const { openSync, writeSync, closeSync } = await import('node:fs')
    using file = new ParquetFile(path)
    const chunk = file.rowGroups[0].chunks[file.indexOf('many')]
    const descriptor = openSync(path, 'r+')
    writeSync(descriptor, bytes, 0, bytes.length, Number(chunk.data_page_offset) + 40)
    closeSync(descriptor)
    const read = () => readNumbers(file, 'many', { from: 0, to: rows }, { values: new Float64Array(rows), at: 0 })
    expect(read).toThrow(`${path}: column many cannot be read`)
  })

  it('a missing column and a column of another kind are named', async () => {
    using file = new ParquetFile(await writeFile('kinds', 'COMPRESSION zstd'))
    const range = { from: 0, to: 1 }
    const values = new Float64Array(1)
    expect(() => readNumbers(file, 'price', range, { values, at: 0 })).toThrow('column price is missing')
    expect(() => readNumbers(file, 'side', range, { values, at: 0 })).toThrow('column side is text')
    expect(() => readTimesUs(file, 'whole64', range, { values, at: 0 })).toThrow('whole64 is not a timestamp')
    expect(() => readTexts(file, 'many', range, new TextDictionary(), { values: new Int32Array(1), at: 0 })).toThrow(
      'many is not text',
    )
  })
})

it.each(['V1', 'V2'])(
  'unsigned integers beyond 2³¹ (%s) are right, or refused: never other numbers',
  async (version) => {
    const path = join(folder, `unsigned-${version}.parquet`)
    await connection.run(
      `COPY (SELECT i::BIGINT AS time, (4000000000 + i)::UINTEGER AS x FROM range(100) t(i)) TO '${path}' (PARQUET_VERSION ${version})`,
    )
    using file = new ParquetFile(path)
    const values = new Float64Array(100)
    try {
      readNumbers(file, 'x', { from: 0, to: 100 }, { values, at: 0 })
    } catch (thrown) {
      expect(thrown).toMatchObject({ code: 'corrupt-file', detail: expect.stringContaining('column x') })
      return
    }
    expect([values[0], values[99]]).toEqual([4_000_000_000, 4_000_000_099])
  },
)
