import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readAliases, readLots, readPositions, readPrices, readWeights } from '#shared/portfolio/book/bookFiles.ts'
import { planSheet } from '#shared/portfolio/book/bookSheets.ts'
import { inLots, type PlanInput, type PlanRow, planTrades } from '#shared/portfolio/book/plan.ts'
import { writtenRows } from '#shared/sheet/sheet.ts'
import { GROUP_SPACE, MINUS } from '#shared/units/numbers.ts'

const base = {
  positions: [],
  aliases: [],
  lots: [],
  priceOf: () => 100,
  costBpsOf: () => null,
  capital: 10_000,
  band: 0,
  mode: 'centre',
  minOrder: 0,
  cap: null,
} satisfies Omit<PlanInput, 'targets'>

const held = (symbol: string, weight: number) => ({ line: 2, symbol, units: (weight * base.capital) / 100 })

describe('a plan', () => {
  it('follows the published example at the centre and at the edge of the band', () => {
    const targets = ['LOW', 'HIGH', 'NEAR'].map((ticker) => ({ ticker, weight: 0.1 }))
    const positions = [held('LOW', 0.02), held('HIGH', 0.16), held('NEAR', 0.07)]
    const goals = (mode: 'centre' | 'edge') =>
      Object.fromEntries(
        planTrades({ ...base, targets, positions, band: 0.04, mode }).rows.map(({ symbol, goal, order, reason }) => [
          symbol,
          [goal && Number(goal.toFixed(9)), Number(order.toFixed(9)), reason],
        ]),
      )
    expect(goals('centre')).toEqual({ LOW: [0.1, 8, null], HIGH: [0.1, -6, null], NEAR: [null, 0, 'inside-band'] })
    expect(goals('edge')).toEqual({ LOW: [0.06, 4, null], HIGH: [0.14, -2, null], NEAR: [null, 0, 'inside-band'] })
  })

  it('reaches every target without band, lots, cap and least order', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.double({ min: -2, max: 2, noNaN: true }), fc.double({ min: -50, max: 50, noNaN: true })), {
          maxLength: 40,
        }),
        (rows) => {
          const { rows: planned } = planTrades({
            ...base,
            targets: rows.map(([weight], at) => ({ ticker: `T${at}`, weight })),
            positions: rows.map(([, units], at) => ({ line: at + 2, symbol: `T${at}`, units })),
          })
          for (const { after, target } of planned) expect(Math.abs((after ?? NaN) - target)).toBeLessThan(1e-12)
        },
      ),
    )
  })

  it('closes what no target wants exactly, however small, and says what it cannot price', () => {
    const { rows, totals } = planTrades({
      ...base,
      targets: [{ ticker: 'A', weight: 0.5 }],
      positions: [
        { line: 2, symbol: 'DUST', units: 0.000123 },
        { line: 3, symbol: 'GONE', units: 3 },
      ],
      lots: [{ line: 2, symbol: 'DUST', lot: 1, minUnits: 10 }],
      priceOf: (ticker) => (ticker === 'GONE' ? -1 : 100),
      minOrder: 25,
    })
    expect(rows.map(({ symbol, order, reason, price, after }) => [symbol, order, reason, price, after])).toEqual([
      ['A', 50, null, 100, 0.5],
      ['DUST', -0.000123, null, 100, 0],
      ['GONE', 0, 'no-price', null, null],
    ])
    expect(totals.skipped).toEqual({ 'no-price': 1 })
    expect(totals.cost).toBeNull()
  })

  it('counts lots in decimals and toward zero', () => {
    expect(inLots(0.35, 0.1)).toBe(0.3)
    expect(inLots(-0.35, 0.1)).toBe(-0.3)
    expect(inLots(0.3 - 1e-12, 0.1)).toBe(0.3)
    expect(inLots(1.23e-7, 1e-8)).toBe(1.2e-7)
    expect(inLots(5e9, 2.5)).toBe(5e9)
    expect(inLots(0.04, 0.1)).toBe(0)
  })

  it('counts a whole number of lots as whole however many they are', () => {
    const closing = { targets: [{ ticker: 'HH', weight: 0.1 }], positions: [held('HH', 0.3)] }
    for (const lot of [1e-3, 1e-6, 1e-7, 1e-8]) {
      const { rows } = planTrades({ ...base, ...closing, lots: [{ line: 2, symbol: 'HH', lot, minUnits: 0 }] })
      expect(rows).toMatchObject([{ order: -20, notional: -2000 }])
    }
    expect(inLots(19.99999985, 1e-7)).toBe(19.9999998)
  })

  it('takes price and multiplier of a position from the alias of its symbol', () => {
    const { rows } = planTrades({
      ...base,
      targets: [],
      positions: [{ line: 2, symbol: 'kBONK', units: 10 }],
      aliases: [{ line: 2, ticker: 'BONK', symbol: 'kBONK', multiplier: 1000 }],
      priceOf: (ticker) => (ticker === 'BONK' ? 0.02 : null),
    })
    expect(rows).toMatchObject([{ ticker: 'BONK', symbol: 'kBONK', price: 20, weight: 0.02, order: -10 }])
  })

  it('refuses two tickers of one symbol with the line of the alias', () => {
    expect(() =>
      planTrades({
        ...base,
        targets: [
          { ticker: 'X', weight: 0.5, line: 2 },
          { ticker: 'ALPHA', weight: 0.5, line: 3 },
        ],
        aliases: [{ line: 7, ticker: 'ALPHA', symbol: 'X', multiplier: 1 }],
        files: { weights: 'w.csv', aliases: 'a.csv' },
      }),
    ).toThrow('a.csv, line 7: X and ALPHA are both the symbol X')
  })
})

