import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fundingOf } from '../../electron/core/funding/instrumentFunding.ts'
import { systemClock } from '../../electron/core/ports.ts'
import { openStore, type Store } from '../../electron/core/store/store.ts'
import { MS_PER_DAY, MS_PER_HOUR } from '../../shared/time.ts'
import { periodDays } from '../../shared/time/periods.ts'
import { instrumentRow } from '../fakes/instrumentRow.ts'
import { type BenchLine, type BenchTask, processorMsOf } from './benchLine.ts'

const INSTRUMENTS = 500
const months = Array.from(
  { length: 36 },
  (_, at) => `${2023 + Math.floor(at / 12)}-${String((at % 12) + 1).padStart(2, '0')}`,
)
const range = { startMs: Date.UTC(2023, 0, 1), endMs: Date.UTC(2026, 0, 1) }
const symbolOf = (at: number) => `perpetual-S${at}-USDT:USDT`

/**
 * Fills a store with the index rows of three years of hourly rates a month, with what was read in each of them before,
 * and with a dated instrument row each.
 */
function fillFunding(store: Store): void {
  const { writes } = store.database
  writes.inTransaction(() => {
    for (let at = 0; at < INSTRUMENTS; at++) {
      writes.run(
        `INSERT INTO series (id, connection_id, kind, dataset, exchange, symbol, interval, timestamp)
         VALUES (?, 'desk', 'metrics', 'funding', 'alpha-futures', ?, '1h', 'exchange')`,
        at + 1,
        symbolOf(at),
      )
      for (const [place, month] of months.entries()) {
        const { start, end } = periodDays(month)!
        const everyMs = (place + at) % 7 === 0 ? MS_PER_HOUR * 4 : MS_PER_HOUR * 8
        const hash = Buffer.from(`${at} ${month}`.padEnd(32)).subarray(0, 32)
        writes.run(
          `INSERT INTO files (series_id, period, start_day, end_day, state, origin, size_bytes, sha256, fetched_at_ms, used_at_ms)
           VALUES (?, ?, ?, ?, 'final', 'service', 1000, ?, 1, 1)`,
          ...[at + 1, month, start, end, hash],
        )
        const first = [start * MS_PER_DAY, 0.0001]
        const last = [end * MS_PER_DAY - MS_PER_HOUR, 0.0002]
        const evidence = Float64Array.of(MS_PER_HOUR, 90, everyMs, ...first, ...last)
        store.funding.save([{ sha256: hash.toString('hex'), evidence }])
      }
    }
  })
  store.instruments.replace(
    Array.from({ length: INSTRUMENTS }, (_, at) =>
      instrumentRow({ exchange: 'alpha-futures', symbol: symbolOf(at), valid_from: '2025-06-01', funding_every: '8h' }),
    ),
  )
}

/** @param isChanged true to measure the first answer after a change of the index, false for the next ones */
async function prepare(isChanged: boolean): Promise<BenchTask> {
  const dataDir = mkdtempSync(join(tmpdir(), 'perpscope-bench-'))
  const store = openStore({ dataDir, clock: systemClock, log: { write: () => {} } })
  fillFunding(store)
  const reader = { run: () => Promise.reject(new Error('everything was read before')) }
  const work = async () => {
    const found = await fundingOf({ store, reader }, { connectionId: 'desk', pairs: null, range, timestamp: null })
    if (found.length !== INSTRUMENTS || found.some(({ periods }) => periods.length < 2))
      throw new Error('periods are missing')
  }
  await work()
  let rounds = 0
  return {
    ours() {
      if (isChanged) store.fundingDefaults.set({ exchange: 'beta-perps', symbol: null, every: `${++rounds}h` })
      return processorMsOf(work)
    },
    rounds: 7,
    close: () => {
      store.close()
      rmSync(dataDir, { recursive: true, force: true })
      return Promise.resolve()
    },
  }
}

const line = { unit: 'ms', rule: 'value', peerName: null } as const
const subject = 'funding periods of 500 instruments over 3 years, files read before'

export const benchLines: BenchLine[] = [
  { ...line, name: `${subject} (processor time)`, budget: 50, prepare: () => prepare(false) },
  {
    ...line,
    name: `${subject}, after a change of the index (processor time)`,
    budget: 50,
    prepare: () => prepare(true),
  },
]
