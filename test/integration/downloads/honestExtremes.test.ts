import { DuckDBInstance } from '@duckdb/node-api'
import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parquetWriteBuffer } from 'hyparquet-writer'
import { expect, onTestFinished, test } from 'vitest'
import { createGuardedValidation, noJournal } from '#core/downloads/guardedValidation.ts'
import { startNodeProcess } from '#core/guard/guardedProcess.ts'
import { temporaryFolder } from '../../fakes/temporaryFolder.ts'

const allCodecs = ['uncompressed', 'snappy', 'gzip', 'zstd', 'brotli', 'lz4_raw']

const startMs = Date.UTC(2026, 6, 1)
const rowsPerMonth = 178_560
/**
 * True if every codec is tried for the largest files. Files of 20 M rows take a minute per codec to write on a busy
 * machine, and so does a sorted month with Brotli; by default these files are tried with few codecs.
 */
const everyCodecOfTheLargest = process.env.PERPSCOPE_ALL_EXTREMES === '1'

/**
 * Returns SQL that selects trades at irregular times with repeating prices, which a writer of Parquet's second version
 * packs best.
 */
const trades = (rows: number) => `SELECT
  make_timestamp(${startMs} * 1000 + i * 4300 + (hash(i) % 16)::BIGINT) AS exchange_timestamp,
  (['buy', 'sell'])[1 + (hash(i) % 2)::BIGINT] AS side, 60000 + (hash(i) % 61)::DOUBLE / 10 AS price FROM range(${rows}) t(i)`

interface Extreme {
  rows: number
  mostRows?: number
  select: string
  /** Options of DuckDB's Parquet writer. */
  layout?: string
  /** Codecs to try; all of them by default. */
  codecs?: readonly string[]
}

/**
 * Files that compress as well or contain as many rows as a valid file can, by name; `mostRows` is the limit of the
 * file's period.
 */
const extremes: Record<string, Extreme> = {
  'one row': { rows: 1, mostRows: 2, select: `SELECT ${startMs}::BIGINT AS time, 1.5::DOUBLE AS x` },
  'a month of constants, each twice': {
    rows: 2 * rowsPerMonth,
    mostRows: 2 * rowsPerMonth,
    select: `SELECT ${startMs} + (i // 2) * 15000 AS time, 0.0::DOUBLE AS x, 'measured' AS kind FROM range(${2 * rowsPerMonth}) t(i)`,
  },
  'a month of nothing': {
    rows: rowsPerMonth,
    mostRows: 2 * rowsPerMonth,
    select: `SELECT ${startMs} + i * 15000 AS time, NULL::DOUBLE AS x, NULL::VARCHAR AS word FROM range(${rowsPerMonth}) t(i)`,
  },
  'a sorted month': {
    rows: rowsPerMonth,
    mostRows: 2 * rowsPerMonth,
    select: `SELECT ${startMs} + i * 15000 AS time, i::DOUBLE AS x, (i * 7)::BIGINT AS y FROM range(${rowsPerMonth}) t(i)`,
    codecs: everyCodecOfTheLargest ? allCodecs : allCodecs.filter((codec) => codec !== 'brotli'),
  },
  '100,000 trades': { rows: 100_000, select: trades(100_000) },
  'a day of 20 M trades': {
    rows: 20_000_000,
    select: trades(20_000_000),
    layout: ', PARQUET_VERSION V2, ROW_GROUP_SIZE 1000000',
    codecs: everyCodecOfTheLargest ? allCodecs : ['zstd', 'uncompressed'],
  },
}

async function openValidation() {
  const validation = createGuardedValidation({ start: startNodeProcess, processes: 1, journal: noJournal })
  onTestFinished(() => validation.close())
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  onTestFinished(() => {
    connection.closeSync()
    instance.closeSync()
  })
  return { validation, connection }
}

test.for(Object.entries(extremes))(
  '%s: accepted, however it is compressed',
  { timeout: 600_000 },
  async ([name, { rows, mostRows, select, layout = '', codecs = allCodecs }]) => {
    const { validation, connection } = await openValidation()
    const path = join(temporaryFolder(), 'file.parquet')
    await connection.run(`CREATE TABLE extreme AS ${select}`)
    for (const codec of codecs) {
      await connection.run(`COPY extreme TO '${path}' (FORMAT parquet, COMPRESSION ${codec}${layout})`)
      const [result] = await validation.validate([{ path, ...(mostRows !== undefined && { mostRows }) }])
      expect(result, `${name}, ${codec}, ${statSync(path).size} bytes`).toMatchObject({
        validated: { facts: { rows } },
      })
    }
  },
)

/** Returns a page in the LZ4 framing of old writers: both lengths of the page, then one block of literals. */
function framedLz4(page: Uint8Array): Uint8Array {
  const more = page.length - 15
  const lengths = [0xf0, ...Array.from({ length: Math.floor(more / 255) }, () => 255), more % 255]
  const frame = Buffer.alloc(8)
  frame.writeUInt32BE(page.length)
  frame.writeUInt32BE(lengths.length + page.length, 4)
  return Buffer.concat([frame, Buffer.from(lengths), page])
}

test('the LZ4 frames of old writers are accepted', async () => {
  const { validation } = await openValidation()
  const path = join(temporaryFolder(), 'file.parquet')
  const data = BigInt64Array.from({ length: 5000 }, (_, row) => BigInt(startMs + row * 1000))
  const columnData = [{ name: 'time', type: 'INT64' as const, encoding: 'PLAIN' as const, data }]
  writeFileSync(path, new Uint8Array(parquetWriteBuffer({ columnData, codec: 'LZ4', compressors: { LZ4: framedLz4 } })))
  const [result] = await validation.validate([{ path }])
  expect(result).toMatchObject({ validated: { facts: { rows: 5000, stepMs: 1000 } } })
})

test('a regular grid of differences, whose rows take next to no bytes, is accepted', async () => {
  const { validation } = await openValidation()
  const path = join(temporaryFolder(), 'file.parquet')
  const rows = 1_000_000
  const columnData = [
    {
      name: 'time',
      type: 'INT64' as const,
      encoding: 'DELTA_BINARY_PACKED' as const,
      data: BigInt64Array.from({ length: rows }, (_, row) => BigInt(startMs + row * 1000)),
    },
  ]
  writeFileSync(path, new Uint8Array(parquetWriteBuffer({ columnData })))
  expect(statSync(path).size).toBeLessThan(rows / 10)
  const [result] = await validation.validate([{ path }])
  expect(result).toMatchObject({ validated: { facts: { rows, stepMs: 1000 } } })
})
