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
