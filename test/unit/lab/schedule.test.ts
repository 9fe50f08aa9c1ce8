import { expect, it } from 'vitest'
import type { ResultOf } from '#shared/lab/runStudy.ts'
import { rowsOf, runOnRows } from '../../fakes/panelWorld.ts'

it('takes hours that cost the same in order of the clock, whatever their number of bars', () => {
  const rows = rowsOf({ seed: 3, symbols: 3, times: 24 * 60, gaps: 0.2 })
  const study = { kind: 'schedule', value: 'a * 0 + 0.1', statistic: 'mean', best: 3, minBars: 1 }
  const { symbols } = runOnRows(rows, study) as unknown as ResultOf<'schedule'>
  expect(symbols).toHaveLength(3)
  for (const { groups, persistence } of symbols) {
    const hours = (chosen: string) => groups.filter((group) => group.chosen === chosen).map(({ hour }) => hour)
    expect(hours('best')).toEqual([0, 1, 2])
    expect(hours('worst')).toEqual([21, 22, 23])
    expect(new Set(groups.map(({ calibrate }) => calibrate.value))).toEqual(new Set([0.1]))
    expect(persistence.spearman).toBeNull()
  }
})
