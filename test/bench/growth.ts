/** Costs that are measured at several sizes by `npm run bench -- --growth`. */
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { computeMetrics } from '../../electron/core/compute/compute.ts'
import { createComputePool } from '../../electron/core/compute/computePool.ts'
import { rawFileFinder } from '../../electron/core/compute/rawFiles.ts'
import { enqueuePlan, planSeriesFiles, planPreview } from '../../electron/core/downloads/plan.ts'
import { CsvEncoder } from '../../electron/core/export/csvEncoder.ts'
import { createForwardService } from '../../electron/core/lab/forward/forwardService.ts'
import { convertOwn } from '../../electron/core/own/convertOwn.ts'
import { ParquetFile } from '../../electron/core/parquet/parquetFile.ts'
import { readNumbers } from '../../electron/core/parquet/readColumn.ts'
import { systemClock } from '../../electron/core/ports.ts'
import { openLedger } from '../../electron/core/store/ledger/ledger.ts'
import { openStore } from '../../electron/core/store/store.ts'
import { metricDatasetIds } from '../../shared/catalog/metricDatasets.ts'
import { downloadRequest } from '../../shared/contract/areas/downloads.ts'
import { readingAsKnown } from '../../shared/formula/ownData.ts'
import { buildPanel } from '../../shared/lab/panel.ts'
import { runStudy } from '../../shared/lab/runStudy.ts'
import { memoryPanel } from '../../shared/lab/studyPanel.ts'
import { studyRange } from '../../shared/lab/studyRange.ts'
import { ColumnBins, gridOver } from '../../shared/overview/bins.ts'
import { addDays, MS_PER_DAY } from '../../shared/time.ts'
import { dayFromNumber } from '../../shared/time/periods.ts'
import { FIRST_DAY, forwardWorld, test } from '../fakes/forwardWorld.ts'
import { runOnRows } from '../fakes/panelWorld.ts'
import { noiseRows } from '../fakes/screenWorld.ts'
import { rowsFile, tradesDay } from './benchData.ts'
import { blendTask } from './book.bench.ts'
import { processorMsOf } from './benchLine.ts'
import { fillCoverage, filledStore } from './filledIndex.ts'
import { reportStudy, rowsOfHours } from './lab.bench.ts'
import { fillLedger } from './portfolioTest.bench.ts'

export interface Growth {
  name: string
  /** Unit of the sizes. */
  sizeUnit: 'files' | 'rows' | 'symbols' | 'columns' | 'trials'
  sizes: readonly number[]
  prepare(size: number): Promise<GrowthTask>
}

export interface GrowthTask {
  /** Returns processor milliseconds. */
  measure(): Promise<number>
  close(): unknown
}

const log = { write: () => {} }
const FILES = [1_000, 10_000, 100_000, 1_000_000]
const ROWS = [100_000, 1_000_000, 10_000_000, 100_000_000]
const OWN_ROWS = [10_000, 100_000, 1_000_000, 10_000_000]
const SYMBOLS = [10, 100, 1_000, 10_000]
const nothingToClose = () => {}
const newFolder = () => mkdtempSync(join(tmpdir(), 'perpscope-bench-'))

const request = (symbols: string[], startDay: string, endDay: string, datasets: readonly string[]) =>
  downloadRequest.parse({ connectionId: 'desk', datasets, exchanges: ['venuea-futures'], symbols, startDay, endDay })

async function openIndex(files: number): Promise<GrowthTask> {
  const { dataDir, store } = filledStore(files)
  store.close()
  return {
    measure: () => processorMsOf(() => openStore({ dataDir, clock: systemClock, log }).close()),
    close: () => rmSync(dataDir, { recursive: true }),
  }
}

async function planFiles(files: number): Promise<GrowthTask> {
  const { dataDir, store } = filledStore(files)
  const wanted = request(['perpetual-BTC-USDT:USDT'], '2023-11-21', '2026-11-20', metricDatasetIds)
  const parts = { store, clock: systemClock, tier: 3, signal: new AbortController().signal }
  await planPreview(parts, wanted)
  return {
    measure: () =>
      processorMsOf(async () => {
        for await (const _ of planSeriesFiles(parts, wanted)) continue
      }),
    close() {
      store.close()
      rmSync(dataDir, { recursive: true })
    },
  }
}

async function readColumn(rows: number): Promise<GrowthTask> {
  const path = await rowsFile(rows)
  const values = new Float64Array(rows)
  const read = () => {
    using file = new ParquetFile(path)
    readNumbers(file, 'c0', { from: 0, to: rows }, { values, at: 0 })
  }
  read()
  return { measure: () => processorMsOf(read), close: nothingToClose }
}

