import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { parquetWriteBuffer } from 'hyparquet-writer'
import { DatasetCache, readCachePanel } from '../../electron/core/lab/cachePanel.ts'
import { type CacheStudy, planCachePanel } from '../../electron/core/lab/cachePlan.ts'
import { createStudyRunner } from '../../electron/core/lab/studyRunner.ts'
import { openStore } from '../../electron/core/store/store.ts'
import { buildPanel, type LongRows } from '../../shared/lab/panel.ts'
import { formulasOf } from '../../shared/lab/kinds.ts'
import { parseStudy } from '../../shared/lab/parseStudy.ts'
import { runStudy } from '../../shared/lab/runStudy.ts'
import type { StudyStage } from '../../shared/lab/studyInput.ts'
import { memoryPanel } from '../../shared/lab/studyPanel.ts'
import { studyRange } from '../../shared/lab/studyRange.ts'
import { MS_PER_DAY } from '../../shared/time.ts'
import { periodDays } from '../../shared/time/periods.ts'
import { cachedFile } from '../fakes/cachedFiles.ts'
import { fakeClock } from '../fakes/fakeClock.ts'
import { fakeLog } from '../fakes/fakeLog.ts'
import { HOUR_MS, randomOf } from '../fakes/panelWorld.ts'
import { effectless, type PlantedFinding, readyFindings } from '../fakes/readyFindings.ts'
import { type BenchLine, millisecondsOf } from './benchLine.ts'
import { minuteYear } from './minuteYear.ts'
import { peakMegabytes } from './peakMemory.ts'
import { pythonOf } from './pythonPeer.ts'

const SYMBOLS = 300
const HOURS = 8760
const START_MS = Date.UTC(2025, 0, 1)
const MONTHS = Array.from({ length: 12 }, (_, month) => `2025-${String(month + 1).padStart(2, '0')}`)

interface PanelSize {
  symbols: number
  hours: number
}
const year: PanelSize = { symbols: SYMBOLS, hours: HOURS }
/** Panel that alphalens finishes within two minutes; it did not finish the panel of a year within 400 s. */
const fourMonths: PanelSize = { symbols: 100, hours: 2880 }

/** Returns hourly rows of a panel (by default of 300 symbols over a year): random walks and a slow signal. */
export function rowsOfHours({ symbols: width, hours }: PanelSize = year): LongRows {
  const random = randomOf(5)
  const count = width * hours
  const times = new Float64Array(count)
  const symbols = new Int32Array(count)
  const close = new Float64Array(count)
  const signal = new Float64Array(count)
  for (let symbol = 0; symbol < width; symbol++) {
    let price = 100
    let value = 0
    for (let hour = 0, row = symbol * hours; hour < hours; hour++, row++) {
      price *= 1 + 0.02 * (random() - 0.5)
      value = 0.9 * value + random() - 0.5
      times[row] = START_MS + hour * HOUR_MS
      symbols[row] = symbol
      close[row] = price
      signal[row] = value
    }
  }
  const names = Array.from({ length: width }, (_, at) => `S${at}`)
  const columns = new Map([
    ['close', close],
    ['a', signal],
  ])
  return { times, symbols, names, columns, member: null, otherColumns: [], columnNames: [...columns.keys()] }
}

/**
 * Python program that runs alphalens-reloaded on the same panel: the formula, forward returns, information
 * coefficients, groups and turnover.
 */
