import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { openCacheFolder } from '#core/store/cacheFolder.ts'
import type { OwnedSeries } from '#core/store/seriesIndex.ts'
import { dayChange } from '#shared/quality/watchFigures.ts'
import { exampleQueriesOn } from '#shared/sql/exampleQueries.ts'
import type { Period } from '#shared/time/periods.ts'
import { expect, it, onTestFinished } from 'vitest'
import { dayChangeQuery } from '../../../renderer/views/boards/readyBoards.ts'
import { flowSeries } from '../../fakes/cachedFiles.ts'
import { indexFile } from '../../fakes/parquetCache.ts'
import { readParquet, type ParquetTable } from '../../fakes/readParquet.ts'
import { openSqlWorld, type Row, type SqlWorld } from '../../fakes/sqlWorld.ts'
import { get, startCachedSandbox, type OfferedFile, type TestSandbox } from '../../fakes/testSandbox.ts'

const exampleQueries = exampleQueriesOn(['venuea-futures', 'venueb-perps'])
const [A, B] = ['venuea-futures', 'venueb-perps']
const [BTC, ETH] = ['perpetual-BTC-USDT:USDT', 'perpetual-ETH-USDT:USDT']
/** Two days with a missing day between them. */
const days = ['2026-09-12', '2026-09-14'] as const

/** Fills a cache with files of the sandbox; also returns their columns as another reader reads them. */
async function openSandboxCache() {
  const sandbox = await startCachedSandbox()
  onTestFinished(() => sandbox.close())
  const world = openSqlWorld()
  const tables = new Map<string, ParquetTable[]>()
  for (const exchange of [A, B])
    for (const symbol of [BTC, ETH])
      for (const dataset of ['ohlcv', 'funding', 'l1_liquidity']) {
        const key = `${dataset} ${exchange} ${symbol}`
        const files = await Promise.all(
          days.map((start) => metricFile(sandbox, { bucket: dataset, exchange, symbol, start })),
        )
        tables.set(key, await keep(world, flowSeries({ dataset, exchange, symbol, interval: '1h' }), files))
      }
  for (const dataset of ['trades', 'quotes']) {
    const { files } = await sandbox.rawFiles({ dataset, exchange: A, symbol: BTC, start: days[1] })
    const series = flowSeries({ kind: 'raw', dataset, interval: '', timestamp: '' })
    tables.set(dataset, await keep(world, series, [{ file: files[0], bytes: (await get(files[0].url)).bytes }]))
  }
  const column = (key: string, name: string): number[] => tables.get(key)!.flatMap((table) => table.numbers(name))
  const answers = new Map<string, Row[]>()
  for (const { id, sql, parameters } of exampleQueries) answers.set(id, await world.query(sql, { parameters }))
  answers.set('moved', await world.query(dayChangeQuery))
  return { column, rows: (id: string) => answers.get(id)! }
}

async function metricFile(sandbox: TestSandbox, asked: Parameters<TestSandbox['files']>[0]) {
  const [file] = await sandbox.files(asked)
  return { file, bytes: (await get(file.url)).bytes }
}

async function keep(
  { store, dataDir }: SqlWorld,
  series: OwnedSeries,
  files: readonly { file: OfferedFile; bytes: Uint8Array }[],
) {
  const tables: ParquetTable[] = []
  for (const [at, { file, bytes }] of files.entries()) {
    const period = (file.period ?? (files.length > 1 ? days[at] : days[1])) as Period
    const path = openCacheFolder(dataDir).pathOf(series, period)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, bytes)
    indexFile(store, dataDir, series, period)
    tables.push(await readParquet(bytes))
  }
  return tables
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length

function correlation(xs: readonly number[], ys: readonly number[]): number {
  const [mx, my] = [mean(xs), mean(ys)]
  const dot = (as: readonly number[], ma: number, bs: readonly number[], mb: number) =>
    as.reduce((sum, a, at) => sum + (a - ma) * (bs[at] - mb), 0)
  return dot(xs, mx, ys, my) / Math.sqrt(dot(xs, mx, xs, mx) * dot(ys, my, ys, my))
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  const place = share * (sorted.length - 1)
  const low = Math.floor(place)
  return sorted[low] + (place - low) * ((sorted[low + 1] ?? sorted[low]) - sorted[low])
}

const returnsOf = (closes: readonly number[]) => closes.slice(1).map((close, at) => close / closes[at] - 1)
const ranks = (values: readonly number[]) => values.map((value) => values.filter((other) => other < value).length)
const rowWhere = (rows: readonly Row[], where: Row) =>
  rows.find((row) => Object.entries(where).every(([key, value]) => row[key] === value))!

