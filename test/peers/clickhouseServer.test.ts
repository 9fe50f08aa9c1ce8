import { cpSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { computedOwner } from '#shared/contract/computedOwner.ts'
import type { CallInput } from '#shared/contract/calls.ts'
import { encodeSymbol } from '#shared/catalog/symbols.ts'
import { rawDatasets } from '#shared/catalog/rawDatasets.ts'
import { metricPlans } from '#shared/metrics/datasetComputations.ts'
import type { PlannedDatasetId } from '#shared/metrics/plan.ts'
import { dayNumberOf } from '#shared/time/periods.ts'
import { createApp } from '#core/app.ts'
import { computeMetrics } from '#core/compute/compute.ts'
import { rawFileFinder } from '#core/compute/rawFiles.ts'
import { systemClock } from '#core/ports.ts'
import { differences, readTable } from '../conformance/compareMetrics.ts'
import { dataFolder } from '../fakes/dataFolder.ts'
import { enginePassword, engineUser } from '../fakes/fakeClickHouse.ts'
import { fakeHost, fakePorts } from '../fakes/fakePorts.ts'
import { temporaryFolder } from '../fakes/temporaryFolder.ts'
import { cluster, proveServers } from './clickhouseServers.ts'
import { startServer } from './peer.ts'

const address = join(import.meta.dirname, '../conformance/data/raw/v1')
const datasets = Object.keys(metricPlans) as PlannedDatasetId[]
const pair = { exchange: 'venuea-futures', symbol: 'perpetual-BTC-USDT:USDT' }
const days = ['2026-09-01', '2026-09-02']

async function openWorld(url: string, clusterName = '') {
  const app = createApp({ ...fakePorts(), clock: systemClock }, { version: '0', dataDir: dataFolder() })
  onTestFinished(() => app.close())
  const client = app.clientFor(fakeHost())
  const server = { url, user: engineUser, cluster: clusterName, plainHttp: false }
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
  const instruments = async (raw: CallInput<'raw.computeOnEngine'>['raw']) =>
    (await client.call('raw.engineInstruments', { connectionId: 'sandbox', raw })).instruments
  /** Runs a statement of the test on the server. @returns its answer */
  const run = async (sql: string) => {
    const headers = { 'x-clickhouse-user': engineUser, 'x-clickhouse-key': enginePassword }
    const answer = await fetch(url, { method: 'POST', body: sql, headers })
    const text = await answer.text()
    expect(answer.status, text).toBe(200)
    return text
  }
  return { compute, cached, setKey, run, reconcile, instruments }
}

/** Computes a day with the built-in engine, which also has the other day's files. */
async function computeBuiltIn(day: string, timestamp: 'exchange' | 'true'): Promise<string> {
  const folder = temporaryFolder()
  await computeMetrics({
    outputs: datasets.map((dataset) => ({ dataset, path: join(folder, `${dataset}.parquet`) })),
    intervalSeconds: 60,
    timestamp,
    startDay: day,
    endDay: new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10),
    findFiles: rawFileFinder(address, pair.exchange, pair.symbol),
  })
  return folder
}

async function expectEqual(cached: Awaited<ReturnType<typeof openWorld>>['cached'], timestamp: 'exchange' | 'true') {
  const files = await cached()
  expect(files).toHaveLength(days.length * datasets.length)
  for (const day of days) {
    const folder = await computeBuiltIn(day, timestamp)
    for (const { series, path } of files.filter(({ period }) => period === day))
      expect(
        differences(readTable(join(folder, `${series.dataset}.parquet`)), readTable(path)),
        `${series.dataset} ${day}`,
      ).toEqual([])
  }
}

