import { writeFileSync } from 'node:fs'
import { DuckDBInstance } from '@duckdb/node-api'
import { describe, expect, it, test } from 'vitest'
import { validateParquet } from '#core/downloads/verifyFile.ts'
import type { OwnedSeries } from '#core/store/seriesIndex.ts'
import { i64 } from '../../fakes/hostileParquet.ts'
import {
  bytesValue,
  doubleBytes,
  longBytes,
  parquetBytes,
  plainChunk,
  textBytes,
  type WrittenChunk,
  type WrittenColumn,
} from '../../fakes/parquetBytes.ts'
import { indexFile, writeCachedFile } from '../../fakes/parquetCache.ts'
import { openSqlWorld, type SqlWorld } from '../../fakes/sqlWorld.ts'

const HOUR_MS = 3_600_000
const START_MS = Date.UTC(2026, 7, 1)
const NaNs = 12
/** Rows of a row group of each file below. */
const GROUP_ROWS = 2

const series: OwnedSeries = {
  connectionId: 'sandbox',
  kind: 'metrics',
  dataset: 'flow',
  exchange: 'venuea-futures',
  symbol: 'perpetual-BTC-USDT:USDT',
  interval: '1h',
  timestamp: 'exchange',
}

type Bounds = readonly [low: Uint8Array, high: Uint8Array, nulls?: number]

/** States that the values of a chunk lie within bounds, whatever they are. */
const stating = (chunk: WrittenChunk, [low, high, nulls = 0]: Bounds): WrittenChunk => ({
  ...chunk,
  statistics: { 3: i64(nulls), 5: bytesValue(high), 6: bytesValue(low) },
})

const chunksOf = <Value>(values: readonly Value[], encode: (values: readonly Value[]) => Uint8Array) =>
  Array.from({ length: values.length / GROUP_ROWS }, (_, group) => {
    const part = values.slice(group * GROUP_ROWS, (group + 1) * GROUP_ROWS)
    return plainChunk(part.length, encode(part))
  })

/** Puts bytes of a file into the cache, as a file that an older version of the app took in if not `deep`. */
function put(world: SqlWorld, columns: readonly WrittenColumn[], deep: boolean, day = '2026-08-01'): string {
  const path = writeCachedFile(world.dataDir, series, day)
  writeFileSync(path, parquetBytes(columns))
  indexFile(world.store, world.dataDir, series, day, { deep })
  return path
}

const timeOf = (rows: number): WrittenColumn => ({
  name: 'time',
  type: 'INT64',
  chunks: chunksOf(
    Array.from({ length: rows }, (_, row) => START_MS + row * HOUR_MS),
    (times) => longBytes(...times),
  ),
})

/** Values up to 23 with a NaN in each row group, which its statistics leave out, as most writers do. */
const withNaN = Array.from({ length: GROUP_ROWS * NaNs }, (_, row) => (row % GROUP_ROWS === 1 ? NaN : row + 1 / 3))
const finite = withNaN.filter((value) => !Number.isNaN(value))

const nanColumn: WrittenColumn = {
  name: 'flow_entropy',
  type: 'DOUBLE',
  chunks: chunksOf(withNaN, (values) => doubleBytes(...values)).map((chunk, group) => {
    const known = withNaN.slice(group * GROUP_ROWS, (group + 1) * GROUP_ROWS).filter((value) => !Number.isNaN(value))
    return stating(chunk, [doubleBytes(Math.min(...known)), doubleBytes(Math.max(...known))])
  }),
}

