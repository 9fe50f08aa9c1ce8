import { expect, it } from 'vitest'
import { parsePortfolioStudy } from '#shared/lab/parseStudy.ts'
import { familyOf, scopeOf } from '#core/store/ledger/studyIdentity.ts'

const rows = { exchanges: ['venuea-futures'], symbols: null, universe: null, timestamp: 'exchange' }
const testOn = (source: object) =>
  parsePortfolioStudy(
    {
      version: 1,
      kind: 'portfolio',
      interval: '1h',
      start: '2026-01-01',
      end: '2026-02-01',
      signal: 'funding.funding_rate',
      source: { ...rows, ...source },
    },
    { fromCache: true },
  )

it('counts a test with an overlay among all trials on its source, though its family is another', () => {
  const plain = testOn({})
  const scaled = testOn({ exposureBy: { overlay: 'market_risk', portfolio: null, scale: 'value' } })
  const other = testOn({ exchanges: ['venueb-perps'] })
  expect(familyOf(scaled)).not.toBe(familyOf(plain))
  expect(scopeOf(scaled)).toBe(scopeOf(plain))
  expect(scopeOf(other)).not.toBe(scopeOf(plain))
})
