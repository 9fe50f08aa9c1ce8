import type { FamilyEntry } from '#shared/contract/areas/ledger.ts'
import { cellOf, columnOf } from '#shared/contract/frame.ts'
import { expect, it } from 'vitest'
import { trialTable } from '../../renderer/views/lab/testFrames.ts'

const run: FamilyEntry = {
  ...{ sequence: 4, time: 0, who: 'window', role: 'test', isTrial: true, repeats: null, isMerged: false, counts: true },
  ...{ name: 'Carry', signal: 'signal', sharpe: 1, days: 10, totalReturn: 0.1, maxDrawdown: -0.1, ruined: false },
  hash: 'ab'.repeat(32),
  openedFromDay: null,
  kind: 'portfolio',
  expect: null,
}

it('tells trials, repetitions, trials before a reset and openings apart', () => {
  const trials = [
    run,
    { ...run, isTrial: false, repeats: 4 },
    { ...run, counts: false },
    { ...run, role: 'holdoutOpened', isTrial: false, openedFromDay: '2026-09-01' },
    { ...run, role: 'walk-forward', isTrial: false },
  ]
  const { frame } = trialTable(trials)
  const cells = (name: string) => trials.map((_, row) => cellOf(columnOf(frame, name)!, row))
  expect(cells('role')).toEqual(['Test', 'Test', 'Test', 'Holdout opened', 'Walk-forward'])
  expect(cells('counts')).toEqual(['yes', 'repeats 4', 'before the reset', 'from 2026-09-01', 'no'])
})
