import { linkSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { validateParquet } from '../../electron/core/downloads/verifyFile.ts'
import { systemClock } from '../../electron/core/ports.ts'
import { createSqlService, type SqlQuery } from '../../electron/core/sql/sqlService.ts'
import { openStore, type Store } from '../../electron/core/store/store.ts'
import { dayNumberOf } from '../../shared/time/periods.ts'
import { flowSeries } from '../fakes/cachedFiles.ts'
import { duckDb, metricYear } from './benchData.ts'
import { type BenchLine, type BenchTask, millisecondsOf } from './benchLine.ts'
import { keepFiles } from './cachedYear.ts'

const THREADS = 2
const SERIES = 1000
const series = flowSeries({ connectionId: 'sandbox', interval: '1m' })
const figures = 'count(*) AS n, avg(c0) AS mean, max(c1) AS top, sum(c2) AS total'
const fromSeries = `FROM metrics.flow WHERE exchange = '${series.exchange}' AND symbol = '${series.symbol}'
  AND interval = '1m' AND clock = 'exchange'`

/** Inserts rows of files that no query of the bench reads, so that the index is as large as that of a full cache. */
function fillIndex({ database: { writes } }: Store, files: number): void {
  writes.inTransaction(() => {
    writes.run(
      `INSERT INTO series (connection_id, kind, dataset, exchange, symbol, interval, timestamp)
       WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
       SELECT 'sandbox', 'metrics', 'flow', 'venueb-perps', 'perpetual-S' || i || '-USDT:USDT', '1m', 'exchange' FROM n`,
      SERIES - 1,
    )
    writes.run(
      `INSERT INTO files (series_id, period, start_day, end_day, state, origin, size_bytes, sha256, fetched_at_ms, used_at_ms)
       WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
       SELECT series.id, date((? + i) * 86400, 'unixepoch'), ? + i, ? + i + 1, 'final', 'service', 1000, x'00', 1, 1
       FROM series, n WHERE series.exchange = 'venueb-perps'`,
      files / SERIES - 1,
      ...[0, 0, 0].map(() => dayNumberOf('2026-11-20') - files / SERIES),
    )
  })
}

/** Opens SQL over a cache with a year of 1m and with `files` other files in its index. */
async function openCache(files: number) {
  const paths = await metricYear(60, 44)
  const dataDir = mkdtempSync(join(dirname(dirname(paths[0])), 'sql-'))
  const store = openStore({ dataDir, clock: systemClock, log: { write: () => {} } })
  keepFiles(store, series, paths)
  fillIndex(store, files)
  const sql = createSqlService({
    fundingOf: () => Promise.resolve([]),
    store,
    clock: systemClock,
    dataDir,
    ledger: () => {
      throw new Error('no query of the bench reads the ledger')
    },
    validate: (path) => Promise.resolve().then(() => validateParquet(path)),
  })
  const query = (text: string): SqlQuery => ({ sql: text, parameters: {}, connectionId: '', threads: THREADS })
  // A result is closed when the next one arrives, as on screen.
  let open: number | null = null
  const firstRows = async (text: string) => {
    const { id, rows } = await sql.run(query(text))
    await sql.page(id, 0, Math.min(rows, 100))
    // The engine ends with the benchmark, possibly before the last result is closed, so this error is ignored.
    if (open !== null) void sql.closeResult(open).catch(() => {})
    open = id
  }
  return {
    paths,
    dataDir,
    sql,
    query,
    firstRows,
    async close() {
      await sql.close()
      store.close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

const filesTable = (paths: readonly string[]) =>
  `read_parquet([${paths.map((path) => `'${path}'`).join(', ')}], hive_partitioning = false)`

/**
 * Pause before each query, as between two queries of a user, so that neither side still works on its previous query.
 */
const REST_MS = 150

async function atRest(work: () => Promise<unknown>): Promise<number> {
  await setTimeout(REST_MS)
  return millisecondsOf(work)
}

/** Measures the first result beside DuckDB in this process, which receives the list of the same files. */
async function besidePlain(files: number) {
  const cache = await openCache(files)
  const connection = await duckDb()
  const ours = () => atRest(() => cache.firstRows(`SELECT ${figures} ${fromSeries}`))
  const plain = () => atRest(() => connection.runAndReadAll(`SELECT ${figures} FROM ${filesTable(cache.paths)}`))
  await ours()
  await plain()
  return {
    ...{ cache, ours, plain, connection },
    async close() {
      connection.closeSync()
      await cache.close()
    },
  }
}

async function listTask(): Promise<BenchTask> {
  const { ours, plain, close } = await besidePlain(20_000)
  return { rounds: 21, ours, peer: plain, close }
}

/**
 * Runs the query with a different text each time, so that checking the text counts too; on screen it is checked while
 * the user types.
 */
async function unseenTask(): Promise<BenchTask> {
  const { cache, plain, close } = await besidePlain(20_000)
  let round = 0
  const ours = () => atRest(() => cache.firstRows(`SELECT ${figures}, ${round++} AS round ${fromSeries}`))
  return { rounds: 21, ours, peer: plain, close }
}

async function millionTask(): Promise<BenchTask> {
  const { ours, plain, close } = await besidePlain(1_000_000)
  return { rounds: 11, ours: async () => (await ours()) - (await plain()), close }
}

/**
 * Links the year's files under so many symbols that there are 20,000 files, for a handwritten query over a glob
 * pattern.
 */
async function globTask(): Promise<BenchTask> {
  const { cache, ours, connection, close } = await besidePlain(20_000)
  const folder = join(cache.dataDir, 'by-hand')
  for (let symbol = 0; symbol < 20_000 / cache.paths.length; symbol++) {
    const symbolFolder = join(folder, `symbol=S${symbol}`)
    mkdirSync(symbolFolder, { recursive: true })
    for (const path of cache.paths) linkSync(path, join(symbolFolder, basename(path)))
  }
  const text = `SELECT ${figures} FROM read_parquet('${folder}/**/*.parquet', hive_partitioning = true) WHERE symbol = 'S7'`
  const byHand = () => millisecondsOf(() => connection.runAndReadAll(text))
  await byHand()
  return { rounds: 5, ours, peer: byHand, close }
}

async function filesTask(): Promise<BenchTask> {
  const { firstRows, close } = await openCache(1_000_000)
  const ours = () =>
    millisecondsOf(() => firstRows('SELECT exchange, count(*), sum(bytes) FROM cache.files GROUP BY ALL'))
  await ours()
  return { rounds: 5, ours, close }
}

const HEAVY = 'SELECT count(*) FROM range(10000000000) a, range(100000) b'
const HEAVY_MS = 2000
const TICK_MS = 2

/** Measures the longest delay of the host's timers while the engine works as hard as it can. */
async function lagTask(): Promise<BenchTask> {
  const { sql, query, firstRows, close } = await openCache(20_000)
  await firstRows('SELECT 1')
  return {
    rounds: 3,
    async ours() {
      const stop = new AbortController()
      const running = sql.run(query(HEAVY), { signal: stop.signal }).catch(() => {})
      const endMs = performance.now() + HEAVY_MS
      let longestMs = 0
      for (let before = performance.now(); before < endMs;) {
        await setTimeout(TICK_MS)
        const now = performance.now()
        longestMs = Math.max(longestMs, now - before - TICK_MS)
        before = now
      }
      stop.abort()
      await running
      await firstRows('SELECT 1')
      return longestMs
    },
    close,
  }
}

/** Measures the time from a cancel until the engine answers another query. */
async function cancelTask(): Promise<BenchTask> {
  const { sql, query, firstRows, close } = await openCache(20_000)
  await firstRows('SELECT 1')
  return {
    rounds: 7,
    async ours() {
      const stop = new AbortController()
      const { promise: whenPlanned, resolve } = Promise.withResolvers<unknown>()
      const running = sql.run(query(HEAVY), { signal: stop.signal, onPlanned: resolve }).catch(() => {})
      await whenPlanned
      await setTimeout(300)
      return millisecondsOf(async () => {
        stop.abort()
        await running
        await firstRows('SELECT 1')
      })
    },
    close,
  }
}

const withList = 'DuckDB with the list of files'
const inMs = { unit: 'ms', rule: 'value', peerName: null } as const

export const benchLines: BenchLine[] = [
  {
    name: 'sql: a year of 1m among 20,000 cached files',
    ...{ unit: 'ms', rule: 'atMost', budget: 1.3, peerName: withList },
    prepare: listTask,
  },
  {
    name: 'sql: the same for a text that was not checked before',
    ...{ unit: 'ms', rule: 'atMost', budget: null, peerName: withList },
    prepare: unseenTask,
  },
  {
    name: 'sql: the same beside a glob, as written by hand',
    ...{ unit: 'ms', rule: 'atMost', budget: null, peerName: 'DuckDB with a glob over 20,000 files' },
    prepare: globTask,
  },
  {
    name: `sql: a year of 1m among 1,000,000 cached files, beyond ${withList}`,
    ...{ ...inMs, budget: 150 },
    prepare: millionTask,
  },
  { name: 'sql: cache.files with 1,000,000 rows', ...{ ...inMs, budget: 1500 }, prepare: filesTask },
  { name: 'sql: lag of the host while a heavy query runs', ...{ ...inMs, budget: 50 }, prepare: lagTask },
  { name: 'sql: cancel of a heavy query until the next answer', ...{ ...inMs, budget: 100 }, prepare: cancelTask },
]
