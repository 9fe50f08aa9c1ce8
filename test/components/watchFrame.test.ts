import { expect, it } from 'vitest'
import type { WatchRow } from '#shared/contract/areas/watch.ts'
import { cellOf } from '#shared/contract/frame.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import { ageText, checkFormula, usualLayout, watchTable } from '../../renderer/views/watch/watchFrame.ts'

const row: WatchRow = {
  exchange: 'venuea-futures',
  symbol: 'perpetual-BTC-USDT:USDT',
  last: 60_000,
  change: -0.0123,
  funding_rate: 0.00005548,
  funding_annualised: null,
  funding_every: null,
  funding_basis: null,
  open_interest_change: 0.02,
  volume_z: 1.5,
  basis_bps: 3.25,
  spark: [1, null, 2],
  coverage: 1,
  quality: 0,
  lastAt: 0,
  interval: '4h',
  timestamp: 'exchange',
  values: [2],
}

it('begins a check where the cell stands now, in the units of the formula', () => {
  const formulas = [{ name: 'spread', formula: 'a.b - a.c' }]
  const keys = ['last', 'change', 'funding_rate', 'open_interest_change', 'basis_bps', 'formula 0', 'exchange']
  expect(keys.map((key) => checkFormula(key, row, formulas))).toEqual([
    'ohlcv.close > 60000',
    'pct(ohlcv.close, 6) < -1.23',
    'funding.funding_rate > 0.00005548',
    'pct(open_interest.open_interest, 6) > 2',
    'basis.basis_bps > 3.25',
    '(a.b - a.c) > 2',
    null,
  ])
})

it('says the age of rows that are not of the last day', () => {
  expect([ageText(0, MS_PER_DAY - 1), ageText(0, 29.5 * MS_PER_DAY), ageText(null, 5)]).toEqual(['', '29 d', ''])
})

/** Width of the table beside the news in a window of 1280 pixels. */
const LEAST_TABLE_PX = 864

it('usually shows what a person decides by, without scrolling, and leaves the rest to the menu of columns', () => {
  const { columns } = watchTable([row, { ...row, exchange: 'venueb-perps' }], [], new Set())
  const shown = columns.filter(({ key }) => !usualLayout.hidden.includes(key))
  const [venue, ...figures] = shown.slice(1).map(({ key }) => key)
  expect([venue, ...figures.toSorted()]).toEqual([
    'exchange',
    'basis_bps',
    'change',
    'funding_annualised',
    'funding_rate',
    'last',
    'open_interest_change',
    'spark',
    'volume_z',
  ])
  expect(shown.reduce((sum, { widthPx = 100 }) => sum + widthPx, 0)).toBeLessThanOrEqual(LEAST_TABLE_PX)
  expect(columns.length - shown.length).toBe(3)
})

it('shows funding in basis points, and the venue last where it is the only one', () => {
  const keysOf = (rows: WatchRow[]) => watchTable(rows, [], new Set()).columns.map(({ key }) => key)
  expect(keysOf([row]).slice(0, 5)).toEqual(['symbol', 'last', 'spark', 'change', 'funding_rate'])
  expect(keysOf([row]).at(-1)).toBe('exchange')
  expect(keysOf([row, { ...row, exchange: 'venueb-perps' }])[1]).toBe('exchange')
  const { frame } = watchTable([row], [], new Set())
  const funding = frame.columns.find(({ name }) => name === 'funding_rate')
  expect(funding && cellOf(funding, 0)).toBeCloseTo(0.5548, 12)
})
