import { expect, it } from 'vitest'
import { readAliases, readLots } from '#shared/portfolio/book/bookFiles.ts'
import { type OrderRule, withOrderRules } from '#shared/portfolio/book/orderRules.ts'
import { type PlanInput, planTrades } from '#shared/portfolio/book/plan.ts'

const nothing = { ticker: null, multiplier: null, lot: null, minUnits: null, minOrder: null }
const rules: OrderRule[] = [
  { ...nothing, symbol: 'BTC', lot: 0.5, minUnits: 2 },
  { ...nothing, symbol: 'kBONK', ticker: 'BONK', multiplier: 1000, minOrder: 60 },
]

function ordersOf(files: { aliases?: string; lots?: string }, minOrder = 0) {
  const input: PlanInput = {
    targets: [
      { ticker: 'BTC', weight: 0.13 },
      { ticker: 'BONK', weight: 0.5 },
    ],
    positions: [],
    ...withOrderRules(
      {
        aliases: files.aliases ? readAliases({ file: 'a.csv', text: files.aliases }) : [],
        lots: files.lots ? readLots({ file: 'l.csv', text: files.lots }) : [],
      },
      rules,
    ),
    priceOf: (ticker) => (ticker === 'BTC' ? 10 : 0.001),
    costBpsOf: () => 0,
    ...{ capital: 100, band: 0, mode: 'centre', minOrder, cap: null },
  }
  return Object.fromEntries(planTrades(input).rows.map(({ symbol, order, reason }) => [symbol, [order, reason]]))
}

it('plans by the typed lot, least orders and multiplier of a symbol', () => {
  // 1.3 units of BTC are two lots of 0.5, which are fewer than the least units of 2; 50 of kBONK are below 60.
  expect(ordersOf({})).toEqual({ BTC: [0, 'below-min-units'], kBONK: [0, 'below-min-order'] })
})

it('lets a line of a file win over what was typed for its symbol or its ticker, and asks the larger least notional', () => {
  expect(ordersOf({ lots: 'symbol,lot\nBTC,0.1\n' })).toEqual({ BTC: [1.3, null], kBONK: [0, 'below-min-order'] })
  expect(ordersOf({ lots: 'symbol,lot\nBTC,0.1\n' }, 14).BTC).toEqual([0, 'below-min-order'])
  expect(ordersOf({ aliases: 'ticker,symbol,multiplier\nBONK,BONK1M,1000000\n' })).toMatchObject({
    BONK1M: [0.05, null],
  })
  expect(ordersOf({ aliases: 'ticker,symbol,multiplier\nBONK,kBONK,10\n' }, 10)).toMatchObject({
    kBONK: [0, 'below-min-order'],
  })
})
