import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { parquetWriteBuffer } from 'hyparquet-writer'
import { cachedColumns, type CacheStudy, planCachePanel } from '../../electron/core/lab/cachePlan.ts'
import { createStudyRunner } from '../../electron/core/lab/studyRunner.ts'
import { openStore } from '../../electron/core/store/store.ts'
import { metricDatasets } from '../../shared/catalog/metricDatasets.ts'
import { formulasOf } from '../../shared/lab/kinds.ts'
import { parseStudy } from '../../shared/lab/parseStudy.ts'
import { MS_PER_DAY } from '../../shared/time.ts'
import { periodDays } from '../../shared/time/periods.ts'
import { cachedFile } from '../fakes/cachedFiles.ts'
import { fakeClock } from '../fakes/fakeClock.ts'
import { fakeLog } from '../fakes/fakeLog.ts'
import { randomOf } from '../fakes/panelWorld.ts'
import { type BenchLine, millisecondsOf, NotHere } from './benchLine.ts'

const COLUMNS = 171
const STEP_MS = 300_000
const MONTHS = Array.from({ length: 12 }, (_, month) => `2025-${String(month + 1).padStart(2, '0')}`)
const series = (dataset: string) => ({
  connectionId: 'sandbox',
  kind: 'metrics' as const,
  dataset,
  exchange: 'venuea-futures',
  symbol: 'perpetual-BTC-USDT:USDT',
  interval: '5m',
  timestamp: 'exchange',
})

/** Lists the first columns of the catalog by dataset; those of prices come first. */
function columnsByDataset(): [dataset: string, columns: string[]][] {
  const datasets = [...metricDatasets].sort((a, b) => Number(b.id === 'ohlcv') - Number(a.id === 'ohlcv'))
  let left = COLUMNS
  return datasets.flatMap(({ id, columns }): [string, string[]][] => {
    const names = columns.slice(0, left).map(({ name }) => name)
    left -= names.length
    return names.length === 0 ? [] : [[id, names]]
  })
}

/** Fills a data folder with monthly files of one symbol: a year of five minutes in all columns. */
function filledYear() {
  const folder = mkdtempSync(join(tmpdir(), 'perpscope-bench-'))
  const clock = fakeClock(Date.UTC(2026, 0, 2))
  const store = openStore({ dataDir: folder, clock, log: fakeLog() })
  const random = randomOf(9)
  let price = 100
  for (const [dataset, columns] of columnsByDataset()) {
    const states = columns.map(() => 0)
    for (const month of MONTHS) {
      const { start, end } = periodDays(month)!
      const rows = ((end - start) * MS_PER_DAY) / STEP_MS
      const times = BigInt64Array.from({ length: rows }, (_, row) => BigInt(start * MS_PER_DAY + row * STEP_MS))
      const data = columns.map((name, at) => ({
        name,
        type: 'DOUBLE' as const,
        data: Float64Array.from({ length: rows }, () => {
          if (dataset === 'ohlcv' && name === 'close') return (price *= 1 + 0.002 * (random() - 0.5))
          states[at] = 0.9 * states[at] + random() - 0.5
          // Every third column has few different values.
          return at % 3 === 2 ? Math.round(5 * states[at]) : states[at]
        }),
      }))
      const path = store.folder.pathOf(series(dataset), month)
      mkdirSync(dirname(path), { recursive: true })
      const columnData = [{ name: 'time', type: 'INT64' as const, data: times }, ...data]
      const bytes = new Uint8Array(parquetWriteBuffer({ columnData }))
      writeFileSync(path, bytes)
      const facts = {
        rows,
        firstTimeMs: start * MS_PER_DAY,
        lastTimeMs: end * MS_PER_DAY - STEP_MS,
        stepMs: STEP_MS,
        duplicateTimes: 0,
        columns: [],
      }
      store.files.record([{ file: cachedFile(series(dataset), month, { sizeBytes: bytes.length }), facts }])
    }
  }
  const document = {
    ...{ version: 1, kind: 'screen', interval: '5m', start: '2025-01-01', end: '2025-12-31' },
    source: { exchanges: ['venuea-futures'], symbols: null, timestamp: 'exchange' },
  }
  const study = parseStudy(document, { fromCache: true }) as CacheStudy
  const request = { study, timestamp: 'exchange' as const, connectionId: 'sandbox', tier: null }
  const columns = cachedColumns(store, { ...request, formulas: formulasOf(study) })
  const formulas = [...columns.map((formula) => ({ field: 'columns', formula })), ...formulasOf(study)]
  const { plan } = planCachePanel(store, clock, { ...request, formulas })
  const rows = { plan, universe: null }
  const task = { study, columns, rows, against: null, panelOutPath: null, scratchFolder: tmpdir() }
  const runner = createStudyRunner(null)
  return {
    async run(): Promise<void> {
      const answer = await runner.run(task, { signal: new AbortController().signal, onStage: () => undefined })
      if (!('result' in answer) || answer.result.kind !== 'screen') throw new NotHere('the screen failed')
      if (answer.result.attrition.cells !== COLUMNS * 6) throw new Error('the screen tried other cells')
    },
    async close() {
      await runner.close()
      store.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const cold: BenchLine = {
  name: 'lab: screen of 171 columns × 3 templates × 2 horizons, a year of 5m from cached files, cold',
  unit: 'ms',
  rule: 'value',
  budget: 60_000,
  peerName: null,
  prepare() {
    const { run, close } = filledYear()
    return Promise.resolve({ ours: () => millisecondsOf(run), rounds: 1, close })
  },
}

const again: BenchLine = {
  ...cold,
  name: 'lab: the same screen again',
  budget: 25_000,
  async prepare() {
    const { run, close } = filledYear()
    await run()
    return { ours: () => millisecondsOf(run), rounds: 1, close }
  },
}

export const benchLines: BenchLine[] = [cold, again]
