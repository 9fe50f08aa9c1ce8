import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../../electron/core/ports.ts'
import { enqueuePlan } from '../../electron/core/downloads/plan.ts'
import { periodCoverage, planSeriesFiles, planPreview } from '../../electron/core/downloads/plan.ts'
import { validateParquet } from '../../electron/core/downloads/verifyFile.ts'
import { openStore } from '../../electron/core/store/store.ts'
import { metricDatasetIds } from '../../shared/catalog/metricDatasets.ts'
import { downloadRequest } from '../../shared/contract/areas/downloads.ts'
import { type BenchLine, type BenchTask, processorMsOf } from './benchLine.ts'
import { fileOf } from './dayFile.ts'
import { filledStore } from './filledIndex.ts'

const log = { write: () => {} }
const newFolder = () => mkdtempSync(join(tmpdir(), 'perpscope-bench-'))

const request = (datasets: readonly string[], symbols: string[], startDay: string, endDay: string) =>
  downloadRequest.parse({ connectionId: 'desk', datasets, exchanges: ['venuea-futures'], symbols, startDay, endDay })

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

async function coverageTask(): Promise<BenchTask> {
  const { dataDir, store } = filledStore(1_000_000)
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
        const periods = periodCoverage(store, systemClock.nowMs(), { series, ...range })
        if (periods.length < 30) throw new Error(`${periods.length} periods`)
      }),
    close: async () => {
      store.close()
      rmSync(dataDir, { recursive: true })
    },
  }
}

/** Measures how much longer a filled index takes to open than an empty one. */
async function startTask(): Promise<BenchTask> {
  const { dataDir, store } = filledStore(1_000_000)
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
  const { dataDir, store } = filledStore(1_000_000)
  const wanted = request(metricDatasetIds, ['perpetual-BTC-USDT:USDT'], '2023-11-21', '2026-11-20')
  const parts = { store, clock: systemClock, tier: 3, signal: new AbortController().signal }
  await planPreview(parts, wanted)
  return {
    rounds: 15,
    ours: () =>
      processorMsOf(async () => {
        let periods = 0
        for await (const planned of planSeriesFiles(parts, wanted)) periods += planned.states.length
        if (periods < 18 * 100) throw new Error(`${periods} periods`)
      }),
    close: async () => {
      store.close()
      rmSync(dataDir, { recursive: true })
    },
  }
}

/** Measures the processor time of validating one small file, whose hash a download has already computed. */
async function proofTask(): Promise<BenchTask> {
  const folder = newFolder()
  const path = join(folder, 'day.parquet')
  writeFileSync(path, fileOf('2026-08-01'))
  const FILES = 200
  const prove = () => {
    for (let file = 0; file < FILES; file++) validateParquet(path, { sha256: 'known' })
  }
  prove()
  return {
    rounds: 9,
    ours: async () => (await processorMsOf(prove)) / FILES,
    close: async () => rmSync(folder, { recursive: true }),
  }
}

const own = { unit: 'ms of processor', rule: 'value', peerName: null } as const

export const benchLines: BenchLine[] = [
  { ...own, name: 'downloads: enqueue of 100,000', budget: 2000, prepare: enqueueTask },
  { ...own, name: 'downloads: proof of a file of 300 KB', budget: 1, prepare: proofTask },
  { ...own, name: 'index: plan of 18 buckets × 3 years at 1,000,000 files', budget: 20, prepare: planTask },
  { ...own, name: 'index: coverage of a series × 3 years at 1,000,000 files', budget: 5, prepare: coverageTask },
  { ...own, name: 'index: opening with 1,000,000 files, beyond an empty one', budget: 50, prepare: startTask },
]
