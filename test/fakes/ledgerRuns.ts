import type { RunDraft } from '#core/store/ledger/ledger.ts'
import { documentHash, familyOf, keyOf } from '#core/store/ledger/studyIdentity.ts'
import type { RunRole } from '#core/store/ledger/ledgerEntry.ts'
import { sharpeSample } from '#shared/lab/portfolio/sharpeStatistics.ts'
import { testStudy } from './portfolioWorld.ts'

export interface RunFields {
  signal?: string
  feeBps?: number
  riskFree?: number
  role?: RunRole
  holdoutFromDay?: string | null
  returns?: number[]
}

function sharpeOf(net: Float64Array, riskFree: number) {
  const { days, sharpe } = sharpeSample(net, riskFree)
  return { days, sharpe }
}

/** Drafts the entry of a test as the service of tested portfolios does. */
export function runDraft({
  signal = 'signal',
  feeBps = 5,
  riskFree = 0,
  role = 'test',
  holdoutFromDay = null,
  returns = [0.01, -0.005, 0.002],
}: RunFields = {}): RunDraft {
  const study = testStudy({ signal, costs: { feeBps }, riskFree })
  const hash = documentHash(study)
  const net = Float64Array.from(returns)
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
    summary: { ...sharpeOf(net, riskFree), totalReturn: 0, maxDrawdown: 0, ruined: false },
    returns: net,
    firstDay: '2026-01-01',
    grid: null,
  }
}
