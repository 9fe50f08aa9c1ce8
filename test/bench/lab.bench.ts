import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { parquetWriteBuffer } from 'hyparquet-writer'
import { DatasetCache, readCachePanel } from '../../electron/core/lab/cachePanel.ts'
import { type CacheStudy, planCachePanel } from '../../electron/core/lab/cachePlan.ts'
import { openStore } from '../../electron/core/store/store.ts'
import { buildPanel, type LongRows } from '../../shared/lab/panel.ts'
import { formulasOf } from '../../shared/lab/studyDocument.ts'
import { parseStudy } from '../../shared/lab/parseStudy.ts'
import { runStudy } from '../../shared/lab/runStudy.ts'
import { studyRange } from '../../shared/lab/studyRange.ts'
import { MS_PER_DAY } from '../../shared/time.ts'
import { periodDays } from '../../shared/time/periods.ts'
import { cachedFile } from '../fakes/cachedFiles.ts'
import { fakeClock } from '../fakes/fakeClock.ts'
import { fakeLog } from '../fakes/fakeLog.ts'
import { HOUR_MS, randomOf } from '../fakes/panelWorld.ts'
import { type BenchLine, millisecondsOf } from './benchLine.ts'

const SYMBOLS = 300
const HOURS = 8760
const START_MS = Date.UTC(2025, 0, 1)
const MONTHS = Array.from({ length: 12 }, (_, month) => `2025-${String(month + 1).padStart(2, '0')}`)

/** Builds the rows of 300 symbols over a year of hours: random walks and a slow signal. */
function yearOfRows(): LongRows {
  const random = randomOf(5)
  const count = SYMBOLS * HOURS
  const times = new Float64Array(count)
  const symbols = new Int32Array(count)
  const close = new Float64Array(count)
  const signal = new Float64Array(count)
  for (let symbol = 0; symbol < SYMBOLS; symbol++) {
    let price = 100
    let value = 0
    for (let hour = 0, row = symbol * HOURS; hour < HOURS; hour++, row++) {
      price *= 1 + 0.02 * (random() - 0.5)
      value = 0.9 * value + random() - 0.5
      times[row] = START_MS + hour * HOUR_MS
      symbols[row] = symbol
      close[row] = price
      signal[row] = value
    }
  }
  const names = Array.from({ length: SYMBOLS }, (_, at) => `S${at}`)
  const columns = new Map([
    ['close', close],
    ['a', signal],
  ])
  return { times, symbols, names, columns, member: null, otherColumns: [], columnNames: [...columns.keys()] }
}

const report: BenchLine = {
  name: 'lab: 300 symbols × 8,760 bars × 6 horizons, signal to full report',
  unit: 'ms',
  rule: 'value',
  budget: 1500,
  peerName: null,
  prepare() {
    const fields = { version: 1, kind: 'signal', interval: '1h', signal: 'sma(a, 6)', horizons: [1, 4, 8, 24, 72, 168] }
    const study = parseStudy(fields, { fromCache: false })
    const panel = buildPanel(yearOfRows(), studyRange(study))
    const run = () => runStudy({ study, panel, against: null })
    return Promise.resolve({ ours: () => millisecondsOf(run) })
  },
}

const series = (symbol: number) => ({
  connectionId: 'sandbox',
  kind: 'metrics' as const,
  dataset: 'ohlcv',
  exchange: 'venuea-futures',
  symbol: `perpetual-S${symbol}-USDT:USDT`,
  interval: '1h',
  timestamp: 'exchange',
})

/** Fills a data folder with the files of 300 symbols over a year, a file a month, with eight columns as `ohlcv` has. */
function cachedYear() {
  const folder = mkdtempSync(join(tmpdir(), 'perpscope-bench-'))
  const clock = fakeClock(Date.UTC(2026, 0, 2))
  const store = openStore({ dataDir: folder, clock, log: fakeLog() })
  const random = randomOf(9)
  const columns = ['open', 'high', 'low', 'close', 'volume', 'volume_notional', 'trades']
  for (const month of MONTHS) {
    const { start, end } = periodDays(month)!
    const rows = (end - start) * 24
    const times = BigInt64Array.from({ length: rows }, (_, row) => BigInt(start * MS_PER_DAY + row * HOUR_MS))
    const files = Array.from({ length: SYMBOLS }, (_, symbol) => {
      const data = columns.map((name) => ({
        name,
        type: 'DOUBLE' as const,
        data: Float64Array.from({ length: rows }, () => 100 + random()),
      }))
      const path = store.folder.pathOf(series(symbol), month)
      mkdirSync(dirname(path), { recursive: true })
      const bytes = new Uint8Array(
        parquetWriteBuffer({ columnData: [{ name: 'time', type: 'INT64', data: times }, ...data] }),
      )
      writeFileSync(path, bytes)
      const firstTimeMs = start * MS_PER_DAY
      const lastTimeMs = end * MS_PER_DAY - HOUR_MS
      const facts = { rows, firstTimeMs, lastTimeMs, stepMs: HOUR_MS, duplicateTimes: 0, columns: [] }
      return { file: cachedFile(series(symbol), month, { sizeBytes: bytes.length }), facts }
    })
    store.files.record(files)
  }
  const study = parseStudy(
    {
      version: 1,
      kind: 'seasonality',
      interval: '1h',
      start: '2025-01-01',
      end: '2025-12-31',
      source: { exchanges: ['venuea-futures'], symbols: null, timestamp: 'exchange' },
      value: 'ohlcv.close',
    },
    { fromCache: true },
  ) as CacheStudy
  const request = {
    study,
    formulas: formulasOf(study),
    timestamp: 'exchange' as const,
    connectionId: 'sandbox',
    tier: null,
  }
  return {
    panel: (cache: DatasetCache) =>
      readCachePanel(planCachePanel(store, clock, request).plan, null, cache, () => undefined),
    close() {
      store.close()
      rmSync(folder, { recursive: true, force: true })
      return Promise.resolve()
    },
  }
}

const coldPanel: BenchLine = {
  name: 'lab: panel of 300 symbols × 1 year of 1h from cached files, cold',
  unit: 'ms',
  rule: 'value',
  budget: 2000,
  peerName: null,
  prepare() {
    const { panel, close } = cachedYear()
    // One round only, because the footers of the files stay in memory for the next one.
    return Promise.resolve({ ours: () => millisecondsOf(() => panel(new DatasetCache())), rounds: 1, close })
  },
}

const warmPanel: BenchLine = {
  ...coldPanel,
  name: 'lab: panel of 300 symbols × 1 year of 1h from cached files, again',
  budget: 300,
  prepare() {
    const { panel, close } = cachedYear()
    const cache = new DatasetCache()
    panel(cache)
    return Promise.resolve({ ours: () => millisecondsOf(() => panel(cache)), close })
  },
}

export const benchLines: BenchLine[] = [report, coldPanel, warmPanel]
