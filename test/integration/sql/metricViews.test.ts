import { appendFileSync, rmSync, writeFileSync } from 'node:fs'
import { DuckDBInstance } from '@duckdb/node-api'
import type { ColumnSource } from 'hyparquet-writer'
import { parquetWriteBuffer } from 'hyparquet-writer'
import { findFiles, rowTaskOf } from '#core/series/seriesFiles.ts'
import { readSeries } from '#core/series/readSeries.ts'
import { forgetKnown } from '#core/series/changedFiles.ts'
import { sqlTables, tableName } from '#core/sql/tableCatalog.ts'
import type { OwnedSeries } from '#core/store/seriesIndex.ts'
import { computedOwner } from '#shared/contract/computedOwner.ts'
import { cellOf } from '#shared/contract/frame.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import { type Period, periodDays } from '#shared/time/periods.ts'
import { expect, it } from 'vitest'
import { randomOf } from '../../fakes/panelWorld.ts'
import { openTestStore } from '../../fakes/openTestStore.ts'
import { addCachedFile, indexFile, writeCachedFile } from '../../fakes/parquetCache.ts'
import { openSqlWorld, type Row, type SqlWorld } from '../../fakes/sqlWorld.ts'

const HOUR_MS = 3_600_000

const series = (over: Partial<OwnedSeries> = {}): OwnedSeries => ({
  connectionId: 'sandbox',
  kind: 'metrics',
  dataset: 'ohlcv',
  exchange: 'venuea-futures',
  symbol: 'perpetual-BTC-USDT:USDT',
  interval: '1h',
  timestamp: 'exchange',
  ...over,
})

interface FileShape {
  /** Type in which the file stores its times. */
  time: 'ms' | 'timestamp'
  columns: readonly string[]
  isUnsorted?: boolean
  duplicates?: boolean
}

const strange = [NaN, -0, 0, Infinity, -Infinity, 5e-324, 1.7976931348623157e308, 1 / 3, null]

/** Returns the columns of a file with an hourly grid and values that are hard to preserve. */
function columnsOf(period: Period, seed: number, shape: FileShape): ColumnSource[] {
  const { start, end } = periodDays(period)!
  const random = randomOf(seed)
  let times = Array.from({ length: (end - start) * 24 }, (_, at) => start * MS_PER_DAY + at * HOUR_MS)
  times = times.filter(() => random() > 0.05)
  if (shape.duplicates) times = times.flatMap((time) => (random() < 0.2 ? [time, time] : [time]))
  if (shape.isUnsorted) times = times.map((_, at) => times[(at * 7) % times.length])
  const time: ColumnSource =
    shape.time === 'ms'
      ? { name: 'time', type: 'INT64', data: BigInt64Array.from(times, BigInt) }
      : { name: 'time', type: 'TIMESTAMP', data: times.map((each) => new Date(each)) }
  return [
    time,
    ...shape.columns.map((name): ColumnSource => {
      const cells = times.map(() => (random() < 0.3 ? strange[Math.floor(random() * strange.length)] : random() * 1e4))
      return { name, type: 'DOUBLE', nullable: true, data: cells }
    }),
  ]
}

/** Returns the rows that charts and exports read, in the form that SQL gives. */
function readerRows({ store }: SqlWorld, wanted: OwnedSeries): Row[] {
  const name = { series: wanted, timestamp: wanted.timestamp as 'exchange' | 'true' }
  const found = findFiles(store, name, { startMs: null, endMs: null })
  const columns = ['open', 'close', 'volume', 'own_column']
  const task = { ...rowTaskOf(store, found), columns }
  forgetKnown(task)
  const { frame, unread } = readSeries(task)
  expect(unread).toEqual([])
  return Array.from({ length: frame.rows }, (_, row) =>
    Object.fromEntries(frame.columns.map((column) => [column.name, cellOf(column, row)])),
  )
}