describe('the files of a plan', () => {
  const file = (text: string) => ({ file: 'f.csv', text })

  it('name each bad line', () => {
    expect(() => readWeights(file('ticker,weight\nA,0.5\nB,much\nA,1\n,2\n'))).toThrow(
      /f\.csv, line 3: “much”.*; line 4: “A” is also on line 2; line 5: the column ticker is empty/,
    )
    expect(() => readPositions(file('symbol,units\nA,1e999\n'))).toThrow('line 2: “1e999” in the column units')
    expect(() => readAliases(file('ticker,symbol,multiplier\nA,X,0\n'))).toThrow('line 2: the multiplier “0”')
    expect(() => readLots(file('symbol,lot\nA,\n'))).toThrow('line 2: the column lot is empty')
    expect(() => readPrices(file('ticker,cost\nA,1\n'))).toThrow('line 1: needs the column price')
  })

  it('fill in empty cells, and read per cent and decimal commas', () => {
    expect(readWeights(file('ticker;weight\nA;12,5 %\nB;\n'))).toMatchObject([{ weight: 0.125 }, { weight: 0 }])
    expect(readAliases(file('ticker,symbol,multiplier\nA,X,\n'))).toMatchObject([{ multiplier: 1 }])
    expect(readLots(file('symbol,lot,min_units\nA,0.1,\n'))).toMatchObject([{ lot: 0.1, minUnits: 0 }])
    expect(readPrices(file('ticker,price\nA,\nB,2\n'))).toMatchObject([{ price: null }, { price: 2 }])
  })
})

it('writes units and prices of each symbol by their own size, and names the symbols that are not traded', () => {
  const row = (symbol: string, price: number | null, order: number): PlanRow => ({
    ...{ ticker: symbol, symbol, price, units: 0, weight: 0, target: 0.1, goal: 0.1, order, cost: null },
    ...{ notional: order * (price ?? 0), after: 0.1, reason: price === null ? 'no-price' : null },
  })
  const rows = [
    row('DOGE', 0.026964, 152_054.76),
    row('BTC', 20_609.84, -0.203786),
    row('DASH', 285.49, 28.37),
    row('NOPE', null, 0),
  ]
  const sums = { grossBefore: 0, netBefore: 0, grossTarget: 0, netTarget: 0, grossAfter: 0, netAfter: 0 }
  const { verdict, sections } = planSheet({
    ...{ version: 1, asOf: null, pricesAsOf: null, capital: 100_000, rows, warnings: [] },
    totals: { ...sums, turnover: 0.1, cost: null, orders: 3, skipped: { 'no-price': 1 } },
  })
  expect(verdict).toContain('not traded: 1 no price (NOPE).')
  const trades = sections.find((section) => section.kind === 'table')!
  const texts = (key: string) => {
    const at = trades.columns.findIndex((column) => column.key === key)
    return writtenRows(trades).map((cells) => cells[at].text?.replaceAll(GROUP_SPACE, ' ').replace(MINUS, '-'))
  }
  expect(texts('order').slice(0, 3)).toEqual(['152 054.76', '-0.2037860', '28.37000'])
  expect(texts('price')).toEqual(['0.02696400', '20 609.84', '285.4900', undefined])
})