async function reduceToPoints(rows: number): Promise<GrowthTask> {
  const times = Float64Array.from({ length: rows }, (_, row) => row * 1000)
  const values = Float64Array.from({ length: rows }, (_, row) => Math.sin(row))
  const reduce = () => {
    const endMs = rows * 1000
    new ColumnBins(gridOver(0, endMs, endMs / 2000)).addRows(times, { values, valid: null })
  }
  return Promise.resolve({ measure: () => processorMsOf(reduce), close: nothingToClose })
}

/** Encodes a million rows at a time, as an export does, so that memory does not grow with the size. */
async function encodeCsv(rows: number): Promise<GrowthTask> {
  const part = Math.min(rows, 1_000_000)
  const times = Float64Array.from({ length: part }, (_, row) => row * 1000)
  const values = Float64Array.from({ length: part }, (_, row) => Math.sin(row))
  const encoder = new CsvEncoder([{ label: 'c0', kind: 'number' }], { zone: 'UTC', text: 'guarded' })
  const columns = [
    { name: 'time', kind: 'time' as const, values: times, valid: null },
    { name: 'c0', kind: 'number' as const, values, valid: null },
  ]
  const encode = () => {
    for (let done = 0; done < rows; done += part) encoder.rows({ rows: part, columns })
  }
  return Promise.resolve({ measure: () => processorMsOf(encode), close: nothingToClose })
}

