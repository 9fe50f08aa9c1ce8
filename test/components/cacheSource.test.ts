import { expect, it } from 'vitest'
import {
  cacheSourceOf,
  groupsOfLists,
  listsOfGroups,
  readRestriction,
  symbolsOf,
  writeRestriction,
} from '../../renderer/views/lab/cacheSource.ts'

it('restricts a formula to the most traded symbols and shows it without that part again', () => {
  const text = writeRestriction({ formula: 'sma(funding.funding_rate, 24) / 2', top: 30 }, '1h')
  expect(text).toContain('sma(ohlcv.volume_notional, 720, 360)')
  expect(readRestriction(text)).toEqual({ formula: 'sma(funding.funding_rate, 24) / 2', top: 30 })
  // The same window has fewer bars of a longer interval; an edited restriction is shown as a plain formula.
  expect(writeRestriction(readRestriction(text), '4h')).toContain('volume_notional, 180, 90)')
  expect(readRestriction(`${text} + 1`).top).toBeNull()
  expect(readRestriction('(a) / (b)')).toEqual({ formula: '(a) / (b)', top: null })
})

it('makes groups of named lists, and knows which lists they came from', () => {
  const row = (list: string, symbol: string, group: string | null) => ({
    list,
    exchange: 'venuea-futures',
    symbol,
    group,
  })
  const listed = [row('majors', 'BTC', null), row('sectors', 'UNI', 'defi'), row('sectors', 'ARB', 'layer 2')]
  const groups = groupsOfLists(listed, new Set(['majors', 'sectors']))
  expect(groups).toEqual({
    majors: ['venuea-futures/BTC'],
    'sectors: defi': ['venuea-futures/UNI'],
    'sectors: layer 2': ['venuea-futures/ARB'],
  })
  expect(
    groupsOfLists(
      [row('constructor', 'BTC', null), row('__proto__', 'ETH', null)],
      new Set(['constructor', '__proto__']),
    ),
  ).toEqual(
    Object.fromEntries([
      ['constructor', ['venuea-futures/BTC']],
      ['__proto__', ['venuea-futures/ETH']],
    ]),
  )
  expect(listsOfGroups(groups, ['majors', 'sectors', 'other'])).toEqual(new Set(['majors', 'sectors']))
})

it('reads pasted symbols, and a source that is not whole yet', () => {
  expect(symbolsOf(' A, B\nB  C ')).toEqual(['A', 'B', 'C'])
  expect(symbolsOf(' \n')).toBeNull()
  expect(cacheSourceOf({ study: { source: { exchanges: 'x', by: { regime: { overlay: 'r' } } } } })).toMatchObject({
    exchanges: [],
    symbols: null,
    timestamp: 'exchange',
    by: { regime: { overlay: 'r', cuts: [] }, groups: null },
  })
  expect(cacheSourceOf({ study: { source: null } })).toBeNull()
})
