import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../../electron/core/ports.ts'
import { enqueuePlan } from '../../electron/core/downloads/plan.ts'
import { coveredPeriods, planSeries, previewOf } from '../../electron/core/downloads/plan.ts'
import { openStore, type Store } from '../../electron/core/store/store.ts'
import { metricDatasetIds } from '../../shared/catalog/metricDatasets.ts'
import { downloadRequest } from '../../shared/contract/areas/downloads.ts'
import { dayNumberOf } from '../../shared/time/periods.ts'
import type { BenchLine, BenchTask } from './benchLine.ts'

const log = { write: () => {} }
const newFolder = () => mkdtempSync(join(tmpdir(), 'perpscope-bench-'))

const request = (datasets: readonly string[], symbols: string[], startDay: string, endDay: string) =>
  downloadRequest.parse({ connectionId: 'desk', datasets, exchanges: ['venuea-futures'], symbols, startDay, endDay })

/** Returns the processor time of the work, because elapsed time without a peer depends on the machine's other load. */
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
        const { files } = await enqueuePlan(parts, wanted, { label: '', priority: 0 })
        if (files !== 100_000) throw new Error(`${files} jobs`)
      })
      store.close()
      rmSync(dataDir, { recursive: true })
      return spentMs
    },
  }
}

/** Inserts a million files, symbol by symbol, with SQL. */
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

/** Fills the store with a coverage document of a hundred thousand rows. */
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

/** Returns how much longer a filled index takes to open than an empty one. */
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

const own = { unit: 'ms of processor', rule: 'value', peerName: null } as const

export const benchLines: BenchLine[] = [
  { ...own, name: 'downloads: enqueue of 100,000', budget: 2000, prepare: enqueueTask },
  { ...own, name: 'index: plan of 18 buckets × 3 years at 1,000,000 files', budget: 20, prepare: planTask },
  { ...own, name: 'index: coverage of a series × 3 years at 1,000,000 files', budget: 5, prepare: coverageTask },
  { ...own, name: 'index: opening with 1,000,000 files, beyond an empty one', budget: 50, prepare: startTask },
]
