import { cpSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { computedOwner } from '#shared/contract/computedOwner.ts'
import type { CallInput } from '#shared/contract/calls.ts'
import { encodeSymbol } from '#shared/catalog/symbols.ts'
import { rawDatasets } from '#shared/catalog/rawDatasets.ts'
import { metricPlans } from '#shared/engines/metricPlans.ts'
import type { PlannedDatasetId } from '#shared/engines/plan.ts'
import { dayNumberOf } from '#shared/time/periods.ts'
import { createApp } from '#core/app.ts'
import { computeMetrics } from '#core/compute/compute.ts'
import { rawFilesIn } from '#core/compute/rawFiles.ts'
import { systemClock } from '#core/ports.ts'
import { differences, readTable } from '../conformance/compareMetrics.ts'
import { dataFolder } from '../fakes/dataFolder.ts'
import { enginePassword, engineUser } from '../fakes/fakeClickHouse.ts'
import { fakeHost, fakePorts } from '../fakes/fakePorts.ts'
import { temporaryFolder } from '../fakes/temporaryFolder.ts'
import { proveServer } from './peer.ts'

const address = join(import.meta.dirname, '../conformance/data/raw/v1')
const datasets = Object.keys(metricPlans) as PlannedDatasetId[]
const pair = { exchange: 'venuea-futures', symbol: 'perpetual-BTC-USDT:USDT' }
const days = ['2026-09-01', '2026-09-02']

async function openWorld(url: string) {
  const app = createApp({ ...fakePorts(), clock: systemClock }, { version: '0', dataDir: dataFolder() })
  onTestFinished(() => app.close())
  const client = app.clientFor(fakeHost())
  const server = { url, user: engineUser, cluster: '', plainHttp: false }
  await client.call('connections.setEngine', { id: 'sandbox', server })
  const setKey = (key: string) => client.call('keys.set', { connectionId: 'sandbox', service: 'engine', key })
  await setKey(enginePassword)
  const compute = (change: Partial<CallInput<'raw.computeOnEngine'>> = {}) =>
    client.call('raw.computeOnEngine', {
      connectionId: 'sandbox',
      datasets,
      pairs: [pair],
      interval: '1m',
      timestamp: 'exchange',
      startDay: dayNumberOf(days[0]),
      endDay: dayNumberOf(days[1]) + 1,
      raw: { kind: 'folder', address },
      out: null,
      parallel: 2,
      ...change,
    })
  const reconcile = () =>
    client.call('raw.reconcileEngines', {
      connectionId: 'sandbox',
      engines: ['local', 'duckdb', 'clickhouse'],
      datasets,
      pairs: [pair],
      interval: '5m',
      timestamp: 'exchange',
      startDay: dayNumberOf(days[0]),
      endDay: dayNumberOf(days[1]) + 1,
      raw: { kind: 'folder', address },
      sample: 2,
    })
  const cached = async () => (await client.call('cache.list', { connectionId: computedOwner('sandbox') })).files
  /** Runs a statement of the test's own. */
  const run = async (sql: string) => {
    const headers = { 'x-clickhouse-user': engineUser, 'x-clickhouse-key': enginePassword }
    const answer = await fetch(url, { method: 'POST', body: sql, headers })
    expect(answer.status, await answer.clone().text()).toBe(200)
  }
  return { compute, cached, setKey, run, reconcile }
}

/** Computes a day with the built-in engine, the files of the other day at hand. */
async function builtIn(day: string, timestamp: 'exchange' | 'true'): Promise<string> {
  const folder = temporaryFolder()
  await computeMetrics({
    outputs: datasets.map((dataset) => ({ dataset, path: join(folder, `${dataset}.parquet`) })),
    intervalSeconds: 60,
    timestamp,
    startDay: day,
    endDay: new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10),
    findFiles: rawFilesIn(address, pair.exchange, pair.symbol),
  })
  return folder
}

async function expectEqual(cached: Awaited<ReturnType<typeof openWorld>>['cached'], timestamp: 'exchange' | 'true') {
  const files = await cached()
  expect(files).toHaveLength(days.length * datasets.length)
  for (const day of days) {
    const folder = await builtIn(day, timestamp)
    for (const { series, path } of files.filter(({ period }) => period === day))
      expect(
        differences(readTable(join(folder, `${series.dataset}.parquet`)), readTable(path)),
        `${series.dataset} ${day}`,
      ).toEqual([])
  }
}

for (const timestamp of ['exchange', 'true'] as const)
  proveServer(
    'chdb',
    `brings all 171 columns home by HTTP, by ${timestamp} time, day by day as the built-in engine computes them`,
    'clickhouseServer.py',
    async (url) => {
      const { compute, cached } = await openWorld(url)
      const { outputs, version } = await compute({ timestamp })
      expect(version).toMatch(/^\d+\.\d+/)
      expect(outputs.map(({ files }) => files)).toEqual(datasets.map(() => 2))
      await expectEqual(cached, timestamp)
      expect((await compute({ timestamp })).outputs.map(({ files, kept }) => [files, kept])).toEqual(
        datasets.map(() => [0, 2]),
      )
    },
  )

