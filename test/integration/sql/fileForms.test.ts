import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { expect, it, onTestFinished } from 'vitest'
import { readSeries } from '#core/series/readSeries.ts'
import { findFiles, rowTaskOf } from '#core/series/seriesFiles.ts'
import { forgetKnown } from '#core/series/changedFiles.ts'
import type { OwnedSeries } from '#core/store/seriesIndex.ts'
import { cellOf } from '#shared/contract/frame.ts'
import { indexFile } from '../../fakes/parquetCache.ts'
import { openSqlWorld, type Row } from '../../fakes/sqlWorld.ts'

const START_MS = Date.UTC(2026, 7, 1)
const HOUR_MS = 3_600_000

const series: OwnedSeries = {
  connectionId: 'sandbox',
  kind: 'metrics',
  dataset: 'flow',
  exchange: 'venuea-futures',
  symbol: 'perpetual-BTC-USDT:USDT',
  interval: '1h',
  timestamp: 'exchange',
}

const instant = `make_timestamp(${START_MS * 1000} + hour * 3600000000)`

/** Expressions of a time by the forms in which services write it. */
const timeForms: Record<string, string> = {
  'whole milliseconds': `(${START_MS} + hour * ${HOUR_MS})::BIGINT`,
  'naive milliseconds': `${instant}::TIMESTAMP_MS`,
  'naive microseconds': instant,
  'naive nanoseconds': `${instant}::TIMESTAMP_NS`,
  'microseconds in UTC': `${instant}::TIMESTAMPTZ`,
}

/** Rows in the order of the file: unsorted, with an hour twice, and with values of every kind. */
const rows: readonly [hour: number, count: number | null, ratio: number | null, value: number | null][] = [
  [3, 30, 0.25, Infinity],
  [1, null, NaN, -Infinity],
  [0, 10, null, 1 / 3],
  [1, 11, -0, NaN],
  [5, 50, Infinity, null],
  [4, 40, 0.5, -0],
]
/** Rows in time order, the last of equal times. */
const expected: Row[] = [rows[2], rows[3], rows[0], rows[5], rows[4]].map(([hour, count, ratio, value]) => ({
  time: START_MS + hour * HOUR_MS,
  count_of_trades: count,
  flow_entropy: ratio,
  net_volume: value,
}))

const literal = (value: number | null, type: string): string => {
  if (value === null) return `NULL::${type}`
  return Object.is(value, -0) ? `'-0.0'::${type}` : `'${value}'::${type}`
}

/** Writes the file of a series with DuckDB, and indexes it as a download does. */
async function openFile(fileSeries: OwnedSeries, select: string) {
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  onTestFinished(() => {
    connection.closeSync()
    instance.closeSync()
  })
  const world = openSqlWorld()
  const path = world.store.folder.pathOf(fileSeries, '2026-08-01')
  mkdirSync(dirname(path), { recursive: true })
  await connection.run(`COPY (${select}) TO '${path}' (FORMAT parquet)`)
  indexFile(world.store, world.dataDir, fileSeries, '2026-08-01')
  return world
}

function openForm(time: string) {
  const values = rows.map(
    ([hour, count, ratio, value]) =>
      `(${hour}, ${literal(count, 'INTEGER')}, ${literal(ratio, 'FLOAT')}, ${literal(value, 'DOUBLE')})`,
  )
  return openFile(
    series,
    `SELECT ${time} AS time, count_of_trades, flow_entropy, net_volume
       FROM (VALUES ${values.join(', ')}) AS t(hour, count_of_trades, flow_entropy, net_volume)`,
  )
}

const columns = ['count_of_trades', 'flow_entropy', 'net_volume']

it.each(Object.entries(timeForms))(
  'a file with times in %s has the same rows for charts and for SQL',
  async (_, time) => {
    const world = await openForm(time)
    const name = { series, timestamp: 'exchange' as const }
    const found = findFiles(world.store, name, { startMs: null, endMs: null })
    const task = { ...rowTaskOf(world.store, found), columns }
    forgetKnown(task)
    const { frame, duplicates, unread } = readSeries(task)
    expect(unread).toEqual([])
    expect(duplicates).toBe(1)
    const read = Array.from({ length: frame.rows }, (__, row) =>
      Object.fromEntries(frame.columns.map((column) => [column.name, cellOf(column, row)])),
    )
    expect(read).toEqual(expected)
    const sql = `SELECT time, ${columns.join(', ')} FROM metrics.flow ORDER BY time`
    expect(await world.query(sql)).toEqual(expected)
    const later = await world.query(
      `SELECT count(*) AS n FROM metrics.flow WHERE time >= TIMESTAMP '2026-08-01 03:00:00' AND net_volume > 0`,
    )
    expect(later).toEqual([{ n: 1 }])
  },
)

it.each([
  ['seconds', 1 / 1000],
  ['milliseconds', 1],
  ['microseconds', 1000],
  ['nanoseconds', 1_000_000],
])('events whose times are numbers of %s have the right times in SQL', async (_, perMs) => {
  const trades: OwnedSeries = { ...series, kind: 'raw', dataset: 'trades', interval: '', timestamp: '' }
  const whole = (shiftMs: number) => `(${(START_MS + shiftMs) * perMs} + i * ${HOUR_MS * perMs})::BIGINT`
  const world = await openFile(
    trades,
    `SELECT ${whole(0)} AS exchange_timestamp, ${whole(1000)} AS local_timestamp, i::DOUBLE AS price FROM range(24) t(i)`,
  )
  const { firstTimeMs, lastTimeMs } = world.store.files.facts(trades, '2026-08-01')!
  expect([firstTimeMs, lastTimeMs]).toEqual([START_MS, START_MS + 23 * HOUR_MS])
  expect(
    await world.query(
      `SELECT exchange_timestamp, local_timestamp, price FROM raw.trades WHERE exchange_timestamp >= TIMESTAMP '2026-08-01 23:00:00'`,
    ),
  ).toEqual([
    { exchange_timestamp: START_MS + 23 * HOUR_MS, local_timestamp: START_MS + 23 * HOUR_MS + 1000, price: 23 },
  ])
})