const alphalensProgram = `
import sys, time, warnings
warnings.filterwarnings("ignore")
import numpy as np, pandas as pd
from alphalens import performance, utils
symbols, hours = int(sys.argv[1]), int(sys.argv[2])
read = lambda name: np.fromfile(name + ".bin").reshape(symbols, hours).T
times = pd.date_range("2025-01-01", periods=hours, freq="h", tz="UTC", name="date")
names = pd.Index(["S%d" % at for at in range(symbols)], name="asset")
close, signal = (pd.DataFrame(read(name), times, names) for name in ("close", "a"))
periods = (1, 4, 8, 24, 72, 168)
start = time.perf_counter()
factor = signal.rolling(6).mean().stack()
data = utils.get_clean_factor_and_forward_returns(factor, close.shift(-1), quantiles=5, periods=periods, max_loss=1)
performance.factor_information_coefficient(data)
performance.mean_return_by_quantile(data, by_date=True)
for period in periods:
    performance.factor_rank_autocorrelation(data, period)
    for quantile in range(1, 6):
        performance.quantile_turnover(data["factor_quantile"], quantile, period)
print((time.perf_counter() - start) * 1000)
`

/** Writes the panel's columns for Python; returns the function that measures alphalens on them. */
function alphalensOn(rows: LongRows, { symbols, hours }: PanelSize, python: string) {
  const folder = mkdtempSync(join(tmpdir(), 'perpscope-alphalens-'))
  for (const [name, values] of rows.columns) writeFileSync(join(folder, `${name}.bin`), values)
  const run = promisify(execFile)
  return {
    async peer() {
      const args = ['-c', alphalensProgram, String(symbols), String(hours)]
      const { stdout } = await run(python, args, { cwd: folder, maxBuffer: 2 ** 24 })
      // alphalens itself prints on earlier lines what it dropped.
      return Number(stdout.trim().split('\n').at(-1))
    },
    close: () => Promise.resolve(rmSync(folder, { recursive: true, force: true })),
  }
}

export function reportStudy() {
  const fields = { version: 1, kind: 'signal', interval: '1h', signal: 'sma(a, 6)', horizons: [1, 4, 8, 24, 72, 168] }
  return parseStudy(fields, { fromCache: false })
}

const report: BenchLine = {
  name: 'lab: 300 symbols × 8,760 bars × 6 horizons, signal to full report',
  unit: 'ms',
  rule: 'value',
  budget: 1500,
  peerName: null,
  prepare() {
    const study = reportStudy()
    const panel = buildPanel(rowsOfHours(), studyRange(study))
    const run = () => runStudy({ study, panel: memoryPanel(panel), against: null })
    return Promise.resolve({ ours: () => millisecondsOf(run) })
  },
}

const reportBesideAlphalens: BenchLine = {
  ...report,
  name: 'lab: report of 100 symbols × 2,880 bars × 6 horizons beside alphalens-reloaded',
  rule: 'atMost',
  budget: 0.05,
  peerName: 'alphalens-reloaded',
  python: 'alphalens',
  prepare() {
    const python = pythonOf('alphalens')
    const study = reportStudy()
    const rows = rowsOfHours(fourMonths)
    const panel = buildPanel(rows, studyRange(study))
    const run = () => runStudy({ study, panel: memoryPanel(panel), against: null })
    run()
    return Promise.resolve({ ours: () => millisecondsOf(run), rounds: 1, ...alphalensOn(rows, fourMonths, python) })
  },
}

/**
 * Measures how long a cancelled study still occupies its thread, for which the next run has to wait; the slowest stage
 * counts.
 */
const cancelling: BenchLine = {
  ...report,
  name: 'lab: cancelling a study, the slowest of its stages',
  budget: 100,
  prepare() {
    const folder = mkdtempSync(join(tmpdir(), 'perpscope-bench-'))
    const path = join(folder, 'panel.csv')
    const { times, symbols, names, columns } = rowsOfHours()
    const [close, a] = [columns.get('close')!, columns.get('a')!]
    const lines = Array.from({ length: 400_000 }, (_, row) =>
      [times[row], names[symbols[row]], close[row], a[row]].join(','),
    )
    writeFileSync(path, ['time,symbol,close,a', ...lines, ''].join('\n'))
    const task = { study: reportStudy(), rows: { path }, against: null, panelOutPath: null, scratchFolder: tmpdir() }
    const runner = createStudyRunner(null)
    async function cancelAt(stage: StudyStage): Promise<number> {
      const controller = new AbortController()
      let cancelledMs = NaN
      const onStage = (reached: StudyStage) => {
        if (reached !== stage || controller.signal.aborted) return
        cancelledMs = performance.now()
        controller.abort()
      }
      await runner.run(task, { signal: controller.signal, onStage }).catch(() => undefined)
      return performance.now() - cancelledMs
    }
    return Promise.resolve({
      async ours() {
        const stages: StudyStage[] = ['rows', 'formulas', 'horizons', 'guards']
        let slowestMs = 0
        for (const stage of stages) slowestMs = Math.max(slowestMs, await cancelAt(stage))
        return slowestMs
      },
      rounds: 3,
      async close() {
        await runner.close()
        rmSync(folder, { recursive: true, force: true })
      },
    })
  },
}

