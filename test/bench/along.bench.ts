import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type BenchLine, millisecondsOf, NotHere } from './benchLine.ts'
import { fillCache, firstColumns, monthsOf2025 } from './filledCache.ts'

const root = resolve(import.meta.dirname, '../..')

type Filling = Parameters<typeof fillCache>[0]

/** Creates a line that runs a study of cached files with the built command line, its start included. */
const studyLine = (name: string, budget: number, filling: Filling, study: object): BenchLine => ({
  ...{ name: `lab: ${name}, whole command`, unit: 'ms', rule: 'value', budget, peerName: null },
  prepare() {
    const { dataDir, close } = fillCache(filling)
    const file = join(dataDir, 'study.json')
    const source = { exchanges: ['venuea-futures'], symbols: ['perpetual-BTC-USDT:USDT'], timestamp: 'exchange' }
    writeFileSync(file, JSON.stringify({ version: 1, interval: filling.interval, source, ...study }))
    const command = ['scripts/cli.mjs', '--data-dir', dataDir, 'study', 'run', file, '--no-record', '--json']
    const run = () => {
      // Its 120 MB of JSON are discarded, because taking them in would be this process's time.
      const stdio = ['ignore', 'ignore', 'pipe'] as const
      const { status, stderr } = spawnSync(process.execPath, command, {
        cwd: root,
        stdio: [...stdio],
        encoding: 'utf8',
      })
      if (status !== 0) throw new NotHere(stderr)
    }
    // The first run compiles the code and caches it for later runs.
    run()
    return Promise.resolve({ ours: () => millisecondsOf(run), rounds: 5, close: () => Promise.resolve(close()) })
  },
})

const year = { start: '2025-01-01', end: '2025-12-31' }
const minutes = (interval: string, stepMs: number, columns: Filling['columns'], months = monthsOf2025): Filling => ({
  ...{ interval, stepMs, months, columns },
})
const fives = minutes('5m', 300_000, [
  ['l1_liquidity', ['spread_bps', 'total_dollar_depth']],
  ['impact', ['impact_per_notional']],
  ['slippage', ['slippage_bps_mean']],
])
const flow = minutes('1m', 60_000, [
  ['ohlcv', ['close']],
  ['flow', ['flow_toxicity_score']],
])
const bothClocks = {
  ...minutes('5m', 300_000, firstColumns(171), monthsOf2025.slice(0, 3)),
  clocks: ['exchange', 'true'],
}

export const benchLines: BenchLine[] = [
  studyLine('series of a year of 1m × 3 horizons', 2000, flow, {
    ...{ kind: 'series', ...year, signal: 'flow.flow_toxicity_score', price: 'ohlcv.close', horizons: [1, 12, 72] },
  }),
  studyLine('schedule of a year of 5m', 1000, fives, { kind: 'schedule', ...year, value: 'l1_liquidity.spread_bps' }),
  studyLine('costs of a year of 5m', 1000, fives, {
    ...{ kind: 'costs', ...year, spreadBps: 'l1_liquidity.spread_bps' },
    ...{ impact: 'abs(impact.impact_per_notional)', measured: 'slippage.slippage_bps_mean' },
  }),
  studyLine('clocks of 171 columns × 90 days of 5m', 10_000, bothClocks, {
    ...{ kind: 'clocks', start: '2025-01-01', end: '2025-03-31', columns: null },
  }),
]
