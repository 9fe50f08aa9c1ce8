import { expect, it } from 'vitest'
import { nameShortener, symbolWidthPx } from '#shared/lab/symbolNames.ts'

const perpetual = (venue: string, base: string) => `${venue}/perpetual-${base}-USDT:USDT`

it('names symbols of one venue without it, and those of several with it', () => {
  const one = [perpetual('venuea-futures', 'BTC'), perpetual('venuea-futures', 'ETH')]
  expect(one.map(nameShortener(one))).toEqual(['BTC-USDT:USDT', 'ETH-USDT:USDT'])
  const two = [...one, perpetual('venueb-perps', 'BTC')]
  expect(two.map(nameShortener(two))).toEqual([
    'venuea-futures/BTC-USDT:USDT',
    'venuea-futures/ETH-USDT:USDT',
    'venueb-perps/BTC-USDT:USDT',
  ])
  expect(['A', 'B'].map(nameShortener(['A', 'B']))).toEqual(['A', 'B'])
})

it('keeps names that would read alike', () => {
  const alike = ['x/perpetual-BTC-USDT:USDT', 'x/BTC-USDT:USDT']
  expect(alike.map(nameShortener(alike))).toEqual(alike)
})

it('gives a column of symbols the width of its longest name', () => {
  expect(symbolWidthPx([perpetual('venuea-futures', 'BTC'), 'A'])).toBe(38 * 8 + 24)
  expect(symbolWidthPx([])).toBe(90)
  expect(symbolWidthPx(['x'.repeat(200)])).toBe(330)
})
