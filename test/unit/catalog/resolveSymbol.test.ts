import { expect, it } from 'vitest'
import { resolveSymbol } from '#shared/catalog/resolveSymbol.ts'

const perpetual = (pair: string) => `perpetual-${pair}`
const venues = [
  {
    exchange: 'venuea-futures',
    symbols: ['BTC-USDT:USDT', 'ETH-USDC:USDC', 'ETH-USDT:USDT', '1000PEPE-USDT:USDT', 'SOL-USDT:USDT'].map(perpetual),
  },
  { exchange: 'venueb-perps', symbols: ['BTC-USD:BTC', 'SOLV-USDT:USDT'].map(perpetual) },
]
const found = (exchange: string, pair: string) => ({ kind: 'found', found: { exchange, symbol: perpetual(pair) } })

it.each([
  ['BTC', 'BTC-USDT:USDT'],
  ['btc perp', 'BTC-USDT:USDT'],
  ['BTC-PERP', 'BTC-USDT:USDT'],
  [' btcusdt ', 'BTC-USDT:USDT'],
  ['BTC/USDT', 'BTC-USDT:USDT'],
  ['eth/usdc', 'ETH-USDC:USDC'],
  ['ETH-USDC:USDC', 'ETH-USDC:USDC'],
  ['perpetual-ETH-USDC:USDC', 'ETH-USDC:USDC'],
  ['１０００pepe', '1000PEPE-USDT:USDT'],
])('finds %j on the chosen venue', (text, pair) => {
  expect(resolveSymbol(text, venues, 'venuea-futures')).toEqual(found('venuea-futures', pair))
})

it('prefers the venue after @, which may be shortened', () => {
  expect(resolveSymbol('BTC@venueb', venues, 'venuea-futures')).toEqual(found('venueb-perps', 'BTC-USD:BTC'))
  expect(resolveSymbol('btc perp @ VenueB-Perps', venues, null)).toEqual(found('venueb-perps', 'BTC-USD:BTC'))
  expect(resolveSymbol('BTC@nowhere', venues, null)).toEqual({ kind: 'unknown', nearest: [] })
})

it('asks which of several symbols is meant, the most traded quote currency first', () => {
  expect(resolveSymbol('eth', venues, 'venuea-futures')).toEqual({
    kind: 'ambiguous',
    choices: ['ETH-USDT:USDT', 'ETH-USDC:USDC'].map((pair) => ({
      exchange: 'venuea-futures',
      symbol: perpetual(pair),
    })),
  })
  expect(resolveSymbol('BTC', venues, null)).toMatchObject({
    kind: 'ambiguous',
    choices: [{ exchange: 'venuea-futures' }, { exchange: 'venueb-perps' }],
  })
})

it('names the nearest symbols of an unknown one, and none for nonsense', () => {
  expect(resolveSymbol('BTV', venues, 'venuea-futures')).toMatchObject({
    kind: 'unknown',
    nearest: [{ symbol: perpetual('BTC-USDT:USDT') }],
  })
  expect(resolveSymbol('1000PEP', venues, null)).toMatchObject({
    nearest: [{ symbol: perpetual('1000PEPE-USDT:USDT') }],
  })
  expect(resolveSymbol('zzzzzz', venues, null)).toEqual({ kind: 'unknown', nearest: [] })
  expect(resolveSymbol('', venues, null)).toEqual({ kind: 'unknown', nearest: [] })
})
