import { fakePorts } from '../fakes/fakePorts.ts'
import { spawn, type ChildProcess } from 'node:child_process'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createApp, type App } from '#core/app.ts'
import { systemClock } from '#core/ports.ts'
import { coveredPeriods } from '#core/downloads/coveredPeriods.ts'
import { createDownloads } from '#core/downloads/downloads.ts'
import { planSeries, previewOf } from '#core/downloads/preview.ts'
import { openStore, type Store } from '#core/store/store.ts'
import { metricDatasetIds } from '#shared/catalog/metricDatasets.ts'
import { downloadRequest } from '#shared/contract/areas/downloads.ts'
import { addDays } from '#shared/time.ts'
import { dayNumberOf } from '#shared/time/periods.ts'
import { metricYear } from './benchData.ts'
import { type BenchLine, type BenchTask, millisecondsOf } from './benchLine.ts'

const FILES = 2000
const WARM_UP = 120
const AT_ONCE = 16
const log = { write: () => {} }
const newFolder = () => mkdtempSync(join(tmpdir(), 'perpscope-bench-'))

const hasCurl = () => {
  try {
    execFileSync('curl', ['--version'])
    return true
  } catch {
    return false
  }
}

/** A service in a process of its own, so that it does not share ours: lists files, and gives each the same content. */
async function startServer(path: string, latencyMs: number): Promise<{ url: string; process: ChildProcess }> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'fileServer.ts'), path, String(latencyMs)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const port = await new Promise<string>((resolve) =>
    child.stdout.once('data', (said: Buffer) => resolve(String(said))),
  )
  return { url: `http://127.0.0.1:${port.trim()}`, process: child }
}

const foldersMade: string[] = []
/** Removed when all is measured: a disk gives out the places of files that were just removed only with effort. */
const newTransferFolder = () => {
  const folder = newFolder()
  foldersMade.push(folder)
  return folder
}

const datasets = ['flow', 'trade_size', 'range', 'returns', 'vtwap', 'ohlcv', 'basis', 'funding', 'l1_price', 'impact']
const SYMBOLS_AT_ONCE = 4

/** The app with its queue at work: its threads, which load from sources here, have come with a few files before. */
async function openFetching(url: string) {
  const ports = { ...fakePorts(), log, clock: systemClock }
  const app: App = createApp(ports, { version: '0', dataDir: newTransferFolder(), environmentKey: 'bench-key' })
  const client = app.clientFor({ face: 'command line', pickFiles: null, save: async () => null })
  const fields = { name: 'Bench', metricsUrl: url, portfolioUrl: '', catalogLocation: '', tier: 3 }
  const { id: connectionId } = await client.call('connections.add', fields)
  let symbols = 0
  let onFinished: (failed: number) => void = () => {}
  client.on('downloads.finished', ({ failed }) => onFinished(failed))
  app.runDownloads({ concurrency: AT_ONCE })

  /** Of symbols that were not fetched before. */
  async function fetch(files: number): Promise<void> {
    const finished = new Promise<void>((resolve, reject) => {
      onFinished = (failed) => (failed > 0 ? reject(new Error(`${failed} of ${files} failed`)) : resolve())
    })
    const days = files / datasets.length / SYMBOLS_AT_ONCE
    await client.call('downloads.enqueue', {
      request: {
        connectionId,
        datasets,
        exchanges: ['venuea-futures'],
        symbols: Array.from({ length: SYMBOLS_AT_ONCE }, () => `perpetual-S${symbols++}-USDT:USDT`),
        startDay: '2026-08-01',
        endDay: addDays('2026-08-01', days - 1),
      },
    })
    await finished
  }

  let fetched = WARM_UP
  await fetch(WARM_UP)
  return {
    async filesPerSecond() {
      const spentMs = await millisecondsOf(() => fetch(FILES))
      fetched += FILES
      const { counts } = await client.call('downloads.progress', {})
      if (counts.done !== fetched) throw new Error(`${counts.done} of ${fetched} files came`)
      return FILES / (spentMs / 1000)
    },
    close: () => app.close(),
  }
}