async function expectSame(world: SqlWorld, wanted: OwnedSeries, threads = 2): Promise<void> {
  const { exchange, symbol, interval, timestamp, connectionId } = wanted
  const origin = connectionId === 'sandbox' ? 'service' : 'computed'
  const sql = `SELECT time, open, close, volume, own_column, known_at, base FROM metrics.ohlcv
    WHERE exchange = $1 AND symbol = $2 AND interval = $3 AND clock = $4 AND origin = $5 ORDER BY time`
  const parameters = { 1: exchange, 2: symbol, 3: interval, 4: timestamp, 5: origin }
  const rows = await world.query(sql, { parameters, threads })
  const expected = readerRows(world, wanted)
  expect(expected.length).toBeGreaterThan(0)
  const known = expected.map((row): Row => ({ ...row, known_at: Number(row.time) + HOUR_MS, base: 'BTC' }))
  expect(rows.length).toBe(known.length)
  rows.forEach((row, at) => {
    for (const [column, value] of Object.entries(row)) {
      // The reader returns NaN both for a missing value of a column without nulls and for a NaN in the file; SQL
      // distinguishes them.
      if (!Object.is(value, known[at][column]))
        expect({ at, column, value }).toEqual({ at, column, value: known[at][column] })
    }
  })
}

const shapes: Record<string, FileShape> = {
  plain: { time: 'ms', columns: ['open', 'close', 'volume', 'own_column'] },
  older: { time: 'timestamp', columns: ['close'] },
  twice: { time: 'ms', columns: ['volume', 'close', 'open', 'own_column'], duplicates: true },
  unsorted: { time: 'timestamp', columns: ['open', 'own_column'], isUnsorted: true },
}

/** Fills the cache with months, days, and a month beside its days, with both timestamps, served and computed. */
function fill({ store, dataDir }: SqlWorld): OwnedSeries[] {
  const all = [
    series(),
    series({ timestamp: 'true' }),
    series({ exchange: 'venueb-perps' }),
    series({ connectionId: computedOwner('sandbox') }),
  ]
  const periods: [Period, string][] = [
    ['2026-06', 'plain'],
    ['2026-07', 'older'],
    ['2026-07-03', 'twice'],
    ['2026-07-20', 'plain'],
    ['2026-08-01', 'unsorted'],
    ['2026-08-02', 'twice'],
    ['2026-08-04', 'plain'],
  ]
  all.forEach((each, seed) =>
    periods.forEach(([period, shape], at) =>
      addCachedFile(store, dataDir, each, period, columnsOf(period, seed * 100 + at, shapes[shape])),
    ),
  )
  return all
}

it('has the rows of the reader to the bit, over types, months and days, clocks, duplicates, served and computed', async () => {
  const world = openSqlWorld()
  for (const each of fill(world)) await expectSame(world, each)
  await expectSame(world, series(), 1)
  const counted = await world.query('SELECT origin, clock, count(*) AS n FROM metrics.ohlcv GROUP BY ALL ORDER BY ALL')
  expect(counted.map(({ origin, clock }) => `${origin} ${clock}`)).toEqual([
    'computed exchange',
    'service exchange',
    'service true',
  ])
})

it('reads a file that was changed and is whole, and leaves out those that are gone or damaged, with a sentence', async () => {
  const world = openSqlWorld()
  const { store, dataDir, sql } = world
  const [path, gone, damaged] = (['2026-08-01', '2026-08-02', '2026-08-03'] as const).map((period) =>
    addCachedFile(store, dataDir, series(), period, columnsOf(period, 1, shapes.plain)),
  )
  writeFileSync(path, new Uint8Array(parquetWriteBuffer({ columnData: columnsOf('2026-08-01', 9, shapes.twice) })))
  rmSync(gone)
  appendFileSync(damaged, 'x')
  const { rows, preflight } = await sql.run({
    sql: 'SELECT DISTINCT time FROM metrics.ohlcv',
    parameters: {},
    connectionId: '',
  })
  const expected = columnsOf('2026-08-01', 9, shapes.twice)[0].data
  expect(rows).toBe(new Set(Array.from(expected as Iterable<bigint>)).size)
  expect(preflight.files).toBe(1)
  expect(preflight.leftOut.map(({ path: each }) => each.split('/').at(-1))).toEqual([
    '2026-08-02.parquet',
    '2026-08-03.parquet',
  ])
  expect(preflight.leftOut[0].message).toBe('The file no longer exists.')
  expect(preflight.leftOut[1].message).not.toBe('')
})