it('answers every example on the sandbox as a computation without SQL does', { timeout: 120_000 }, async () => {
  const { column, rows } = await openSandboxCache()
  for (const { id } of exampleQueries) expect(rows(id).length, id).toBeGreaterThan(0)
  const close = (exchange: string, symbol: string) => column(`ohlcv ${exchange} ${symbol}`, 'close')

  const hours = days.flatMap((day) => Array.from({ length: 24 }, (_, hour) => Date.parse(day) + hour * 3_600_000))
  const change = (exchange: string, symbol: string) =>
    dayChange({ times: Float64Array.from(hours), values: Float64Array.from(close(exchange, symbol)) })
  for (const exchange of [A, B])
    for (const symbol of [BTC, ETH]) {
      const moved = rowWhere(rows('moved'), { exchange, symbol })
      expect([moved.close, moved.change]).toEqual([close(exchange, symbol).at(-1), change(exchange, symbol)])
    }
  const rates = column(`funding ${A} ${BTC}`, 'funding_rate')
  expect(rowWhere(rows('last-funding'), { exchange: A, symbol: BTC }).funding_rate).toBe(rates.at(-1))
  expect(rowWhere(rows('cached-files'), { dataset: 'ohlcv' }).files).toBe(8)
  const volumes = column(`ohlcv ${A} ${BTC}`, 'volume')
  expect(rows('daily-candles').map(({ volume }) => volume)).toEqual(
    [0, 24].map(
      (from) =>
        expect.closeTo(
          volumes.slice(from, from + 24).reduce((sum, each) => sum + each),
          6,
        ) as number,
    ),
  )
  // The first of the 48 hours has no return.
  expect(rows('volatility-by-hour').map(({ n }) => n)).toEqual([2, ...Array.from({ length: 23 }, () => 4)])
  const logs = [BTC, ETH].flatMap((symbol) => returnsOf(close(A, symbol)).filter((_, hour) => (hour + 1) % 24 === 5))
  const values = logs.map((each) => Math.log(1 + each))
  const variance = values.reduce((sum, each) => sum + (each - mean(values)) ** 2, 0) / (values.length - 1)
  expect(rowWhere(rows('volatility-by-hour'), { hour: 5 }).volatility).toBeCloseTo(Math.sqrt(variance), 12)
  const both = [BTC, ETH].map((symbol) => returnsOf(close(A, symbol)))
  expect(rowWhere(rows('correlation'), { symbol: ETH }).correlation).toBeCloseTo(correlation(both[1], both[0]), 10)
  const pairs = [A, B].flatMap((exchange) => [BTC, ETH].map((symbol) => [exchange, symbol] as const))
  const carry = pairs.map(([exchange, symbol]) => column(`funding ${exchange} ${symbol}`, 'funding_rate')[30])
  const next = pairs.map(([exchange, symbol]) => returnsOf(close(exchange, symbol))[30])
  if (new Set(carry).size === 4)
    expect(rows('funding-carry')[30].ic).toBeCloseTo(correlation(ranks(carry), ranks(next)), 10)
  const spreads = column(`l1_liquidity ${A} ${BTC}`, 'spread_bps')
  const spread = rowWhere(rows('spread-by-venue'), { exchange: A, symbol: BTC })
  expect(spread.mean_bps).toBeCloseTo(mean(spreads), 10)
  expect(spread.p95_bps).toBeCloseTo(quantile(spreads, 0.95), 10)
  expect(rows('venue-basis')[7].difference_bps).toBeCloseTo(1e4 * (close(A, BTC)[7] / close(B, BTC)[7] - 1), 8)
  expect(rows('gaps').map(({ missing_hours }) => missing_hours)).toEqual([24, 24, 24, 24])

  const [arrived, sent] = [column('trades', 'local_timestamp'), column('trades', 'exchange_timestamp')]
  const latency = rowWhere(rows('latency'), { symbol: BTC })
  expect(latency.n).toBe(arrived.length)
  expect(latency.median_ms).toBeCloseTo(
    quantile(
      arrived.map((each, row) => (each - sent[row]) / 1000),
      0.5,
    ),
    6,
  )
  const quoted = column('quotes', 'local_timestamp')
  const [bids, asks] = [column('quotes', 'bid_price'), column('quotes', 'ask_price')]
  const [prices, amounts] = [column('trades', 'price'), column('trades', 'amount')]
  const known = arrived.filter((each) => each >= quoted[0]).length
  expect(rows('trades-over-quotes').length).toBe(Math.min(10_000, known))
  const around = rows('vwap-around-large-trades')
  expect(around.length).toBe(20)
  const largest = amounts.indexOf(around[0].amount as number)
  const moment = Number(around[0].local_timestamp) * 1000
  const before = arrived.flatMap((each, row) => (each < moment && each >= moment - 60e6 ? [row] : []))
  const weight = before.reduce((sum, row) => sum + amounts[row], 0)
  expect(around[0].price).toBe(prices[largest])
  expect(around[0].vwap_before).toBeCloseTo(
    before.reduce((sum, row) => sum + prices[row] * amounts[row], 0) / weight,
    6,
  )
  const quote = quoted.findLastIndex((each) => each <= moment)
  expect(around[0].middle).toBeCloseTo((bids[quote] + asks[quote]) / 2, 10)
})