describe.each([
  ['compared with its statistics', true],
  ['of an older version of the app', false],
])('a file with NaN, %s', (_, deep) => {
  const x = 'flow_entropy'
  const from = `FROM metrics.flow WHERE symbol = '${series.symbol}'`
  const open = () => {
    const world = openSqlWorld()
    put(world, [timeOf(withNaN.length), nanColumn], deep)
    return world
  }
  const above = NaNs + finite.filter((value) => value > 20).length

  it('has the same rows whatever way a condition is written', async () => {
    const world = open()
    const count = async (text: string) => (await world.query(text))[0].n
    expect(await count(`SELECT count(*) AS n ${from} AND ${x} > 20`)).toBe(above)
    expect(await count(`SELECT count(*) AS n ${from} AND ${x} + 0 > 20`)).toBe(above)
    expect(await count(`SELECT count(*) FILTER (WHERE ${x} > 20) AS n ${from}`)).toBe(above)
    expect(await count(`SELECT count(*) AS n ${from} AND ${x} > 1000`)).toBe(NaNs)
    expect(await count(`SELECT count(*) AS n ${from} AND ${x} = 'NaN'::DOUBLE`)).toBe(NaNs)
    expect(await count(`SELECT count(*) AS n ${from} AND ${x} IN ('NaN'::DOUBLE, 1000)`)).toBe(NaNs)
    expect(await count(`SELECT count(*) AS n ${from} AND isnan(${x})`)).toBe(NaNs)
    expect(await count(`SELECT count(*) AS n ${from} AND NOT (${x} <= 1000)`)).toBe(NaNs)
    expect(await count(`SELECT count(*) AS n ${from} AND ${x} BETWEEN 1000 AND 'NaN'::DOUBLE`)).toBe(NaNs)
  })

  it('has the highest value that DuckDB orders highest', async () => {
    const world = open()
    expect(await world.query(`SELECT max(${x}) AS high ${from}`)).toEqual([{ high: NaN }])
    expect(await world.query(`SELECT min(${x}) AS low ${from}`)).toEqual([{ low: Math.min(...finite) }])
    expect(await world.query(`SELECT max(${x}) AS high, min(${x}) AS low FROM metrics.flow`)).toEqual([
      { high: NaN, low: Math.min(...finite) },
    ])
    expect(await world.query(`SELECT ${x} ${from} ORDER BY ${x} DESC LIMIT 2`)).toEqual([{ [x]: NaN }, { [x]: NaN }])
    expect(await world.query(`SELECT arg_max(time, ${x}) IS NOT NULL AS found ${from}`)).toEqual([{ found: 'true' }])
  })

  it('is found by EXISTS, subqueries and joins', async () => {
    const world = open()
    const some = await world.query(`SELECT EXISTS (SELECT 1 ${from} AND ${x} > 1000) AS found`)
    expect(some).toEqual([{ found: 'true' }])
    const wanted = `(SELECT unnest(['NaN'::DOUBLE, 1000]) AS v)`
    const joined = await world.query(`SELECT count(*) AS n FROM ${wanted} w JOIN metrics.flow f ON f.${x} = w.v`)
    expect(joined).toEqual([{ n: NaNs }])
    const semi = await world.query(`SELECT count(*) AS n ${from} AND ${x} IN (SELECT v FROM ${wanted})`)
    expect(semi).toEqual([{ n: NaNs }])
    const ranged = await world.query(
      `SELECT count(*) AS n FROM (SELECT 1000 AS v) w JOIN metrics.flow f ON f.${x} > w.v`,
    )
    expect(ranged).toEqual([{ n: NaNs }])
  })
})