it('leaves out rows without a time, in whichever column the times stand', async () => {
  const world = openSqlWorld()
  const { store, dataDir } = world
  const withTimes = (period: Period, place: 'first' | 'last', lost: number) => {
    const [time, ...others] = columnsOf(period, 5, { time: 'timestamp', columns: ['open', 'close'] })
    const data = Array.from(time.data as unknown[]).map((each, row) => (row < lost ? null : each))
    const column: ColumnSource = { ...time, nullable: true, data }
    addCachedFile(store, dataDir, series(), period, place === 'first' ? [column, ...others] : [...others, column])
    return data.length - lost
  }
  const counts = [
    withTimes('2026-08-01', 'first', 0),
    withTimes('2026-08-02', 'first', 3),
    withTimes('2026-08-03', 'last', 4),
    withTimes('2026-08-04', 'last', 0),
  ]
  const rows = await world.query('SELECT count(*) AS n FROM metrics.ohlcv GROUP BY time::DATE ORDER BY time::DATE')
  expect(rows.map(({ n }) => n)).toEqual(counts)
  expect(await world.query('SELECT count(*) AS n FROM metrics.ohlcv WHERE time IS NULL')).toEqual([{ n: 0 }])
})

it('sees a file that was changed between two queries on the same files', async () => {
  const world = openSqlWorld()
  const path = addCachedFile(
    world.store,
    world.dataDir,
    series(),
    '2026-08-01',
    columnsOf('2026-08-01', 1, shapes.plain),
  )
  const times = () => world.query('SELECT sum(hour(time)) AS hours, count(*) AS n FROM metrics.ohlcv')
  const before = await times()
  expect(await times()).toEqual(before)
  const changed = columnsOf('2026-08-01', 3, shapes.plain)
  writeFileSync(path, new Uint8Array(parquetWriteBuffer({ columnData: changed })))
  const n = Array.from(changed[0].data as Iterable<unknown>).length
  const after = await times()
  expect(after[0].n).toBe(n)
  expect(after).not.toEqual(before)
})

it('shows the data of one connection only', async () => {
  const world = openSqlWorld()
  const { store, dataDir } = world
  const fields = { portfolioUrl: 'http://127.0.0.1:1', catalogLocation: '', tier: null }
  const others = ['one', 'two'].map((name) =>
    store.connections.add({ name, metricsUrl: 'http://127.0.0.1:1', ...fields } as never),
  )
  const ids = ['sandbox', ...others.map(({ id }) => id)]
  ids.forEach((connectionId, at) => {
    for (let day = 1; day <= at + 1; day++) {
      const period = `2026-08-0${day}`
      addCachedFile(store, dataDir, series({ connectionId }), period, columnsOf(period, at, shapes.plain))
    }
  })
  for (const [at, connectionId] of ids.entries()) {
    const [{ n }] = await world.query('SELECT count(DISTINCT time::DATE) AS n FROM metrics.ohlcv', { connectionId })
    expect(n).toBe(at + 1)
    const files = await world.query('SELECT DISTINCT connection FROM cache.files', { connectionId })
    expect(files).toEqual([{ connection: store.connections.find(connectionId).name }])
  }
})