proveServer(
  'chdb',
  'reads MergeTree tables, whose order of equal times is a column',
  'clickhouseServer.py',
  async (url) => {
    const { compute, cached, run } = await openWorld(url)
    await run('CREATE DATABASE raw')
    for (const { id } of rawDatasets) {
      const files = `file('${address}/dataset=${id}/exchange=*/symbol=*/*.parquet', 'Parquet')`
      const columns = `*, '${pair.exchange}' AS exchange, '${pair.symbol}' AS symbol, toUInt64(toYYYYMMDD(exchange_timestamp)) * 10000000 + _row_number AS ordinal`
      await run(
        `CREATE TABLE raw.${id} ENGINE = MergeTree ORDER BY tuple() SETTINGS allow_nullable_key = 1 AS SELECT ${columns} FROM ${files} SETTINGS use_hive_partitioning = 0`,
      )
    }
    await compute({ raw: { kind: 'database', name: 'raw' } })
    await expectEqual(cached, 'exchange')
    expect((await compute({ raw: { kind: 'database', name: 'raw' } })).outputs[0]).toMatchObject({ files: 0, kept: 2 })
    await run('ALTER TABLE raw.trades MODIFY COLUMN price Nullable(String)')
    await expect(compute({ raw: { kind: 'database', name: 'raw' } })).rejects.toThrow(
      'column “price” is String, not a number',
    )
    await run('DROP TABLE raw.trades')
    await expect(compute({ raw: { kind: 'database', name: 'raw' } })).rejects.toThrow('no such table')
    await expect(compute({ raw: { kind: 'database', name: 'elsewhere' } })).rejects.toThrow('no such table or database')
  },
)

proveServer(
  'chdb',
  'agrees with the built-in engine and DuckDB in every column',
  'clickhouseServer.py',
  async (url) => {
    const { reconcile, cached } = await openWorld(url)
    const { columns, symbolDays } = await reconcile()
    expect(symbolDays).toBe(2)
    expect(columns.filter(({ agrees }) => !agrees)).toEqual([])
    expect(columns).toHaveLength(2 * 171)
    expect(await cached()).toEqual([])
  },
)

proveServer(
  'chdb',
  'refuses a file that is half-written, and takes nothing of it',
  'clickhouseServer.py',
  async (url) => {
    const { compute, cached } = await openWorld(url)
    const raw = temporaryFolder()
    cpSync(address, raw, { recursive: true })
    const trades = join(
      raw,
      `dataset=trades/exchange=${pair.exchange}/symbol=${encodeSymbol(pair.symbol)}/${days[1]}.parquet`,
    )
    truncateSync(trades, 5000)
    const order = { datasets: ['vtwap' as const], raw: { kind: 'folder' as const, address: raw }, parallel: 1 }
    await expect(compute(order)).rejects.toThrow('a file is damaged or half-written')
    expect((await cached()).map(({ period }) => period)).toEqual([days[0]])
    cpSync(join(address, trades.slice(raw.length)), trades)
    expect((await compute(order)).outputs).toMatchObject([{ files: 1, kept: 1 }])
  },
)

proveServer(
  'chdb',
  'reads times of other zones and precisions as the instants that they are',
  'clickhouseServer.py',
  async (url) => {
    const { compute, cached, run } = await openWorld(url)
    await run('CREATE DATABASE zones')
    const file = `file('${address}/dataset=trades/exchange=*/symbol=*/*.parquet', 'Parquet')`
    const columns = `* REPLACE (toDateTime64(exchange_timestamp, 9, 'Asia/Tokyo') AS exchange_timestamp, toDateTime64(local_timestamp, 6, 'America/New_York') AS local_timestamp), '${pair.exchange}' AS exchange, '${pair.symbol}' AS symbol, toUInt64(toYYYYMMDD(exchange_timestamp)) * 10000000 + _row_number AS ordinal`
    await run(
      `CREATE TABLE zones.trades ENGINE = MergeTree ORDER BY tuple() AS SELECT ${columns} FROM ${file} SETTINGS use_hive_partitioning = 0`,
    )
    for (const timestamp of ['exchange', 'true'] as const) {
      await compute({ datasets: ['vtwap'], timestamp, raw: { kind: 'database', name: 'zones' } })
      const folder = await builtIn(days[1], timestamp)
      const { path } = (await cached()).find(
        ({ series, period }) => series.timestamp === timestamp && period === days[1],
      )!
      expect(differences(readTable(join(folder, 'vtwap.parquet')), readTable(path)), timestamp).toEqual([])
    }
  },
)

proveServer('chdb', 'leaves results there, and refuses a wrong password', 'clickhouseServer.py', async (url) => {
  const { compute, cached, setKey } = await openWorld(url)
  const out = temporaryFolder()
  const { outputs } = await compute({ out, datasets: ['vtwap', 'slippage'] })
  expect(await cached()).toEqual([])
  const folder = await builtIn(days[1], 'exchange')
  for (const { dataset, places } of outputs)
    expect(differences(readTable(join(folder, `${dataset}.parquet`)), readTable(places[1])), dataset).toEqual([])
  await setKey('another-word')
  await expect(compute()).rejects.toThrow('the user name or the password is wrong')
})
