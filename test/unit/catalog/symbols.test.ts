import { expect, it } from 'vitest'
import { decodeSymbol, encodeSymbol, isSymbol, parseSymbol, shortSymbol } from '#shared/catalog/symbols.ts'

it.each([
  ['perpetual-BTC-USDT:USDT', 'BTC-USDT:USDT'],
  ['perpetual-perpetual-USDT:USDT', 'perpetual-USDT:USDT'],
  ['BTC-USDT:USDT', 'BTC-USDT:USDT'],
  ['spot-BTC-USDT', 'spot-BTC-USDT'],
])('drops from %s only what all symbols share', (symbol, short) => {
  expect(shortSymbol(symbol)).toBe(short)
})

it('a symbol need not be a perpetual, but is one word with a hyphen and without slashes', () => {
  const all = ['future-BTC-USDT:USDT-20261225', 'ETH-USDT', 'perpetual-BTC-USDT:USDT', 'btc', 'a-b/c', 'a -b', '-', '']
  expect(all.filter(isSymbol)).toEqual(all.slice(0, 3))
  expect(parseSymbol('perpetual-BTC-USDT:USDT-20261225')).toBeNull()
  expect(decodeSymbol(encodeSymbol('future-BTC-USDT:USDT-20261225'))).toBe('future-BTC-USDT:USDT-20261225')
})
