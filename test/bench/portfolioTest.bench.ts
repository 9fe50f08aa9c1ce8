import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Worker } from 'node:worker_threads'
import Sqlite from 'better-sqlite3'
import { systemClock } from '../../electron/core/ports.ts'
import { openLedger } from '../../electron/core/store/ledger/ledger.ts'
import { LedgerTables } from '../../electron/core/store/ledger/ledgerTables.ts'
import type { RunEntry } from '../../electron/core/store/ledger/ledgerEntry.ts'
import type { Panel } from '../../shared/lab/panel.ts'
import { describeTest, prepareRows, recordOf, testPortfolio } from '../../shared/lab/portfolio/runPortfolio.ts'
import { runDraft } from '../fakes/ledgerRuns.ts'
import { type BenchLine, millisecondsOf } from './benchLine.ts'
import { BARS, costlyTest, feeTest, marketPanel, SYMBOLS } from './portfolioMarket.ts'
import { pythonOf } from './pythonPeer.ts'

const VARIANTS = 100
const THREADS = 2
const TRIALS = 100_000

/** Window lengths of the signal in the variants that also run in vectorbt. */
const PEER_WINDOWS = [2, 3, 5, 8, 13]

/**
 * Python program that runs the same variants in vectorbt: mean, ranks, weights, trades at the next bar of each day,
 * fees and daily returns.
 */
const vectorbtProgram = `
import json, sys, time, warnings
warnings.filterwarnings("ignore")
import numpy as np, pandas as pd, vectorbt as vbt
symbols, hours, windows = int(sys.argv[1]), int(sys.argv[2]), json.loads(sys.argv[3])
read = lambda name: np.fromfile(name + ".bin").reshape(symbols, hours).T
times = pd.date_range("2023-01-01", periods=hours, freq="h")
close, signal = (pd.DataFrame(read(name), times) for name in ("close", "signal"))
def run(close, signal, window):
    ranks = signal.rolling(window).mean().iloc[23::24].rank(axis=1)
    x = ranks.sub((ranks.count(axis=1) + 1) / 2, axis=0)
    weights = x.div(x.abs().sum(axis=1), axis=0).to_numpy()
    size = np.full(close.shape, np.nan)
    size[24::24] = weights[: len(size[24::24])]
    traded = vbt.Portfolio.from_orders(close, size, size_type="targetpercent", fees=0.0004, init_cash=1e6,
        group_by=True, cash_sharing=True, call_seq="auto", freq="1h")
    value = traded.value()
    net = value.iloc[23::24].pct_change().dropna()
    return value.iloc[-1], net.mean() / net.std()
run(close.iloc[:480], signal.iloc[:480], 2)
start = time.perf_counter()
results = [run(close, signal, window) for window in windows]
print(json.dumps({"ms": (time.perf_counter() - start) * 1000, "equity": [float(equity) for equity, _ in results]}))
`

/**
 * Writes the panel for Python; returns the function that measures vectorbt on it and throws if the final equity differs
 * from ours.
 */
function vectorbtOn(panel: Panel, equity: readonly number[], python: string) {
  const folder = mkdtempSync(join(tmpdir(), 'perpscope-vectorbt-'))
  for (const name of ['close', 'signal']) writeFileSync(join(folder, `${name}.bin`), panel.columns.get(name)!.values)
  return {
    async peer() {
      const args = ['-c', vectorbtProgram, String(SYMBOLS), String(BARS), JSON.stringify(PEER_WINDOWS)]
      const { stdout } = await promisify(execFile)(python, args, { cwd: folder, maxBuffer: 2 ** 24 })
      const { ms, equity: theirs } = JSON.parse(stdout) as { ms: number; equity: number[] }
      for (const [at, value] of theirs.entries())
        if (!(Math.abs(value / equity[at] - 1) < 1e-3))
          throw new Error(`vectorbt ends variant ${PEER_WINDOWS[at]} with ${value}, not ${equity[at]}: other rules`)
      return ms
    },
    close: () => Promise.resolve(rmSync(folder, { recursive: true, force: true })),
  }
}