it.each([
  ['a table whose columns have new names', `AS t(symbol, exchange) WHERE symbol = 'venuea-futures'`],
  ['a renamed table in a join', `AS a(symbol, exchange) JOIN (SELECT 'venuea-futures' AS symbol) USING (symbol)`],
  ['an interval compared as a duration', `WHERE interval = INTERVAL '60 minutes'`],
  ['an interval converted to a duration', `WHERE interval::INTERVAL = INTERVAL '60 minutes'`],
  ['a time compared as text', `WHERE time::VARCHAR < '2026-08-1'`],
  ['a time compared with infinity', `WHERE time < 'infinity' AND known_at > '-infinity'`],
  ['a time between two microseconds', `WHERE time < TIMESTAMP_NS '2026-08-03 23:00:00.0000001'`],
])('reads every file that a query needs: %s', async (_, rest) => {
  const { query, store, dataDir } = openSqlWorld()
  const times = (day: number) => Array.from({ length: 24 }, (__, hour) => BigInt(Date.UTC(2026, 7, day, hour)))
  for (const day of [2, 3])
    addCachedFile(store, dataDir, series(), `2026-08-0${day}`, [
      { name: 'time', type: 'INT64', data: BigInt64Array.from(times(day)) },
      { name: 'close', type: 'DOUBLE', data: new Float64Array(24) },
    ])
  expect(await query(`SELECT count(*) AS n FROM metrics.ohlcv ${rest}`)).toEqual([{ n: 48 }])
})

it('does not miss the day that a range ends before', async () => {
  const { sql, store, dataDir } = openSqlWorld()
  addCachedFile(store, dataDir, series(), '2026-08-02', columnsOf('2026-08-02', 1, shapes.plain))
  const missingWhere = async (times: string) => {
    const { missing } = await sql.preflight({
      sql: `FROM metrics.ohlcv WHERE exchange = 'venuea-futures' AND symbol = 'perpetual-BTC-USDT:USDT' AND interval = '1h'
        AND clock = 'exchange' AND time >= '2026-08-02' AND ${times}`,
      parameters: {},
      connectionId: '',
    })
    return missing.map(({ periods, of, endDay }) => [periods, of, endDay])
  }
  expect(await missingWhere(`time < '2026-08-03'`)).toEqual([])
  expect(await missingWhere(`'2026-08-04' > time`)).toEqual([[1, 2, '2026-08-03']])
  expect(await missingWhere(`time <= '2026-08-03'`)).toEqual([[1, 2, '2026-08-03']])
})

it('says before it runs how many files it reads, and what its range lacks', async () => {
  const { sql, store, dataDir } = openSqlWorld()
  for (const period of ['2026-08-01', '2026-08-02', '2026-08-05'])
    addCachedFile(store, dataDir, series(), period, columnsOf(period, 1, shapes.plain))
  const { files, bytes, missing } = await sql.preflight({
    sql: `FROM metrics.ohlcv WHERE exchange = 'venuea-futures' AND symbol = 'perpetual-BTC-USDT:USDT' AND interval = '1h'
      AND clock = 'exchange' AND time BETWEEN '2026-08-02' AND '2026-08-04'`,
    parameters: {},
    connectionId: '',
  })
  expect(files).toBe(1)
  expect(bytes).toBeGreaterThan(0)
  expect(missing).toEqual([expect.objectContaining({ dataset: 'ohlcv', periods: 2, of: 3, startDay: '2026-08-02' })])
})

it('warns of a column over two units, and names the unit of others', async () => {
  const { sql, store, dataDir } = openSqlWorld()
  for (const exchange of ['venuea-futures', 'venueb-perps'])
    addCachedFile(store, dataDir, series({ exchange }), '2026-08-01', columnsOf('2026-08-01', 1, shapes.plain))
  const unitsOf = async (text: string) =>
    (await sql.run({ sql: text, parameters: {}, connectionId: '' })).columns.map(({ unit, warning }) => warning ?? unit)
  expect(await unitsOf('SELECT sum(volume), avg(close) FROM metrics.ohlcv')).toEqual([
    'mixed units: base asset and contracts',
    'price',
  ])
  expect(await unitsOf("SELECT volume, close FROM metrics.ohlcv WHERE exchange = 'venueb-perps'")).toEqual([
    'contracts',
    'price',
  ])
  expect(await unitsOf('SELECT exchange, sum(volume) FROM metrics.ohlcv GROUP BY exchange')).toEqual([
    null,
    'base asset or contracts',
  ])
  expect(
    await unitsOf(
      'SELECT last(close ORDER BY time), arg_max(close, time), close / open FROM metrics.ohlcv GROUP BY ALL',
    ),
  ).toEqual(['price', 'price', null])
})

