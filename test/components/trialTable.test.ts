import type { FamilyEntry, LedgerFamily, Score } from '#shared/contract/areas/ledger.ts'
import { cellOf, columnOf } from '#shared/contract/frame.ts'
import { expect, it } from 'vitest'
import { filterOptions } from '../../renderer/text/forward.ts'
import { familyTable, trialTable } from '../../renderer/views/lab/testFrames.ts'

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

const scoreOf = (hash: string, fields: Partial<Score>) =>
  ({
    hash,
    family: 'f',
    state: 'running',
    never: null,
    evidence: 1.25,
    expectedDays: 80_000,
    days: 30,
    ...fields,
  }) as Score

it('says how later days came, of each run and of each family', () => {
  const [running, never] = ['aa', 'bb'].map((hash) => ({ ...run, hash }))
  const scores = [scoreOf('aa', {}), scoreOf('bb', { state: 'waiting', never: 'It read a panel file.' })]
  const byHash = new Map(scores.map((score) => [score.hash, score]))
  const { frame } = trialTable([running, never], byHash)
  const cells = (name: string) => [0, 1].map((row) => cellOf(columnOf(frame, name)!, row))
  expect(cells('state')).toEqual(['Running', 'Not scored'])
  // What is never scored has no evidence to wait for.
  expect(cells('evidence')).toEqual(['1.3 of 20, needs 219 years', ''])
  const family = { family: 'f', kind: 'portfolio', holdout: null, lastTime: 0 } as LedgerFamily
  const families = familyTable([family, { ...family, family: 'g' }], byHash).frame
  expect([0, 1].map((row) => cellOf(columnOf(families, 'states')!, row))).toEqual(['1 running, 1 not scored', ''])
  expect(filterOptions(scores).map(({ title }) => title)).toEqual([
    ...['All', 'Waiting', 'Running 1', 'Supported', 'Killed', 'Not scored 1'],
  ])
})