describe.each([
  ['compared with its statistics', true],
  ['of an older version of the app', false],
])('a file whose statistics are right but wider than its values, %s', (_, deep) => {
  const open = () => {
    const world = openSqlWorld()
    const values = Array.from({ length: 4 }, (_, row) => row + 0.5)
    const zeros = [0, 0, 0, 0]
    const names = ['mm', 'mn', 'mo', 'mp']
    put(
      world,
      [
        timeOf(4),
        {
          name: 'wide',
          type: 'DOUBLE',
          chunks: chunksOf(values, (part) => doubleBytes(...part)).map((chunk) =>
            stating(chunk, [doubleBytes(-100), doubleBytes(100)]),
          ),
        },
        // Writers state −0 as the lowest value if it is zero.
        {
          name: 'zero',
          type: 'DOUBLE',
          chunks: chunksOf(zeros, (part) => doubleBytes(...part)).map((chunk) =>
            stating(chunk, [doubleBytes(-0), doubleBytes(0)]),
          ),
        },
        {
          name: 'word',
          type: 'BYTE_ARRAY',
          element: { 6: { type: 5, bytes: Uint8Array.of(0) } },
          chunks: chunksOf(names, (part) => textBytes(...part)).map((chunk) =>
            stating(chunk, [Buffer.from('a'), Buffer.from('z')]),
          ),
        },
      ],
      deep,
    )
    return world
  }

  it.each(['wide', 'zero', 'word'])('answers the lowest and highest value of %s from the values', async (name) => {
    const world = open()
    const [found] = await world.query(`SELECT min(${name}) AS low, max(${name}) AS high FROM metrics.flow`)
    expect(found).toEqual(
      { wide: { low: 0.5, high: 3.5 }, zero: { low: 0, high: 0 }, word: { low: 'mm', high: 'mp' } }[name],
    )
  })
})

describe('a file whose statistics are wrong', () => {
  const rows = 8
  const values = Array.from({ length: rows }, (_, row) => row + 0.5)
  const times = Array.from({ length: rows }, (_, row) => START_MS + row * HOUR_MS)
  const column = (name: string, wrong: Bounds): WrittenColumn[] => {
    const spoil = (each: WrittenColumn) =>
      each.name === name ? { ...each, chunks: each.chunks.map((chunk) => stating(chunk, wrong)) } : each
    const timestamp = { 6: { type: 5, bytes: Uint8Array.of(18) } }
    return [
      { ...timeOf(rows), ...(name === 'time' && { element: timestamp }) },
      { name: 'net_volume', type: 'DOUBLE' as const, chunks: chunksOf(values, (part) => doubleBytes(...part)) },
      {
        name: 'word',
        type: 'BYTE_ARRAY' as const,
        element: { 6: { type: 5, bytes: Uint8Array.of(0) } },
        chunks: chunksOf(values, (part) => textBytes(...part.map((value) => `w${value}`))),
      },
      {
        name: 'whole',
        type: 'INT64' as const,
        chunks: chunksOf(values, (part) => longBytes(...part.map(Math.floor))),
      },
    ].map(spoil)
  }
  const cases: [string, Bounds, string][] = [
    ['net_volume', [doubleBytes(0), doubleBytes(3)], 'net_volume > 3'],
    ['net_volume', [doubleBytes(0), doubleBytes(99), 2], 'net_volume IS NOT NULL AND net_volume > 3'],
    ['time', [longBytes(START_MS), longBytes(START_MS)], `time >= TIMESTAMP '2026-08-01 03:00:00'`],
    ['word', [Buffer.from('w0'), Buffer.from('w1')], `word >= 'w3'`],
    ['whole', [longBytes(0), longBytes(2)], 'whole >= 3'],
  ]

  test.each(cases)('is refused when it comes in: %s', (name, wrong) => {
    const world = openSqlWorld()
    expect(() => put(world, column(name, wrong), true)).toThrow(`column ${name}`)
  })

  test.each(cases)(
    'is read by SQL without them if it came in before they were checked: %s',
    async (name, wrong, condition) => {
      const world = openSqlWorld()
      put(world, column(name, wrong), false)
      const [found] = await world.query(`SELECT count(*) AS n FROM metrics.flow WHERE ${condition}`)
      expect(found).toEqual({ n: 5 })
      const [all] = await world.query(
        'SELECT count(net_volume) AS n, max(net_volume) AS high, max(time) AS latest FROM metrics.flow',
      )
      expect(all).toMatchObject({ n: rows, high: 7.5, latest: times[rows - 1] })
    },
  )
})