it('warns of rows that are both served and computed, unless the query names their origin', async () => {
  const { sql, store, dataDir } = openSqlWorld()
  const computed = series({ connectionId: computedOwner('sandbox') })
  addCachedFile(store, dataDir, series(), '2026-07', columnsOf('2026-07', 1, shapes.plain))
  addCachedFile(store, dataDir, computed, '2026-08-01', columnsOf('2026-08-01', 1, shapes.plain))
  const warningsOf = async (text: string) =>
    (await sql.run({ sql: text, parameters: {}, connectionId: '' })).columns.map(({ warning }) => warning)
  const sum = 'SELECT exchange, count(*), sum(close) FROM metrics.ohlcv'
  expect(await warningsOf(`${sum} GROUP BY exchange`)).toEqual([null, null, null])
  addCachedFile(store, dataDir, computed, '2026-07-03', columnsOf('2026-07-03', 1, shapes.plain))
  const warning = expect.stringContaining('metrics.ohlcv has served and computed rows for the same times') as string
  expect(await warningsOf(`${sum} GROUP BY exchange`)).toEqual([null, warning, warning])
  expect(await warningsOf(`${sum} WHERE origin = 'service' GROUP BY exchange`)).toEqual([null, null, null])
  expect(await warningsOf(`${sum} WHERE time >= '2026-08-01' GROUP BY exchange`)).toEqual([null, null, null])
  expect(await warningsOf('SELECT origin, sum(close) FROM metrics.ohlcv GROUP BY origin')).toEqual([null, null])
})

it('names no unit for what a query calls by the name of another column', async () => {
  const { sql, store, dataDir } = openSqlWorld()
  addCachedFile(store, dataDir, series(), '2026-08-01', columnsOf('2026-08-01', 1, shapes.plain))
  const unitsOf = async (text: string) =>
    (await sql.run({ sql: text, parameters: {}, connectionId: '' })).columns.map(({ unit }) => unit)
  const renamed = 'SELECT volume AS close, open FROM metrics.ohlcv'
  expect(await unitsOf(`SELECT avg(close), avg(open) FROM (${renamed})`)).toEqual([null, 'price'])
  expect(await unitsOf(`WITH x AS (${renamed}) SELECT close, open FROM x`)).toEqual([null, 'price'])
  expect(await unitsOf(`FROM (${renamed})`)).toEqual([null, 'price'])
  expect(await unitsOf('SELECT close FROM (SELECT volume FROM metrics.ohlcv) AS x(close)')).toEqual([null])
  for (const star of [
    '* REPLACE (volume AS close)',
    '* EXCLUDE (close) RENAME (volume AS close)',
    "COLUMNS('(vol)ume') AS 'close'",
  ])
    expect(await unitsOf(`SELECT close FROM (SELECT ${star} FROM metrics.ohlcv)`)).toEqual([null])
  expect(await unitsOf("SELECT open / COLUMNS('close') AS close FROM metrics.ohlcv")).toEqual([null])
  expect(await unitsOf("SELECT COLUMNS('close') FROM metrics.ohlcv")).toEqual(['price'])
  expect(await unitsOf('SELECT close AS price_of_close, volume AS close FROM metrics.ohlcv')).toEqual([
    'price',
    'base asset',
  ])
})

