import { expectationOf, registerStudy } from '#core/lab/forward/registerStudy.ts'
import { expect, it } from 'vitest'
import { runDraft } from '../../../fakes/ledgerRuns.ts'
import { openTestLedger } from '../../../fakes/openTestLedger.ts'

it('tells what was registered of a document whatever its name, and that it was run before', () => {
  const ledger = openTestLedger()
  const { study } = runDraft()
  const asked = (document: object) => expectationOf(ledger, { document, onPanel: true })
  expect(asked(study)).toEqual({ registered: null, wasRun: false })
  const texts = { expect: 'up', kill: 'sharpe < 0 after 60d', note: 'after the paper' }
  registerStudy(ledger, { document: study, onPanel: true, ...texts }, 'window')
  const kill = { figure: 'sharpe', below: 0, afterDays: 60 }
  const registered = { sequence: 1, expect: 'up', kill, note: 'after the paper' }
  expect(asked({ ...study, name: 'Another name' })).toEqual({ registered, wasRun: false })
  ledger.append([runDraft(), runDraft({ feeBps: 7 })], 'window')
  expect(asked(study)).toEqual({ registered, wasRun: true })
  const other = runDraft({ feeBps: 7 }).study
  expect(asked(other)).toEqual({ registered: null, wasRun: true })
  // One that comes after a run is late, and none that runs name.
  expect(registerStudy(ledger, { document: other, onPanel: true, ...texts }, 'window').late).toBe(true)
  expect(asked(other)).toEqual({ registered: null, wasRun: true })
  expect(asked({ kind: 'portfolio', signal: '(' })).toBeNull()
})
