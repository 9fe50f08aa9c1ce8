import { expect, it } from 'vitest'
import { shortSymbol } from '#shared/catalog/symbols.ts'

it.each([
  ['perpetual-BTC-USDT:USDT', 'BTC-USDT:USDT'],
  ['perpetual-perpetual-USDT:USDT', 'perpetual-USDT:USDT'],
  ['BTC-USDT:USDT', 'BTC-USDT:USDT'],
  ['spot-BTC-USDT', 'spot-BTC-USDT'],
])('drops from %s only what all symbols share', (symbol, short) => {
  expect(shortSymbol(symbol)).toBe(short)
})