for (const timestamp of ['exchange', 'true'] as const)
  proveServers(
    `brings all columns home by HTTP, by ${timestamp} time, day by day as the built-in engine computes them`,
    async (start) => {
      const [url] = await start()
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

proveServers('reads MergeTree tables, whose order of equal times is a column', async (start) => {
  const [url] = await start()
  const { compute, cached, run, instruments } = await openWorld(url)
  await run('CREATE DATABASE raw')
  for (const { id } of rawDatasets) {
    const files = `file('${address}/dataset=${id}/exchange=*/symbol=*/*.parquet', 'Parquet')`
    const columns = `*, '${pair.exchange}' AS exchange, '${pair.symbol}' AS symbol, toUInt64(toYYYYMMDD(exchange_timestamp)) * 10000000 + _row_number AS ordinal`
    await run(
      `CREATE TABLE raw.${id} ENGINE = MergeTree ORDER BY tuple() SETTINGS allow_nullable_key = 1 AS SELECT ${columns} FROM ${files} SETTINGS use_hive_partitioning = 0`,
    )
  }
  expect(await instruments({ kind: 'database', name: 'raw' })).toEqual(knownInstruments)
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
})

proveServers('agrees with the built-in engine and DuckDB in every column', async (start) => {
  const [url] = await start()
  const { reconcile, cached } = await openWorld(url)
  const { columns, symbolDays } = await reconcile()
  expect(symbolDays).toBe(2)
  expect(columns.filter(({ agrees }) => !agrees)).toEqual([])
  expect(columns).toHaveLength(2 * datasets.flatMap((id) => Object.keys(metricPlans[id].columns)).length)
  expect(await cached()).toEqual([])
})

proveServers('refuses a file that is half-written, and takes nothing of it', async (start) => {
  const [url] = await start()
  const { compute, cached } = await openWorld(url)
  const raw = temporaryFolder()
  cpSync(address, raw, { recursive: true })
  const trades = join(
    raw,
    `dataset=trades/exchange=${pair.exchange}/symbol=${encodeSymbol(pair.symbol)}/${days[1]}.parquet`,
  )
  truncateSync(trades, 5000)
  const request = { datasets: ['vtwap' as const], raw: { kind: 'folder' as const, address: raw }, parallel: 1 }
  await expect(compute(request)).rejects.toThrow('a file is damaged, incomplete or missing')
  expect((await cached()).map(({ period }) => period)).toEqual([days[0]])
  cpSync(join(address, trades.slice(raw.length)), trades)
  expect((await compute(request)).outputs).toMatchObject([{ files: 1, kept: 1 }])
})

proveServers('reads times of other zones and precisions as the instants that they are', async (start) => {
  const [url] = await start()
  const { compute, cached, run } = await openWorld(url)
  await run('CREATE DATABASE zones')
  const file = `file('${address}/dataset=trades/exchange=*/symbol=*/*.parquet', 'Parquet')`
  const columns = `* REPLACE (toDateTime64(exchange_timestamp, 9, 'Asia/Tokyo') AS exchange_timestamp, toDateTime64(local_timestamp, 6, 'America/New_York') AS local_timestamp), '${pair.exchange}' AS exchange, '${pair.symbol}' AS symbol, toUInt64(toYYYYMMDD(exchange_timestamp)) * 10000000 + _row_number AS ordinal`
  await run(
    `CREATE TABLE zones.trades ENGINE = MergeTree ORDER BY tuple() AS SELECT ${columns} FROM ${file} SETTINGS use_hive_partitioning = 0`,
  )
  for (const timestamp of ['exchange', 'true'] as const) {
    await compute({ datasets: ['vtwap'], timestamp, raw: { kind: 'database', name: 'zones' } })
    const folder = await computeBuiltIn(days[1], timestamp)
    const { path } = (await cached()).find(
      ({ series, period }) => series.timestamp === timestamp && period === days[1],
    )!
    expect(differences(readTable(join(folder, 'vtwap.parquet')), readTable(path)), timestamp).toEqual([])
  }
})

proveServers('leaves results there, and refuses a wrong password', async (start) => {
  const [url] = await start()
  const { compute, cached, setKey } = await openWorld(url)
  const out = temporaryFolder()
  const { outputs } = await compute({ out, datasets: ['vtwap', 'slippage'] })
  expect(await cached()).toEqual([])
  const folder = await computeBuiltIn(days[1], 'exchange')
  for (const { dataset, places } of outputs)
    expect(differences(readTable(join(folder, `${dataset}.parquet`)), readTable(places[1])), dataset).toEqual([])
  await setKey('another-word')
  await expect(compute()).rejects.toThrow('the user name or the password is wrong')
})

/** Uploads the raw events to a bucket, under the names that they have in their folder. */
async function fillBucket(storage: string): Promise<void> {
  for (const name of readdirSync(address, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.parquet')) continue
    const key = name.split(sep).map(encodeURIComponent).join('/')
    const url = `${storage}/research/team%20data/raw/${key}`
    const { status } = await fetch(url, { method: 'PUT', body: readFileSync(join(address, name)) })
    expect(status).toBe(200)
  }
}

/** The server of the bucket requires a signature but does not check it. */
const authorization =
  'AWS4-HMAC-SHA256 Credential=TEAM-KEY-ID/20260901/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=0'

/** Everything that the files and tables of these tests contain. */
const knownInstruments = [
  {
    ...pair,
    datasets: expect.arrayContaining(['trades', 'quotes']),
    startDay: dayNumberOf(days[0]),
    endDay: dayNumberOf(days[1]) + 1,
  },
]

const rawInBucket = { kind: 'folder' as const, address: 's3://research/team data/raw' }

proveServers('reads a bucket by all servers of a cluster, and brings all columns home', async (start, context) => {
  const storage = await startServer(context, 'moto', 'motoServer.py')
  await fillBucket(storage)
  const [url, other] = await start({ servers: 2, storage })
  const { compute, cached, instruments } = await openWorld(url, cluster)
  expect(await instruments(rawInBucket)).toEqual(knownInstruments)
  await compute({ raw: rawInBucket })
  await expectEqual(cached, 'exchange')
  // The second server was not queried by the app; it requested its share of the files from the queried server.
  const shared = await (
    await openWorld(other)
  ).run("SELECT value FROM system.events WHERE event = 'ReadTaskRequestsSent'")
  expect(Number(shared)).toBeGreaterThan(0)
})

proveServers('leaves results in a bucket, under the names of the cache', async (start, context) => {
  const storage = await startServer(context, 'moto', 'motoServer.py')
  await fillBucket(storage)
  const [server] = await start({ storage })
  const { compute } = await openWorld(server)
  const out = 's3://research/team data/metrics'
  await compute({ raw: rawInBucket, out, datasets: ['vtwap'] })
  const folder = await computeBuiltIn(days[1], 'exchange')
  const series = `dataset=vtwap/exchange=${pair.exchange}/symbol=${encodeSymbol(pair.symbol)}/interval=1m/timestamp=exchange`
  const key = `team data/metrics/${series}/${days[1]}.parquet`
  const url = `${storage}/research/${key.split('/').map(encodeURIComponent).join('/')}`
  const answer = await fetch(url, { headers: { authorization } })
  expect(answer.status).toBe(200)
  const path = join(temporaryFolder(), 'there.parquet')
  writeFileSync(path, new Uint8Array(await answer.arrayBuffer()))
  expect(differences(readTable(join(folder, 'vtwap.parquet')), readTable(path))).toEqual([])
})

proveServers('says in seconds that the storage of the server cannot be reached', async (start) => {
  const [url] = await start({ storage: 'http://127.0.0.1:9' })
  const { compute, cached } = await openWorld(url)
  await expect(compute({ raw: rawInBucket, datasets: ['vtwap'] })).rejects.toThrow(
    'its storage refused access or could not be reached',
  )
  expect(await cached()).toEqual([])
})
