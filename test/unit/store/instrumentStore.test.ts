import { expect, test } from 'vitest'
import { readInstruments } from '#shared/contract/instrumentsFile.ts'
import { openTestStore } from '../../fakes/openTestStore.ts'

const rowsOf = (...lines: string[]) => {
  const read = readInstruments(['exchange,symbol,valid_from,contract_size,funding_every,listed', ...lines].join('\n'))
  if ('problems' in read) throw new Error(read.problems.join())
  return read.instruments
}

test('an import replaces all rows of the pairs that it names, and no others', () => {
  const { instruments } = openTestStore()
  const others = rowsOf('alpha-futures,B,,2,,')
  instruments.replace([...rowsOf('alpha-futures,A,,1,8h,', 'alpha-futures,A,2026-07-01,10,1h,2025-01-01'), ...others])
  const before = instruments.revision()
  expect(instruments.history('alpha-futures', 'A').map((each) => each.contract_size)).toEqual([1, 10])
  const replaced = rowsOf('alpha-futures,A,2026-08-01,5,,', 'alpha-futures,A,,4,,')
  instruments.replace(replaced)
  expect(instruments.list()).toEqual([...replaced, ...others])
  expect(instruments.list().map((each) => each.valid_from)).toEqual([null, '2026-08-01', null])
  expect(instruments.revision()).not.toBe(before)
  expect(instruments.history('beta-perps', 'A')).toEqual([])
})

test('a typed funding period belongs to a symbol or to a venue, and null removes it', () => {
  const { fundingDefaults } = openTestStore()
  const [venue, symbol] = [
    { exchange: 'beta-perps', symbol: null, every: '8h' },
    { exchange: 'beta-perps', symbol: 'A', every: '1h' },
  ]
  fundingDefaults.set(symbol)
  fundingDefaults.set({ ...venue, every: '4h' })
  fundingDefaults.set(venue)
  expect(fundingDefaults.list()).toEqual([venue, symbol])
  const before = fundingDefaults.revision()
  fundingDefaults.set({ ...symbol, every: null })
  expect(fundingDefaults.list()).toEqual([venue])
  expect(fundingDefaults.revision()).not.toBe(before)
})
