import type { RunDraft } from '#core/store/ledger/ledger.ts'
import { documentHash, familyOf, keyOf } from '#core/store/ledger/studyIdentity.ts'
import type { RunRole } from '#core/store/ledger/ledgerEntry.ts'
import { testStudy } from './portfolioWorld.ts'

export interface RunFields {
  signal?: string
  feeBps?: number
  role?: RunRole
  holdoutFromDay?: string | null
  returns?: number[]
}

/** Drafts the entry of a test as the service of tested portfolios does. */
export function runDraft({
  signal = 'signal',
  feeBps = 5,
  role = 'test',
  holdoutFromDay = null,
  returns = [0.01, -0.005, 0.002],
}: RunFields = {}): RunDraft {
  const study = testStudy({ signal, costs: { feeBps } })
  const hash = documentHash(study)
  const inputs = [{ name: 'panel.csv', sha256: 'ab'.repeat(32), bytes: 10 }]
  return {
    event: 'run',
    kind: 'portfolio',
    role,
    documentHash: hash,
    study,
    inputs,
    family: familyOf(study),
    key: keyOf({ documentHash: hash, inputs, readUntil: holdoutFromDay }),
    holdoutFromDay,
    summary: { days: returns.length, sharpe: feeBps / 100, totalReturn: 0, maxDrawdown: 0, ruined: false },
    returns: Float64Array.from(returns),
    firstDay: '2026-01-01',
    grid: null,
  }
}
