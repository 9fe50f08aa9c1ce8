import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { dayFrame } from '../../shared/portfolio/dailySeries.ts'
import { systemClock } from '../../electron/core/ports.ts'
import { openStore } from '../../electron/core/store/store.ts'
import { millisecondsOf, type BenchLine } from './benchLine.ts'

const FIRST_DAY = 18_000
const DAYS = 2200
const TICKERS = 150

/** Generates weights that are mostly null at first, as real ones are. */
function weights() {
  const columns = Array.from({ length: TICKERS }, (_, column) => `T${column}`)
  const values = new Float64Array(DAYS * TICKERS)
  for (let at = 0; at < values.length; at++) {
    const isListed = (at % TICKERS) * 12 < at / TICKERS
    values[at] = isListed ? Math.sin(at) / TICKERS : NaN
  }
  return { days: Int32Array.from({ length: DAYS }, (_, row) => FIRST_DAY + row), columns, values }
}

const range = { start: FIRST_DAY, end: FIRST_DAY + DAYS }

export const benchLines: BenchLine[] = [
  {
    name: 'portfolio: 2,200 days × 150 tickers from the cache to a frame',
    unit: 'ms',
    rule: 'value',
    budget: 60,
    peerName: null,
    prepare: async () => {
      const dataDir = mkdtempSync(join(tmpdir(), 'perpscope-bench-'))
      const store = openStore({ dataDir, clock: systemClock, log: { write() {} } })
      const key = { connectionId: 'bench', endpoint: 'history', query: '' }
      store.portfolio.saveDays(key, range, weights(), { fetchedAtMs: 1, source: '', problems: [] })
      const id = store.portfolio.find(key)?.id ?? 0
      const ours = () => millisecondsOf(async () => dayFrame(await store.portfolio.days(id, range, [])))
      await ours()
      return {
        ours,
        rounds: 15,
        close: async () => {
          store.close()
          rmSync(dataDir, { recursive: true, force: true })
        },
      }
    },
  },
]
