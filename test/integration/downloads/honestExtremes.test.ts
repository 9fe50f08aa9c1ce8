import { DuckDBInstance } from '@duckdb/node-api'
import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parquetWriteBuffer } from 'hyparquet-writer'
import { expect, onTestFinished, test } from 'vitest'
import { createGuardedValidation } from '#core/downloads/guardedValidation.ts'
import { noJournal } from '#core/downloads/validationJournal.ts'
import { startNodeProcess } from '#core/guard/guardedProcess.ts'
import { temporaryFolder } from '../../fakes/temporaryFolder.ts'

const allCodecs = ['uncompressed', 'snappy', 'gzip', 'zstd', 'brotli', 'lz4_raw']

const startMs = Date.UTC(2026, 6, 1)
const month = 178_560
const twenty = 20_000_000

interface Extreme {
  rows: number
  mostRows?: number
  select: string
  /** Codecs to try; all of them where it does not take minutes. */
  codecs?: readonly string[]
}

/** Files that compress or hold as much as an honest one can: name → its rows, the limit of its period, and its content. */
const extremes: Record<string, Extreme> = {
  'one row': { rows: 1, mostRows: 2, select: `SELECT ${startMs}::BIGINT AS time, 1.5::DOUBLE AS x` },
  'a month of constants, each twice': {
    rows: 2 * month,
    mostRows: 2 * month,
    select: `SELECT ${startMs} + (i // 2) * 15000 AS time, 0.0::DOUBLE AS x, 'measured' AS kind FROM range(${2 * month}) t(i)`,
  },
  'a month of nothing': {
    rows: month,
    mostRows: 2 * month,
    select: `SELECT ${startMs} + i * 15000 AS time, NULL::DOUBLE AS x, NULL::VARCHAR AS word FROM range(${month}) t(i)`,
  },
  'a sorted month': {
    rows: month,
    mostRows: 2 * month,
    select: `SELECT ${startMs} + i * 15000 AS time, i::DOUBLE AS x, (i * 7)::BIGINT AS y FROM range(${month}) t(i)`,
  },
  'a day of 20 M trades': {
    rows: twenty,
    codecs: ['zstd', 'uncompressed'],
    select: `SELECT make_timestamp(${startMs} * 1000 + i * 4300 + (hash(i) % 4300)::BIGINT) AS exchange_timestamp,
      (['buy', 'sell'])[1 + (hash(i * 3) % 2)::BIGINT] AS side, (60000 + (hash(i * 5) % 10000)::DOUBLE / 10) AS price FROM range(${twenty}) t(i)`,
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
  async ([name, { rows, mostRows, select, codecs = allCodecs }]) => {
    const { validation, connection } = await openValidation()
    const path = join(temporaryFolder(), 'file.parquet')
    for (const codec of codecs) {
      await connection.run(`COPY (${select}) TO '${path}' (FORMAT parquet, COMPRESSION ${codec})`)
      const [result] = await validation.validate([{ path, ...(mostRows !== undefined && { mostRows }) }])
      expect(result, `${name}, ${codec}, ${statSync(path).size} bytes`).toMatchObject({
        validated: { facts: { rows } },
      })
    }
  },
)

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
