import { tmpdir } from 'node:os'
import { cachedColumns, type CacheStudy, planCachePanel } from '../../electron/core/lab/cachePlan.ts'
import { createStudyRunner } from '../../electron/core/lab/studyRunner.ts'
import { formulasOf } from '../../shared/lab/kinds.ts'
import { parseStudy } from '../../shared/lab/parseStudy.ts'
import { type BenchLine, millisecondsOf, NotHere } from './benchLine.ts'
import { fillCache, firstColumns, monthsOf2025 } from './filledCache.ts'

const COLUMNS = 171

/** Opens a screen of a year of five minutes in all columns. */
function screenOfYear() {
  const filling = { interval: '5m', stepMs: 300_000, months: monthsOf2025, columns: firstColumns(COLUMNS) }
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
      if (answer.result.attrition.cells !== COLUMNS * 6) throw new Error('the screen tried other cells')
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

export const benchLines: BenchLine[] = [cold, again]