async function computeDay(trades: number): Promise<GrowthTask> {
  const { folder, exchange, symbol, day } = await tradesDay(trades)
  const out = newFolder()
  const pool = createComputePool(2)
  const datasets = ['flow', 'trade_size', 'range', 'returns', 'vtwap', 'ohlcv', 'impact', 'updownticks'] as const
  const compute = () =>
    computeMetrics(
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
  await compute()
  return {
    measure: () => processorMsOf(compute),
    async close() {
      await pool.close()
      rmSync(out, { recursive: true })
    },
  }
}

async function enqueueSymbols(count: number): Promise<GrowthTask> {
  const symbols = Array.from({ length: count }, (_, at) => `perpetual-S${at}-USDT:USDT`)
  const wanted = request(symbols, '2026-08-01', '2026-11-08', ['flow'])
  const signal = new AbortController().signal
  return Promise.resolve({
    async measure() {
      const dataDir = newFolder()
      const store = openStore({ dataDir, clock: systemClock, log })
      const parts = { store, clock: systemClock, tier: null, signal }
      const spentMs = await processorMsOf(() => enqueuePlan(parts, wanted, { label: '', priority: 0 }))
      store.close()
      rmSync(dataDir, { recursive: true })
      return spentMs
    },
    close: nothingToClose,
  })
}

async function storeCoverage(count: number): Promise<GrowthTask> {
  const dataDir = newFolder()
  const store = openStore({ dataDir, clock: systemClock, log })
  fillCoverage(store, count)
  return Promise.resolve({
    measure: () => processorMsOf(() => fillCoverage(store, count)),
    close() {
      store.close()
      rmSync(dataDir, { recursive: true })
    },
  })
}

async function studySymbols(count: number): Promise<GrowthTask> {
  const study = reportStudy()
  const panel = buildPanel(rowsOfHours({ symbols: count, hours: 500 }), studyRange(study))
  const run = () => runStudy({ study, panel: memoryPanel(panel), against: null })
  run()
  return Promise.resolve({ measure: () => processorMsOf(run), close: nothingToClose })
}

function blendSymbols(symbols: number): Promise<GrowthTask> {
  const work = blendTask(symbols)
  return Promise.resolve({ measure: () => processorMsOf(work), close: nothingToClose })
}

function screenColumns(columns: number): Promise<GrowthTask> {
  const rows = noiseRows({ seed: 1, bars: 4000, columns })
  const run = () => runOnRows(rows, { kind: 'screen', horizons: [1, 12] })
  return Promise.resolve({ measure: () => processorMsOf(run), close: nothingToClose })
}

/** Lines of own data that are written at a time, so that the text of a large file need not fit into memory. */
const LINES_WRITTEN = 10_000
const OWN_SYMBOLS = 50
const OWN_START_MS = Date.UTC(2026, 0, 1)

/** Adds a file of minutes of 50 symbols as own data. */
function addOwnRows(rows: number): Promise<GrowthTask> {
  const root = newFolder()
  const path = join(root, 'rows.csv')
  const file = openSync(path, 'w')
  writeSync(file, 'time,symbol,value\n')
  for (let from = 0; from < rows; from += LINES_WRITTEN) {
    const lines = Array.from({ length: LINES_WRITTEN }, (_, at) => {
      const row = from + at
      return `${OWN_START_MS + Math.floor(row / OWN_SYMBOLS) * 60_000},S${row % OWN_SYMBOLS},${Math.sin(row)}\n`
    })
    writeSync(file, lines.join(''))
  }
  closeSync(file)
  const folder = join(root, 'own')
  const choices = { isEvents: false, knownAfter: '0d', units: {} }
  return Promise.resolve({
    measure() {
      rmSync(folder, { recursive: true, force: true })
      mkdirSync(folder)
      return processorMsOf(() => convertOwn({ files: [{ path, name: 'rows.csv' }], paths: [path], choices, folder }))
    },
    close: () => rmSync(root, { recursive: true }),
  })
}

/** Joins irregular events to bars of a minute, as they were known. */
function joinOwnRows(count: number): Promise<GrowthTask> {
  const timesUs = Float64Array.from(
    { length: count },
    (_, row) => 1000 * (OWN_START_MS + row * 45_000 + (row % 7) * 1000),
  )
  const values = Float64Array.from({ length: count }, (_, row) => Math.sin(row))
  const grid = { intervalMs: 60_000, firstSlot: OWN_START_MS / 60_000, rows: Math.ceil(count * 0.75) }
  const join = () => readingAsKnown('value', { timesUs, values }, { intervalMs: null, knownAfterMs: 90_000 }, grid)
  join()
  return Promise.resolve({ measure: () => processorMsOf(join), close: nothingToClose })
}

function countTrials(trials: number): Promise<GrowthTask> {
  const dataDir = newFolder()
  fillLedger(dataDir, trials)
  const count = () => {
    const ledger = openLedger({ dataDir, clock: systemClock, log })
    ledger.tables.countTrials()
    ledger.close()
  }
  return Promise.resolve({ measure: () => processorMsOf(count), close: () => rmSync(dataDir, { recursive: true }) })
}

const RECORDED_DAYS = 30

/** Scores recorded tests with one new day each time. */
async function scoreTrials(trials: number): Promise<GrowthTask> {
  const world = forwardWorld(newFolder())
  let today = FIRST_DAY + RECORDED_DAYS
  const fetch = () => {
    world.setClock((today + 1) * MS_PER_DAY + 3_600_000)
    world.fetchDay(today++)
  }
  world.setClock(today * MS_PER_DAY + 3_600_000)
  for (let day = FIRST_DAY; day < today; day++) world.fetchDay(day)
  await world.run({ ...test, end: dayFromNumber(today + 100) })
  world.variants(trials - 1)
  // The day in which the runs were recorded is not forward.
  fetch()
  return {
    async measure() {
      fetch()
      const service = createForwardService({
        ...{ dataDir: world.dataDir, openPortfolio: null },
        clock: { nowMs: () => world.now() },
      })
      const spentMs = await processorMsOf(() => service.update(new AbortController().signal, () => undefined))
      await service.close()
      return spentMs
    },
    close() {
      world.close()
      rmSync(world.dataDir, { recursive: true })
    },
  }
}

export const growths: readonly Growth[] = [
  { name: 'opening the index', sizeUnit: 'files', sizes: FILES, prepare: openIndex },
  { name: 'plan of 18 datasets × 3 years', sizeUnit: 'files', sizes: FILES, prepare: planFiles },
  { name: 'reading a column', sizeUnit: 'rows', sizes: ROWS, prepare: readColumn },
  { name: 'reducing to 2,000 points', sizeUnit: 'rows', sizes: ROWS, prepare: reduceToPoints },
  { name: 'encoding CSV', sizeUnit: 'rows', sizes: ROWS, prepare: encodeCsv },
  {
    name: 'eight trade datasets at 1m',
    sizeUnit: 'rows',
    sizes: [100_000, 1_000_000, 5_000_000, 20_000_000],
    prepare: computeDay,
  },
  { name: 'enqueuing 100 days', sizeUnit: 'symbols', sizes: SYMBOLS, prepare: enqueueSymbols },
  { name: 'storing coverage of ten venues', sizeUnit: 'symbols', sizes: SYMBOLS, prepare: storeCoverage },
  { name: 'study of 500 bars × 6 horizons', sizeUnit: 'symbols', sizes: SYMBOLS, prepare: studySymbols },
  { name: 'blend of 14 components × 6 years', sizeUnit: 'symbols', sizes: [10, 50, 200, 500], prepare: blendSymbols },
  { name: 'screen of 4,000 bars', sizeUnit: 'columns', sizes: [10, 20, 50, 100], prepare: screenColumns },
  { name: 'adding own data', sizeUnit: 'rows', sizes: OWN_ROWS, prepare: addOwnRows },
  { name: 'joining own data as known', sizeUnit: 'rows', sizes: OWN_ROWS, prepare: joinOwnRows },
  {
    name: 'counting the trials of the ledger',
    sizeUnit: 'trials',
    sizes: [100, 1_000, 10_000, 100_000],
    prepare: countTrials,
  },
  { name: 'scoring the ledger with a new day', sizeUnit: 'trials', sizes: SYMBOLS, prepare: scoreTrials },
]
