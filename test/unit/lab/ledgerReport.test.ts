import { describe, expect, it } from 'vitest'
import { familyEntries, overviewOf } from '#core/lab/ledger/ledgerReport.ts'
import { scopeOf } from '#core/store/ledger/studyIdentity.ts'
import {
  probabilisticSharpe,
  expectedMaximum,
  sharpeSample,
  sharpeVariance,
} from '#shared/lab/portfolio/sharpeStatistics.ts'
import { quantileOf } from '#shared/lab/samples.ts'
import { runDraft } from '../../fakes/ledgerRuns.ts'
import { openTestLedger } from '../../fakes/openTestLedger.ts'

describe('trials that were recorded at different risk-free rates', () => {
  const returns = [1, 2, 3].map((trial) =>
    Array.from({ length: 40 }, (_, day) => 0.001 * trial + 0.01 * Math.sin(day * trial)),
  )
  const rates = [0, 0.05, 0.2]
  const drafts = returns.map((net, at) => runDraft({ feeBps: at, riskFree: rates[at], returns: net }))
  const openLedger = () => {
    const ledger = openTestLedger()
    ledger.append(drafts, 'cli')
    return ledger
  }
  const sharpesAt = (riskFree: number) =>
    returns.map((net) => sharpeSample(Float64Array.from(net), riskFree).sharpe ?? NaN)

  it('are compared at the rate that is asked for', () => {
    const [{ study }] = drafts
    expect(openLedger().tables.sharpesOfScope(scopeOf(study), 0.1)).toEqual(sharpesAt(0.1))
  })

  it('are reported at the rate of the last test', () => {
    const ledger = openLedger()
    const sharpes = sharpesAt(0.2)
    const best = Math.max(...sharpes)
    const [family] = overviewOf(ledger).families
    const annual = Math.sqrt(365)
    expect(family.best).toBeCloseTo(best * annual, 12)
    expect(family.median).toBeCloseTo((quantileOf(Float64Array.from(sharpes).sort(), 0.5) ?? NaN) * annual, 12)
    const luck = Math.sqrt(sharpeVariance(sharpes)) * expectedMaximum(3)
    const bestReturns = Float64Array.from(returns[sharpes.indexOf(best)])
    expect(family.bestDeflated).toBe(probabilisticSharpe(sharpeSample(bestReturns, 0.2), luck))
    for (const { distribution } of [overviewOf(ledger), familyEntries(ledger, drafts[0].family)])
      expect(distribution?.best).toBeCloseTo(best * annual, 12)
  })
})
