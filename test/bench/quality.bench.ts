import { documentedVenue } from '../../electron/sandbox/market/venues.ts'
import { existsSync, linkSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { metricDatasetIds } from '../../shared/catalog/metricDatasets.ts'
import { type Period, periodDays } from '../../shared/time/periods.ts'
import { MS_PER_DAY } from '../../shared/time.ts'
import { makeMetricFiles } from '../../electron/sandbox/files/metricFile.ts'
import { validateParquet } from '../../electron/core/downloads/verifyFile.ts'
import { systemClock } from '../../electron/core/ports.ts'
import { createQualityService } from '../../electron/core/quality/qualityService.ts'
import type { CachedFile, FileFacts } from '../../electron/core/store/fileTable.ts'
import { openStore, type Store } from '../../electron/core/store/store.ts'
import { cachedFile, flowSeries } from '../fakes/cachedFiles.ts'
import { type BenchLine, type BenchTask, millisecondsOf } from './benchLine.ts'

const generatedFolder = join(import.meta.dirname, '../../.cache/bench/quality-1m')
const months: Period[] = Array.from({ length: 12 }, (_, at) => `2025-${String(at + 1).padStart(2, '0')}`)
const venues = ['venuea-futures', 'venueb-perps']
/** Number of symbols per venue: 18 datasets × 12 months × 2 venues × 23 symbols are 9,936 files. */
const SYMBOLS = 23

const { signal } = new AbortController()

/**
 * Returns the path of a dataset's month of 1m rows, which the sandbox generates once and which is kept between runs.
 */
async function generatedMonth(dataset: string, month: Period): Promise<string> {
  const path = join(generatedFolder, `${dataset}-${month}.parquet`)
  if (existsSync(path)) return path
  const work = join(generatedFolder, 'work')
  rmSync(work, { recursive: true, force: true })
  mkdirSync(work, { recursive: true })
  const made = await makeMetricFiles(
    {
      kind: 'metrics',
      dataset,
      seed: 1,
      venue: documentedVenue('venuea-futures'),
      symbol: 'perpetual-BTC-USDT:USDT',
      period: month,
      interval: '1m',
      timestamp: 'exchange',
      untilMs: periodDays(month)!.end * MS_PER_DAY,
      revision: 0,
      faults: {},
    },
    work,
  )
  for (const file of made)
    if (file.recipe.kind === 'metrics')
      renameSync(file.path, join(generatedFolder, `${file.recipe.dataset}-${month}.parquet`))
  rmSync(work, { recursive: true, force: true })
  return path
}

/**
 * Links the generated months into a cache under many symbols of two venues, which can share them because the index
 * tells their files apart.
 */
async function fillCache(store: Store): Promise<void> {
  for (const dataset of metricDatasetIds)
    for (const month of months) {
      const source = await generatedMonth(dataset, month)
      const { sizeBytes, sha256, facts } = validateParquet(source)
      const kept: { file: CachedFile; facts: FileFacts }[] = []
      for (const exchange of venues)
        for (let at = 0; at < SYMBOLS; at++) {
          const series = flowSeries({ dataset, exchange, symbol: `perpetual-A${at}-USDT:USDT` })
          const target = store.folder.pathOf(series, month)
          mkdirSync(dirname(target), { recursive: true })
          linkSync(source, target)
          kept.push({ file: cachedFile(series, month, { sizeBytes, sha256 }), facts })
        }
      store.files.record(kept)
    }
}

async function checkedCache() {
  mkdirSync(generatedFolder, { recursive: true })
  const dataDir = mkdtempSync(join(generatedFolder, 'cache-'))
  const store = openStore({ dataDir, clock: systemClock, log: { write: () => {} } })
  await fillCache(store)
  const quality = createQualityService({ store, clock: systemClock, changedFiles: null })
  const close = async () => {
    await quality.close()
    store.close()
    rmSync(dataDir, { recursive: true, force: true })
  }
  return { check: () => quality.check({ connectionId: 'sandbox' }, { signal }), close }
}

/**
 * Measures the first check of all files in a single round, because a second round would find the saved results of the
 * first.
 */
async function firstTask(): Promise<BenchTask> {
  const { check, close } = await checkedCache()
  return { rounds: 1, ours: async () => (await millisecondsOf(check)) / 1000, close }
}

async function againTask(): Promise<BenchTask> {
  const { check, close } = await checkedCache()
  await check()
  return { rounds: 5, ours: () => millisecondsOf(check), close }
}

export const benchLines: BenchLine[] = [
  {
    name: 'quality: 9,936 monthly files of 1m, first, 2 threads',
    unit: 's',
    rule: 'value',
    budget: 60,
    peerName: null,
    prepare: firstTask,
  },
  {
    name: 'quality: 9,936 monthly files of 1m, again',
    unit: 'ms',
    rule: 'value',
    budget: 500,
    peerName: null,
    prepare: againTask,
  },
]
