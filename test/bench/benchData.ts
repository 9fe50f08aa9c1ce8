import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'

/** Folder of the generated data, which is kept between runs and ignored by git. */
const cacheFolder = join(import.meta.dirname, '../../.cache/bench')

/** Opens DuckDB, with which reading and computing are compared, with as many threads as Perpscope has: two. */
export async function duckDb() {
  const instance = await DuckDBInstance.create(':memory:', { threads: '2' })
  return instance.connect()
}

async function generatedFile(name: string, select: string): Promise<string> {
  const path = join(cacheFolder, name)
  if (existsSync(path)) return path
  mkdirSync(dirname(path), { recursive: true })
  const part = `${path}.part`
  rmSync(part, { force: true })
  const connection = await duckDb()
  await connection.run(`COPY (${select}) TO '${part}' (FORMAT parquet, COMPRESSION zstd)`)
  connection.closeSync()
  renameSync(part, path)
  return path
}

const exchange = 'venuea-futures'
const symbol = 'perpetual-BTC-USDT:USDT'
const tradeDay = '2026-09-01'

export interface TradesDay {
  path: string
  folder: string
  exchange: string
  symbol: string
  day: string
}

/** Generates a day with the given number of trades, in the layout of raw events. */
export async function tradesDay(trades: number): Promise<TradesDay> {
  const folder = `raw-${trades}`
  const series = `dataset=trades/exchange=${exchange}/symbol=${encodeURIComponent(symbol)}`
  const stepUs = 86_400_000_000 / trades
  const path = await generatedFile(
    `${folder}/${series}/${tradeDay}.parquet`,
    `SELECT make_timestamp(epoch_us(TIMESTAMP '${tradeDay}') + CAST(floor(i * ${stepUs}) AS BIGINT)) AS exchange_timestamp,
       make_timestamp(epoch_us(TIMESTAMP '${tradeDay}') + CAST(floor(i * ${stepUs}) AS BIGINT) + 900 + CAST(floor(random() * 4) AS BIGINT)) AS local_timestamp,
       'measured' AS local_timestamp_kind, CAST(1000000 + i AS VARCHAR) AS id,
       CASE WHEN random() < 0.5 THEN 'buy' ELSE 'sell' END AS side,
       round(60000 + 500 * sin(i / ${trades} * 30) + 20 * random(), 1) AS price,
       round(0.001 + 0.5 * pow(random(), 6), 4) AS amount
     FROM range(${trades}) t(i)`,
  )
  return { path, folder: join(cacheFolder, folder), exchange, symbol, day: tradeDay }
}

/** Generates a year of metric rows in monthly files: a time column and `columns` doubles, some of them integers. */
export function metricYear(secondsPerRow: number, columns: number): Promise<string[]> {
  const doubles = Array.from({ length: columns }, (_, i) =>
    i % 4 === 3 ? `floor(random() * 1000) AS c${i}` : `1000 * random() AS c${i}`,
  )
  return yearOf(`year-${secondsPerRow}s`, secondsPerRow, doubles)
}

/** Generates a year for charts: two columns that walk like prices, instead of noise over the whole height. */
export const walkingYear = (secondsPerRow: number): Promise<string[]> =>
  yearOf(`walk-${secondsPerRow}s`, secondsPerRow, walks(2))

/** Generates ten million rows of 15s for charts: five years of six columns that walk like prices. */
export async function walkingYears(): Promise<string[]> {
  const paths: string[] = []
  for (let year = 2021; year <= 2025; year++) paths.push(...(await yearOf('walk-years', 15, walks(6), year)))
  return paths
}

const walks = (columns: number) =>
  Array.from({ length: columns }, (_, at) => `1000 + sum(random() - 0.5) OVER (ORDER BY i) AS c${at}`)

/**
 * Generates one file with a time column and a number column; the number of distinct values does not depend on `rows`.
 */
export const rowsFile = (rows: number): Promise<string> =>
  generatedFile(
    `rows/${rows}.parquet`,
    `SELECT i * 1000 AS time, round(random() * 1000) / 8 AS c0 FROM range(${rows}) t(i)`,
  )

async function yearOf(
  folder: string,
  secondsPerRow: number,
  columns: readonly string[],
  year = 2025,
): Promise<string[]> {
  const paths: string[] = []
  for (let month = 1; month <= 12; month++) {
    const startMs = Date.UTC(year, month - 1, 1)
    const rows = (Date.UTC(year, month, 1) - startMs) / (secondsPerRow * 1000)
    const time = `CAST(${startMs} + i * ${secondsPerRow * 1000} AS BIGINT) AS time`
    const name = `${folder}/${year}-${String(month).padStart(2, '0')}.parquet`
    paths.push(await generatedFile(name, `SELECT ${time}, ${columns.join(', ')} FROM range(${rows}) t(i)`))
  }
  return paths
}