const PLANTED_SEEDS = 20

/**
 * Counts, for each planted effect of the sandbox, the seeds for which the effect lies outside the confidence interval
 * of its study; the largest count is the result.
 */
const plantedEffects: BenchLine = {
  ...report,
  name: 'lab: planted effects outside their 95 % interval, the most of 20 seeds',
  unit: 'seeds',
  budget: 2,
  prepare: () =>
    Promise.resolve({
      rounds: 1,
      ours() {
        const found = Array.from({ length: PLANTED_SEEDS }, (_, at) => readyFindings(at + 1, []))
        const isOutside = ({ planted: size, low, high }: PlantedFinding) => !(low <= size && size <= high)
        const of = (pick: (one: (typeof found)[number]) => PlantedFinding) =>
          found.filter((one) => isOutside(pick(one))).length
        const counts = [of((one) => one.fundingHours[0]), of((one) => one.fundingHours[1])]
        return Promise.resolve(
          Math.max(
            ...counts,
            of((one) => one.spreadWidening),
          ),
        )
      },
    }),
}

/**
 * Counts, for each ready-made study without a planted effect, the seeds for which the study is significant; the largest
 * count is the result.
 */
const effectlessStudies: BenchLine = {
  ...report,
  name: 'lab: ready-made studies without a planted effect that are significant, the most of 20 seeds',
  unit: 'seeds',
  budget: 3,
  prepare: () =>
    Promise.resolve({
      rounds: 1,
      ours() {
        const found = Array.from({ length: PLANTED_SEEDS }, (_, at) => readyFindings(at + 1).significant)
        return Promise.resolve(Math.max(...effectless.map((id) => found.filter((ids) => ids.includes(id)).length)))
      },
    }),
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

/** Fills a data folder with monthly files of 300 symbols over a year; like files of `ohlcv`, each has eight columns. */
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
    // There is only one round, because the footers of the files would still be in memory in a second one.
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

/** One gigabyte, in the MiB in which peaks are measured. */
const GIGABYTE = 1e9 / 2 ** 20

/**
 * Measures a whole run of the command line on a study whose cells would need more than 8 GiB if they were all in memory
 * at once.
 */
const yearOfMinutes: BenchLine = {
  name: 'lab: study of 500 symbols × 1 year of 1m × 6 horizons, peak memory of the whole command line',
  unit: 'MB',
  rule: 'value',
  budget: GIGABYTE,
  peerName: null,
  prepare() {
    const study = { kind: 'signal', signal: '-cs_rank(sma(ohlcv.close, 60))', horizons: [1, 5, 15, 60, 240, 1440] }
    const { dataDir, studyPath, close } = minuteYear(500, study)
    const args = ['study', 'run', studyPath, '--data-dir', dataDir, '--json']
    return Promise.resolve({ rounds: 1, ours: () => peakMegabytes(args), close: () => Promise.resolve(close()) })
  },
}

export const benchLines: BenchLine[] = [
  report,
  reportBesideAlphalens,
  cancelling,
  plantedEffects,
  effectlessStudies,
  coldPanel,
  warmPanel,
  yearOfMinutes,
]