it('offers the columns of the table for a name that none has', async () => {
  const { sql, store, dataDir } = openSqlWorld()
  addCachedFile(store, dataDir, series(), '2026-08-01', columnsOf('2026-08-01', 1, shapes.plain))
  const misspelt = { sql: 'SELECT volumes FROM metrics.ohlcv', parameters: {}, connectionId: '' }
  await expect(sql.run(misspelt)).rejects.toThrow(/"volume"/)
  await expect(sql.explain(misspelt)).rejects.toThrow(/"volume"/)
})

it('reads all columns where a row is used as a value, or tables are joined by the names that they share', async () => {
  const { query, store, dataDir } = openSqlWorld()
  addCachedFile(store, dataDir, series(), '2026-08-01', columnsOf('2026-08-01', 1, shapes.plain))
  const columns = (await query('FROM metrics.ohlcv LIMIT 1')).flatMap((row) => Object.keys(row))
  for (const row of ['ohlcv', 'metrics.ohlcv', 't'])
    expect(
      await query(
        `SELECT len(map_keys(to_json(${row})::JSON::MAP(VARCHAR, JSON))) AS n FROM metrics.ohlcv${row === 't' ? ' AS t' : ''} LIMIT 1`,
      ),
    ).toEqual([{ n: columns.length }])
  // Column positions and alias lists count all columns of the table.
  const [first] = await query('FROM metrics.ohlcv LIMIT 1')
  expect(await query('SELECT close, #1 AS first FROM metrics.ohlcv LIMIT 1')).toEqual([
    { close: first.close, first: first.exchange },
  ])
  expect(await query('SELECT x.close FROM metrics.ohlcv AS x(close, open) LIMIT 1')).toEqual([
    { close: first.exchange },
  ])
  const [joined] = await query('SELECT count(*) AS n FROM metrics.ohlcv AS a NATURAL JOIN metrics.ohlcv AS b')
  expect(Number(joined.n)).toBeLessThanOrEqual(24)
})

it('the same query reads files that were added since its last run, also by another program', async () => {
  const world = openSqlWorld()
  const add = (store: SqlWorld['store'], period: Period) =>
    addCachedFile(store, world.dataDir, series(), period, columnsOf(period, 1, { time: 'ms', columns: ['close'] }))
  const days = async () =>
    (
      await world.query(
        `SELECT count(DISTINCT time::DATE) AS days FROM metrics.ohlcv WHERE exchange = 'venuea-futures'`,
      )
    )[0].days
  add(world.store, '2025-01-01')
  expect(await days()).toBe(1)
  add(world.store, '2025-01-02')
  expect(await days()).toBe(2)
  add(openTestStore(world.dataDir), '2025-01-03')
  expect(await days()).toBe(3)
})

it('a column of a type that has no numbers, which no document names, keeps its values and fails no query', async () => {
  const { query, store, dataDir } = openSqlWorld()
  const path = writeCachedFile(dataDir, series(), '2026-08-01', [])
  const connection = await (await DuckDBInstance.create(':memory:')).connect()
  await connection.run(
    `COPY (SELECT ${Date.UTC(2026, 7, 1)}::BIGINT AS time, 1.5::DOUBLE AS close, DATE '2026-08-01' AS day, uuid() AS id,
    [1, 2] AS list, {'part': 1} AS nested, 7::UBIGINT AS long) TO '${path}' (FORMAT parquet)`,
  )
  connection.closeSync()
  indexFile(store, dataDir, series(), '2026-08-01')
  expect(await query('SELECT * FROM metrics.ohlcv')).toMatchObject([
    {
      close: 1.5,
      day: Date.UTC(2026, 7, 1),
      id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
      'nested.part': null,
      long: 7,
    },
  ])
})

