import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { MetricDatasetId } from '../../shared/catalog/metricDatasets.ts'
import { addDays } from '../../shared/time.ts'
import { computeMetrics } from '../../electron/core/compute/compute.ts'
import { type ComputePool, createComputePool } from '../../electron/core/compute/computePool.ts'
import { rawFileFinder } from '../../electron/core/compute/rawFiles.ts'
import { duckDb, type TradesDay, tradesDay } from './benchData.ts'
import { type BenchLine, type BenchTask, millisecondsOf } from './benchLine.ts'
import { peakMegabytes, withOptions } from './peakMemory.ts'

const classes = ['n < 100', 'n >= 100 AND n < 1000', 'n >= 1000']
/** SQL columns with sums and counts by side and size class. */
const bySide = ['buy', 'sell'].flatMap((side) => [
  `sum(amount) FILTER (side = '${side}')`,
  `count(*) FILTER (side = '${side}')`,
  ...classes.flatMap((size) => [
    `sum(n) FILTER (side = '${side}' AND ${size})`,
    `count(*) FILTER (side = '${side}' AND ${size})`,
  ]),
])
// The peer computes the logarithm of the price instead of log returns within a minute, because log returns need a
// window over all trades, which doubles the query's time.
const perMinute = (path: string, columns: readonly string[]) =>
  `SELECT epoch_us(exchange_timestamp) // 60000000 AS minute, ${columns.join(', ')}
    FROM (SELECT *, price * amount AS n, ln(price) AS r FROM '${path}') GROUP BY minute ORDER BY minute`

/** SQL queries for metrics per minute, by the name of the compared datasets. */
const sqlQueries = {
  flow: (path: string) => perMinute(path, bySide),
  /** Query with sums by side and size class, moments, median, OHLC, vwap and realized variance. */
  comparedDatasets: (path: string) =>
    perMinute(path, [
      ...bySide,
      ...['avg(amount)', 'stddev_samp(amount)', 'skewness(amount)', 'kurtosis(amount)', 'median(amount)'],
      ...['first(price)', 'max(price)', 'min(price)', 'last(price)', 'sum(n) / sum(amount)', 'sum(r * r)'],
    ]),
}

const comparedDatasets: MetricDatasetId[] = ['flow', 'trade_size', 'returns', 'vtwap', 'ohlcv']
const allOfTrades: MetricDatasetId[] = [...comparedDatasets, 'range', 'impact', 'updownticks', 'run_structure']

const threads = 2

function compute(
  { folder, exchange, symbol, day }: TradesDay,
  datasets: MetricDatasetId[],
  out: string,
  pool: ComputePool,
) {
  return computeMetrics(
    {
      outputs: datasets.map((dataset) => ({ dataset, path: join(out, `${dataset}.parquet`) })),
      intervalSeconds: 60,
      timestamp: 'exchange',
      startDay: day,
      endDay: addDays(day, 1),
      findFiles: rawFileFinder(folder, exchange, symbol),
    },
    { pool },
  )
}

async function engineTask(datasets: MetricDatasetId[], sql = sqlQueries.comparedDatasets): Promise<BenchTask> {
  const trades = await tradesDay(5_000_000)
  const connection = await duckDb()
  const out = mkdtempSync(join(tmpdir(), 'perpscope-bench-'))
  const pool = createComputePool(threads)
  // The first runs of each thread mostly compile its hot loops.
  for (let warmUp = 0; warmUp < 3; warmUp++) await compute(trades, datasets, out, pool)
  return {
    rounds: 7,
    ours: () => millisecondsOf(() => compute(trades, datasets, out, pool)),
    peer: () => millisecondsOf(() => connection.runAndReadAll(sql(trades.path))),
    close: async () => {
      connection.closeSync()
      await pool.close()
      rmSync(out, { recursive: true })
    },
  }
}

/** Compares our time per trade at two sizes in one run. */
async function linearityTask(trades: number, base: number): Promise<BenchTask> {
  const [many, few] = [await tradesDay(trades), await tradesDay(base)]
  const out = mkdtempSync(join(tmpdir(), 'perpscope-bench-'))
  const pool = createComputePool(threads)
  await compute(few, allOfTrades, out, pool)
  const perMillion = async (day: TradesDay, count: number) =>
    (await millisecondsOf(() => compute(day, allOfTrades, out, pool))) / (count / 1e6)
  return {
    rounds: 5,
    ours: () => perMillion(many, trades),
    peer: () => perMillion(few, base),
    close: async () => {
      await pool.close()
      rmSync(out, { recursive: true })
    },
  }
}

const peerName = 'DuckDB, 2 threads, the set without returns'
const engine = { unit: 'ms', rule: 'atMost', peerName } as const
const linear = { unit: 'ms per million', rule: 'atMost', budget: 1.3, peerName: 'ourselves at 5 million' } as const

const memory = (what: string, trades: number, interval: string, budget: number): BenchLine => ({
  name: `engine: peak memory of all nine, ${what}`,
  unit: 'MB',
  rule: 'value',
  budget,
  peerName: null,
  prepare: async () => {
    const { folder, exchange, symbol, day } = await tradesDay(trades)
    const out = mkdtempSync(join(tmpdir(), 'perpscope-bench-'))
    const days = { start: day, end: day }
    const wanted = { dataset: allOfTrades.join(), exchange, symbol, interval, timestamp: 'exchange', ...days }
    return {
      rounds: 1,
      ours: () => peakMegabytes(withOptions('compute', { ...wanted, raw: folder, out })),
      close: async () => rmSync(out, { recursive: true }),
    }
  },
})

export const benchLines: BenchLine[] = [
  {
    ...engine,
    name: 'engine: the set, reading included, 2 threads',
    budget: 0.22,
    prepare: () => engineTask(comparedDatasets),
  },
  {
    ...engine,
    name: 'engine: all nine trade buckets of a 5 M-trade day at 1m',
    budget: 0.3,
    prepare: () => engineTask(allOfTrades),
  },
  {
    ...engine,
    name: 'raw: flow of a 5 M-trade day at 1m',
    peerName: 'DuckDB, 2 threads, sums by side and size class',
    budget: 0.5,
    prepare: () => engineTask(['flow'], sqlQueries.flow),
  },
  { ...linear, name: 'engine: 20 M trades, per trade', prepare: () => linearityTask(20_000_000, 5_000_000) },
  {
    ...linear,
    name: 'engine: 5 M trades, per trade',
    peerName: 'ourselves at 1 million',
    prepare: () => linearityTask(5_000_000, 1_000_000),
  },
  memory('5 M trades at 1m', 5_000_000, '1m', 600),
  memory('20 M trades at 1m', 20_000_000, '1m', 600),
  memory('20 M trades as one interval of 1d', 20_000_000, '1d', 700),
]
