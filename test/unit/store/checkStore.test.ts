import { expect, onTestFinished, test } from 'vitest'
import { openStore } from '#core/store/store.ts'
import { fakeClock } from '../../fakes/fakeClock.ts'
import { fakeLog } from '../../fakes/fakeLog.ts'
import { temporaryFolder } from '../../fakes/temporaryFolder.ts'

test('the revision changes with the connection of a check, so that other windows read the checks again', () => {
  const store = openStore({ dataDir: temporaryFolder(), clock: fakeClock(), log: fakeLog() })
  onTestFinished(() => store.close())
  const check = { name: 'lag', connectionId: 'sandbox', rule: { kind: 'sql', sql: 'SELECT 1' } } as const
  store.checks.save(check)
  const before = store.checks.revision()
  store.checks.save({ ...check, connectionId: 'desk' })
  expect(store.checks.revision()).not.toBe(before)
})

test('the last run of a check is kept, also of one that found nothing, until its rule changes', () => {
  const clock = fakeClock()
  const store = openStore({ dataDir: temporaryFolder(), clock, log: fakeLog() })
  onTestFinished(() => store.close())
  const check = { name: 'lag', connectionId: 'sandbox', rule: { kind: 'sql', sql: 'SELECT 1' } } as const
  const quiet = { state: 'quiet', value: null, time: null, rows: 0, why: null } as const
  store.checks.save(check)
  expect(store.checks.lastRun(check)).toBeNull()
  const before = store.checks.revision()
  store.checks.keepRun(check, quiet)
  expect(store.checks.lastRun(check)).toEqual({ ranAt: clock.nowMs(), ...quiet })
  expect(store.checks.revision()).not.toBe(before)
  expect(store.checks.inbox()).toEqual([])
  expect(store.checks.lastRun({ ...check, rule: { kind: 'sql', sql: 'SELECT 2' } })).toBeNull()
  store.checks.remove('lag')
  store.checks.save(check)
  expect(store.checks.lastRun(check)).toBeNull()
})