async function curlAll(url: string): Promise<number> {
  const folder = newTransferFolder()
  const list = Array.from({ length: FILES }, (_, i) => `url = "${url}/file/${i}"\noutput = "${folder}/${i}.parquet"\n`)
  writeFileSync(join(folder, 'list'), list.join(''))
  const spentMs = await millisecondsOf(
    () =>
      new Promise((resolve) => {
        const args = ['-s', '--parallel', '--parallel-max', String(AT_ONCE), '-K', join(folder, 'list')]
        spawn('curl', args, { stdio: 'ignore' }).on('close', resolve)
      }),
  )
  return FILES / (spentMs / 1000)
}

async function transferTask(latencyMs: number): Promise<BenchTask> {
  const path = await fileOf300Kb()
  const server = await startServer(path, latencyMs)
  const fetching = await openFetching(server.url)
  return {
    rounds: 5,
    ours: fetching.filesPerSecond,
    ...(hasCurl() && { peer: () => curlAll(server.url) }),
    close: async () => {
      await fetching.close()
      server.process.kill()
      for (const folder of foldersMade.splice(0)) rmSync(folder, { recursive: true })
    },
  }
}

/** A real Parquet file: a month of 5m rows of four columns. */
async function fileOf300Kb(): Promise<string> {
  const [path] = await metricYear(300, 4)
  const { length } = readFileSync(path)
  if (length < 200_000 || length > 450_000) throw new Error(`the file has ${length} bytes`)
  return path
}

const request = (datasets: readonly string[], symbols: string[], startDay: string, endDay: string) =>
  downloadRequest.parse({ connectionId: 'desk', datasets, exchanges: ['venuea-futures'], symbols, startDay, endDay })

/** Without a peer in the same run only this says something of us and not of what else the machine does. */
async function processorMsOf(work: () => unknown): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

async function enqueueTask(): Promise<BenchTask> {
  const symbols = Array.from({ length: 500 }, (_, i) => `perpetual-S${i}-USDT:USDT`)
  const wanted = request(['flow', 'vtwap'], symbols, '2026-08-01', '2026-11-08')
  const signal = new AbortController().signal
  return {
    rounds: 3,
    ours: async () => {
      const dataDir = newFolder()
      const store = openStore({ dataDir, clock: systemClock, log })
      const parts = { store, clock: systemClock, tier: null, signal }
      const spentMs = await processorMsOf(async () => {
        const { files } = await createDownloads(store, systemClock).enqueue(parts, wanted, { label: '', priority: 0 })
        if (files !== 100_000) throw new Error(`${files} jobs`)
      })
      store.close()
      rmSync(dataDir, { recursive: true })
      return spentMs
    },
  }
}

/** A million files of one symbol after another, by SQL. */
function fill({ database: { writes } }: Store): void {
  writes.inTransaction(() => {
    writes.run(`INSERT INTO series (id, connection_id, kind, dataset, exchange, symbol, interval, timestamp)
      WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 999)
      SELECT i + 1, 'desk', 'metrics', 'd' || (i % 20), 'venuea-futures', 'perpetual-S' || (i / 20) || '-USDT:USDT', '1m', 'exchange' FROM n`)
    metricDatasetIds.forEach((dataset, index) =>
      writes.run(
        "UPDATE series SET dataset = ?, symbol = 'perpetual-BTC-USDT:USDT' WHERE id = ?",
        dataset,
        index * 50 + 1,
      ),
    )
    writes.run(
      `INSERT INTO files (series_id, period, start_day, end_day, state, origin, size_bytes, sha256, fetched_at_ms, used_at_ms)
       WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 999)
       SELECT series.id, date((? + i) * 86400, 'unixepoch'), ? + i, ? + i + 1, 'final', 'service', 1000, x'00', 1, 1 FROM series, n`,
      ...[0, 0, 0].map(() => dayNumberOf('2026-11-20') - 1000),
    )
  })
}

