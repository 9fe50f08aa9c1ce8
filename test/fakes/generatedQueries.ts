import { DuckDBInstance } from '@duckdb/node-api'
import type { ColumnSource } from 'hyparquet-writer'
import { MS_PER_DAY } from '#shared/time.ts'
import { type Period, periodDays } from '#shared/time/periods.ts'
import { expect } from 'vitest'
import { flowSeries } from './cachedFiles.ts'
import { randomOf } from './panelWorld.ts'
import { addCachedFile } from './parquetCache.ts'
import { openSqlWorld, type SqlWorld } from './sqlWorld.ts'

const venues = ['venuea-futures', 'venueb-perps', 'venuec-perps']
const symbols = ['BTC', 'ETH', '龙'].map((base) => `perpetual-${base}-USDT:USDT`)
const periods: Period[] = ['2026-07', '2026-08-01', '2026-08-02', '2026-08-03']

interface PlainFile {
  path: string
  exchange: string
  symbol: string
}

function fill({ store, dataDir }: SqlWorld): PlainFile[] {
  const random = randomOf(5)
  return venues.flatMap((exchange) =>
    symbols.flatMap((symbol) =>
      periods.map((period) => {
        const { start, end } = periodDays(period)!
        const times = Array.from({ length: (end - start) * 6 }, (_, at) => start * MS_PER_DAY + at * 4 * 3_600_000)
        const numbers = (name: string): ColumnSource => ({
          name,
          type: 'DOUBLE',
          nullable: true,
          data: times.map(() => (random() < 0.1 ? null : Math.round(random() * 1000) / 8)),
        })
        const columns: ColumnSource[] = [
          { name: 'time', type: 'INT64', data: BigInt64Array.from(times, BigInt) },
          numbers('open'),
          numbers('close'),
          numbers('volume'),
        ]
        const series = flowSeries({ dataset: 'ohlcv', exchange, symbol, interval: '4h' })
        return { path: addCachedFile(store, dataDir, series, period, columns), exchange, symbol }
      }),
    ),
  )
}

/** Draws a query of one of several kinds, such as a grouping, a window or a join, with one or two conditions. */
function drawQuery(random: () => number): string {
  const pick = <Value>(values: readonly Value[]) => values[Math.floor(random() * values.length)]
  const day = () => `2026-0${pick(['7-30', '7-31', '8-01', '8-02', '8-03', '8-04'])}`
  const conditions = [
    `exchange = '${pick(venues)}'`,
    `symbol IN ('${pick(symbols)}', '${pick(symbols)}')`,
    `base = '${pick(['BTC', 'ETH', '龙'])}'`,
    `time >= '${day()}'`,
    `time < TIMESTAMP '${day()} 12:00:00'`,
    `known_at <= DATE '${day()}' + INTERVAL 1 DAY`,
    `time BETWEEN '${day()}' AND '${day()}'`,
    `time::DATE = DATE '${day()}'`,
    `(exchange = '${pick(venues)}' OR close > 60)`,
    `NOT (symbol = '${pick(symbols)}')`,
    `volume > 100 AND interval = '4h'`,
    `clock = 'exchange'`,
  ]
  const where = `WHERE ${pick(conditions)} AND ${pick(conditions)}`
  return pick([
    `SELECT exchange, symbol, time, open, close, known_at FROM TABLE ${where} ORDER BY ALL`,
    `SELECT exchange, count(*), count(close), min(open), max(volume), sum(volume) FROM TABLE ${where} GROUP BY ALL ORDER BY ALL`,
    `SELECT symbol, time::DATE AS d, arg_max(close, (time, exchange)) FROM TABLE ${where} GROUP BY ALL ORDER BY ALL`,
    `SELECT exchange, symbol, time, lag(close) OVER (PARTITION BY exchange, symbol ORDER BY time) FROM TABLE ${where} ORDER BY ALL`,
    `SELECT a.exchange, b.exchange, a.time, a.close - b.close FROM TABLE a JOIN TABLE b USING (symbol, time)
       WHERE a.exchange = '${pick(venues)}' AND b.exchange = '${pick(venues)}' AND a.time >= '${day()}' ORDER BY ALL`,
    `SELECT a.exchange, a.symbol, a.time, b.time, b.open FROM TABLE a ASOF LEFT JOIN TABLE b
       ON a.symbol = b.symbol AND a.exchange = b.exchange AND a.time > b.time WHERE a.symbol = '${pick(symbols)}'
       AND b.open > 20 ORDER BY ALL`,
    `WITH t AS (FROM TABLE ${where}) SELECT count(*), (SELECT max(time) FROM t) FROM t`,
    `SELECT exchange, symbol FROM TABLE ${where} EXCEPT SELECT exchange, symbol FROM TABLE WHERE ${pick(conditions)} ORDER BY ALL`,
  ])
}

/** Returns a table over the plain list of files, as a user would write it by hand. */
const byHand = (files: readonly PlainFile[]) =>
  files
    .map(
      ({ path, exchange, symbol }) =>
        `SELECT '${exchange}' AS exchange, '${symbol}' AS symbol, split_part('${symbol}', '-', 2) AS base, '4h' AS interval,
           'exchange' AS clock, make_timestamp(time * 1000) AS time, make_timestamp(time * 1000) + INTERVAL 4 HOURS AS known_at,
           open, close, volume FROM read_parquet('${path}', hive_partitioning = false)`,
    )
    .join(' UNION ALL ')

/** Draws queries and expects the answers that DuckDB gives on the plain list of the same files. */
export async function expectAnswersOfPlainFiles(queries: number): Promise<void> {
  const world = openSqlWorld()
  const connection = await (await DuckDBInstance.create(':memory:', { threads: '1' })).connect()
  await connection.run(`CREATE TABLE plain AS ${byHand(fill(world))}`)
  const random = randomOf(26)
  let rows = 0
  for (let at = 0; at < queries; at++) {
    const drawn = drawQuery(random)
    // Comparing one hash of all rows is faster than converting every row.
    const hash = (table: string) =>
      `SELECT bit_xor(hash(q)) AS h, count(*) AS n FROM (${drawn.replaceAll('TABLE', table)}) AS q`
    const [own] = await world.query(hash('metrics.ohlcv'))
    const [[h, n]] = (await connection.runAndReadAll(hash('plain'))).getRowsJson()
    expect({ drawn, h: String(own.h), n: String(own.n) }).toEqual({ drawn, h: String(h), n: String(n) })
    rows += Number(own.n)
  }
  expect(rows).toBeGreaterThan(100)
}
