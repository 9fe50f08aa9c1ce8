import { expect, it } from 'vitest'
import type { CheckOutcome } from '#shared/contract/areas/inbox.ts'
import { foundText } from '#shared/contract/checkFound.ts'

const hit: CheckOutcome = { state: 'hit', value: 1, time: 0, rows: null, why: null }
const compared = { value: 0.000253, operator: '>', bound: 0.0002, column: 'funding.funding_rate' }

it('says the value that a rule compared beside its threshold, and rates of funding in basis points', () => {
  expect(foundText({ ...hit, compared })).toBe('2.53 > 2 bps')
  expect(foundText({ ...hit, compared: { ...compared, column: 'ohlcv.close', value: 101.23456, bound: 100 } })).toBe(
    '101.2 > 100',
  )
  expect(foundText({ ...hit, compared: { ...compared, column: null, value: -2.5, operator: '<', bound: -2 } })).toBe(
    '−2.5 < −2',
  )
})

it('says the value of other formulas, rows of queries, symbols of lists, and why nothing is known', () => {
  expect(foundText({ ...hit, value: 1.9e-7 })).toBe('1.9×10⁻⁷')
  expect(foundText({ ...hit, value: null, rows: 3 })).toBe('3 rows')
  expect(foundText({ ...hit, found: { hits: 1, symbols: 4, names: ['BTC@ostrich'] } })).toBe(
    '1 of 4 symbols: BTC@ostrich',
  )
  expect(foundText({ ...hit, state: 'not evaluable', why: 'No rows.' })).toBe('No rows.')
})
