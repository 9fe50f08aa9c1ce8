import { mkdtempSync, rmSync } from 'node:fs'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import Sqlite from 'better-sqlite3'
import { systemClock } from '../../electron/core/ports.ts'
import { openLedger } from '../../electron/core/store/ledger/ledger.ts'
import { LedgerTables } from '../../electron/core/store/ledger/ledgerTables.ts'
import type { RunEntry } from '../../electron/core/store/ledger/ledgerEntry.ts'
import { describeTest, prepareRows, testPortfolio } from '../../shared/lab/portfolio/runPortfolio.ts'
import { runDraft } from '../fakes/ledgerRuns.ts'
import { type BenchLine, millisecondsOf } from './benchLine.ts'
import { costlyTest, marketPanel } from './portfolioMarket.ts'

const VARIANTS = 100
const THREADS = 2
const TRIALS = 100_000

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
function fillLedger(dataDir: string): void {
  openLedger({ dataDir, clock: systemClock, log: { write() {} } }).close()
  const database = new Sqlite(join(dataDir, 'ledger.sqlite'))
  const tables = new LedgerTables(database)
  const draft = runDraft()
  const { returns: _returns, ...run } = draft
  database.transaction(() => {
    for (let at = 1; at <= TRIALS; at++) {
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