/** A hundred thousand rows of what services have. */
function fillCoverage({ coverage }: Store): void {
  const document = {
    connectionId: 'desk',
    name: 'raw-catalog',
    body: '{}',
    fetchedAtMs: 1,
    generatedAtMs: null,
    source: 'https://service.example',
  }
  const rows = Array.from({ length: 100_000 }, (_, i) => ({
    dataset: 'trades',
    exchange: `venue${i % 10}`,
    symbol: `perpetual-S${Math.floor(i / 10)}-USDT:USDT`,
    firstDay: 19_000,
    lastDay: 20_000,
    days: 1000,
  }))
  coverage.replaceCoverage(document, rows)
}

function filledStore(): { dataDir: string; store: Store } {
  const dataDir = newFolder()
  mkdirSync(dataDir, { recursive: true })
  const store = openStore({ dataDir, clock: systemClock, log })
  fill(store)
  fillCoverage(store)
  return { dataDir, store }
}

async function coverageTask(): Promise<BenchTask> {
  const { dataDir, store } = filledStore()
  const symbol = 'perpetual-BTC-USDT:USDT'
  const named = { connectionId: 'desk', kind: 'metrics', exchange: 'venuea-futures', symbol } as const
  const range = { startDay: '2023-11-21', endDay: '2026-11-20', tier: 3 }
  let at = 0
  return {
    rounds: 25,
    ours: () =>
      processorMsOf(() => {
        const dataset = metricDatasetIds[at++ % metricDatasetIds.length]
        const series = { ...named, dataset, interval: '1m', timestamp: 'exchange' }
        const periods = coveredPeriods(store, systemClock.nowMs(), { series, ...range })
        if (periods.length < 30) throw new Error(`${periods.length} periods`)
      }),
    close: async () => {
      store.close()
      rmSync(dataDir, { recursive: true })
    },
  }
}

/** How much longer the index takes to open than an empty one. */
async function startTask(): Promise<BenchTask> {
  const { dataDir, store } = filledStore()
  store.close()
  const emptyDir = newFolder()
  const opening = (folder: string) =>
    processorMsOf(() => openStore({ dataDir: folder, clock: systemClock, log }).close())
  await opening(emptyDir)
  return {
    rounds: 9,
    ours: async () => Math.max(0, (await opening(dataDir)) - (await opening(emptyDir))),
    close: async () => {
      for (const folder of [dataDir, emptyDir]) rmSync(folder, { recursive: true })
    },
  }
}

async function planTask(): Promise<BenchTask> {
  const { dataDir, store } = filledStore()
  const wanted = request(metricDatasetIds, ['perpetual-BTC-USDT:USDT'], '2023-11-21', '2026-11-20')
  const parts = { store, clock: systemClock, tier: 3, signal: new AbortController().signal }
  await previewOf(parts, wanted)
  return {
    rounds: 15,
    ours: () =>
      processorMsOf(async () => {
        let periods = 0
        for await (const planned of planSeries(parts, wanted)) periods += planned.states.length
        if (periods < 18 * 100) throw new Error(`${periods} periods`)
      }),
    close: async () => {
      store.close()
      rmSync(dataDir, { recursive: true })
    },
  }
}

const files = { unit: 'files/s', rule: 'atLeast', peerName: 'curl --parallel, neither synced nor indexed' } as const
const own = { unit: 'ms of processor', rule: 'value', peerName: null } as const

export const benchLines: BenchLine[] = [
  { ...files, name: 'downloads: 2,000 × 300 KB', budget: 0.6, prepare: () => transferTask(0) },
  { ...files, name: 'downloads: 2,000 × 300 KB, 25 ms latency', budget: 1, prepare: () => transferTask(25) },
  { ...own, name: 'downloads: enqueue of 100,000', budget: 2000, prepare: enqueueTask },
  { ...own, name: 'index: plan of 18 buckets × 3 years at 1,000,000 files', budget: 20, prepare: planTask },
  { ...own, name: 'index: coverage of a series × 3 years at 1,000,000 files', budget: 5, prepare: coverageTask },
  { ...own, name: 'index: opening with 1,000,000 files, beyond an empty one', budget: 50, prepare: startTask },
]