it('gives the columns that no document names last, with the type and the values of their files', async () => {
  const { store, dataDir, query, sql } = openSqlWorld()
  const days = ['2026-08-01', '2026-08-02', '2026-08-03'] as const
  const extras = [
    `18446744073709551615::UBIGINT AS id, 1.5::DECIMAL(18,3) AS fee, true AS final, DATE '2026-08-01' AS settled, 7::INTEGER AS n`,
    `3::UBIGINT AS id, 2.5::DECIMAL(18,3) AS fee, false AS final, DATE '2026-08-02' AS settled, 8::INTEGER AS n`,
    '1::INTEGER AS n',
  ]
  const connection = await (await DuckDBInstance.create(':memory:')).connect()
  for (const [at, day] of days.entries()) {
    const path = writeCachedFile(dataDir, series(), day)
    const select = `SELECT epoch_ms(TIMESTAMP '${day}') AS time, ${extras[at]}, 1.0::DOUBLE AS close`
    await connection.run(`COPY (${select}) TO '${path}' (FORMAT parquet)`)
    indexFile(store, dataDir, series(), day)
  }
  connection.closeSync()
  const text = 'SELECT * EXCLUDE (open, high, low, volume) FROM metrics.ohlcv ORDER BY time'
  const { columns } = await sql.run({ sql: text, parameters: {}, connectionId: '' })
  expect(columns.slice(-6).map(({ name, type }) => `${name} ${type}`)).toEqual([
    'volume_notional DOUBLE',
    'id UBIGINT',
    'fee DECIMAL(18,3)',
    'final BOOLEAN',
    'settled DATE',
    'n INTEGER',
  ])
  expect(await query('SELECT id, fee, final, settled, n FROM metrics.ohlcv ORDER BY time')).toEqual([
    { id: '18446744073709551615', fee: '1.500', final: 'true', settled: Date.parse(days[0]), n: 7 },
    { id: '3', fee: '2.500', final: 'false', settled: Date.parse(days[1]), n: 8 },
    { id: null, fee: null, final: null, settled: null, n: 1 },
  ])
})

it('makes text of an undocumented column whose files differ in its type', async () => {
  const { store, dataDir, query } = openSqlWorld()
  const connection = await (await DuckDBInstance.create(':memory:')).connect()
  const selects = {
    '2026-08-01': "uuid() IS NOT NULL AS a, '6ba7b810-9dad-11d1-80b4-00c04fd430c8'::UUID AS id, 1::INTEGER AS n",
    '2026-08-02': '5 AS a, 18446744073709551615::UBIGINT AS id, 9007199254740993 AS n',
    '2026-08-03': '7.5::DOUBLE AS a, 3::BIGINT AS id, NULL::BIGINT AS n',
  } as const
  for (const [day, select] of Object.entries(selects)) {
    const path = writeCachedFile(dataDir, series(), day as Period)
    await connection.run(`COPY (SELECT epoch_ms(TIMESTAMP '${day}') AS time, ${select}) TO '${path}' (FORMAT parquet)`)
    indexFile(store, dataDir, series(), day as Period)
  }
  connection.closeSync()
  const days = "time >= '2026-08-02'"
  expect(await query(`SELECT a, id, n FROM metrics.ohlcv WHERE ${days} ORDER BY time`)).toEqual([
    { a: 5, id: '18446744073709551615', n: '9007199254740993' },
    { a: 7.5, id: '3', n: null },
  ])
  expect(await query(`SELECT count(*) AS rows, count(n) AS n FROM metrics.ohlcv`)).toEqual([{ rows: 3, n: 2 }])
})

it('lists all columns of every table, with their types', async () => {
  const { query, store, dataDir } = openSqlWorld()
  addCachedFile(store, dataDir, series(), '2026-08-01')
  const listed = await query(`SELECT table_schema || '.' || table_name AS name,
    string_agg(column_name || ' ' || data_type, ', ' ORDER BY ordinal_position) AS columns
    FROM information_schema.columns GROUP BY ALL`)
  const columnsByName = new Map(listed.map(({ name, columns }) => [name, columns]))
  for (const table of sqlTables) {
    const own = table.columns.map(({ name, type }) => `${name} ${type}`).join(', ')
    const extra = table.name === 'ohlcv' ? ', value DOUBLE' : ''
    expect(columnsByName.get(tableName(table))).toBe(own + extra)
  }
})