/** Starts the threads of the grid with their share of the variants. */
async function startThreads(): Promise<Worker[]> {
  const variants = Array.from({ length: VARIANTS }, (_, at) => 2 + at)
  const threads = Array.from(
    { length: THREADS },
    (_, thread) =>
      new Worker(new URL('./portfolioVariants.ts', import.meta.url), {
        workerData: { variants: variants.filter((__, at) => at % THREADS === thread) },
      }),
  )
  await Promise.all(threads.map((thread) => once(thread, 'message')))
  return threads
}

/** Fills a ledger with trials of a hundred families. */
export function fillLedger(dataDir: string, trials = TRIALS): void {
  openLedger({ dataDir, clock: systemClock, log: { write() {} } }).close()
  const database = new Sqlite(join(dataDir, 'ledger.sqlite'))
  const tables = new LedgerTables(database)
  const draft = runDraft()
  const { returns: _returns, ...run } = draft
  database.transaction(() => {
    for (let at = 1; at <= trials; at++) {
      const own = { family: `family ${at % 100}`, key: `key ${at}`, isTrial: true, repeats: null, returnsSha256: null }
      const place = { sequence: at, time: at, who: 'cli' as const, previous: null, hash: String(at) }
      tables.insert({ entry: { ...run, ...own, ...place } as RunEntry, chain: null }, '')
    }
    tables.setFact('copyBytes', '0')
    tables.setFact('copyTail', '')
  })()
  database.close()
}

export const benchLines: BenchLine[] = [
  {
    name: 'lab: tested portfolio, 300 symbols × 3 years of 1h, all costs',
    unit: 'ms',
    rule: 'value',
    budget: 1000,
    peerName: null,
    prepare: async () => {
      const input = { study: costlyTest(), panel: marketPanel() }
      const ours = () => millisecondsOf(() => describeTest(input, testPortfolio(input, prepareRows(input))))
      await ours()
      return { ours, rounds: 5 }
    },
  },
  {
    name: 'lab: 100 variants of it on 2 threads',
    unit: 'ms',
    rule: 'value',
    budget: 30_000,
    peerName: null,
    prepare: async () => {
      const threads = await startThreads()
      return {
        ours: async () => {
          const done = threads.map((thread) => once(thread, 'message'))
          for (const thread of threads) thread.postMessage('run')
          return Math.max(...(await Promise.all(done)).map(([ms]) => ms as number))
        },
        rounds: 1,
        close: async () => void (await Promise.all(threads.map((thread) => thread.terminate()))),
      }
    },
  },
  {
    name: 'lab: variants of a test with fees, without funding, beside vectorbt',
    unit: 'ms',
    rule: 'atMost',
    budget: 0.2,
    peerName: 'vectorbt',
    python: 'vectorbt',
    prepare: () => {
      const python = pythonOf('vectorbt')
      const panel = marketPanel()
      // A grid prepares prices once for all of its variants.
      const run = () => {
        const prepared = prepareRows({ study: feeTest('signal'), panel })
        return PEER_WINDOWS.map((window) => {
          const input = { study: feeTest(`sma(signal, ${window})`), panel }
          const { run: tested, rows } = testPortfolio(input, prepared)
          recordOf(input, { run: tested, rows })
          return tested.equity[tested.end - 1]
        })
      }
      const equity = run()
      const ours = () => millisecondsOf(run)
      return Promise.resolve({ ours, rounds: 1, ...vectorbtOn(panel, equity, python) })
    },
  },
  {
    name: 'lab: ledger of 100,000 trials, opened and counted',
    unit: 'ms',
    rule: 'value',
    budget: 50,
    peerName: null,
    prepare: async () => {
      const dataDir = mkdtempSync(join(tmpdir(), 'perpscope-bench-'))
      fillLedger(dataDir)
      return {
        ours: () =>
          millisecondsOf(() => {
            const ledger = openLedger({ dataDir, clock: systemClock, log: { write() {} } })
            ledger.tables.countTrials()
            ledger.close()
          }),
        rounds: 9,
        close: async () => rmSync(dataDir, { recursive: true, force: true }),
      }
    },
  },
]
