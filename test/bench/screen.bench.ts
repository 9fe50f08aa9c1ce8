import { execFile } from 'node:child_process'
import { tmpdir } from 'node:os'
import { promisify } from 'node:util'
import { cachedColumns, type CacheStudy, planCachePanel } from '../../electron/core/lab/cachePlan.ts'
import { createStudyRunner } from '../../electron/core/lab/studyRunner.ts'
import { formulasOf } from '../../shared/lab/kinds.ts'
import { parseStudy } from '../../shared/lab/parseStudy.ts'
import { type BenchLine, millisecondsOf, NotHere } from './benchLine.ts'
import { fillCache, firstColumns, monthsOf2025 } from './filledCache.ts'
import { pythonOf } from './pythonPeer.ts'

const COLUMNS = 171

/** Opens a screen of a year of five minutes in the first columns of the catalog. */
function screenOfYear(columnCount = COLUMNS) {
  const filling = { interval: '5m', stepMs: 300_000, months: monthsOf2025, columns: firstColumns(columnCount) }
  const { store, clock, close: closeCache } = fillCache(filling)
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
      if (answer.result.attrition.cells !== columnCount * 6) throw new Error('the screen tried other cells')
    },
    async close() {
      await runner.close()
      closeCache()
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
    const { run, close } = screenOfYear()
    return Promise.resolve({ ours: () => millisecondsOf(run), rounds: 1, close })
  },
}

const again: BenchLine = {
  ...cold,
  name: 'lab: the same screen again',
  budget: 25_000,
  async prepare() {
    const { run, close } = screenOfYear()
    await run()
    return { ours: () => millisecondsOf(run), rounds: 1, close }
  },
}

const FEW_COLUMNS = 24

/** Python program that does the first two steps of a screen of as many columns and rows, with pandas alone. */
const pandasProgram = `
import sys, time
import numpy as np, pandas as pd
bars, columns = 105120, int(sys.argv[1])
random = np.random.default_rng(1)
close = pd.Series(100 * np.cumprod(1 + 0.002 * (random.random(bars) - 0.5)))
values = [pd.Series(random.normal(size=bars)).ewm(alpha=0.1).mean() for _ in range(columns)]
rank = lambda x, window, least: x.rolling(window, min_periods=least).rank(pct=True)
templates = [lambda x: rank(x, 288, 144), lambda x: rank(x, 2016, 504), lambda x: rank(x.rolling(12).mean(), 288, 144)]
start = time.perf_counter()
half, returns = bars // 2, {h: close.shift(-1 - h) / close.shift(-1) - 1 for h in (1, 12)}
for x in values:
    for template in templates:
        s = template(x)
        for h, r in returns.items():
            train = pd.DataFrame({"s": s[: half - 1 - h], "r": r[: half - 1 - h]}).dropna()
            test = pd.DataFrame({"s": s[half:], "r": r[half:]}).dropna().iloc[::h]
            direction = -1 if train["s"].corr(train["r"], method="spearman") < 0 else 1
            z = direction * test["s"].corr(test["r"], method="spearman") * np.sqrt(len(test) - 1)
print((time.perf_counter() - start) * 1000)
`

const besidePandas: BenchLine = {
  ...cold,
  name: `lab: whole screen of ${FEW_COLUMNS} columns × 3 templates × 2 horizons, a year of 5m again, beside directions and scores by pandas`,
  rule: 'atMost',
  budget: 0.05,
  peerName: 'pandas',
  python: 'pandas',
  async prepare() {
    const python = pythonOf('pandas')
    const { run, close } = screenOfYear(FEW_COLUMNS)
    await run()
    const peer = async () =>
      Number((await promisify(execFile)(python, ['-c', pandasProgram, String(FEW_COLUMNS)])).stdout)
    return { ours: () => millisecondsOf(run), peer, rounds: 3, close }
  },
}

export const benchLines: BenchLine[] = [cold, again, besidePandas]
