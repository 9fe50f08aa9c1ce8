import fc from 'fast-check'
import { expect, test } from 'vitest'
import { assetsOf } from '../../../../electron/sandbox/market/assets.ts'
import { DailyMarket } from '../../../../electron/sandbox/market/daily.ts'
import { marketDay, WORLD_START } from '../../../../electron/sandbox/market/days.ts'

const lastDay = marketDay('2026-11-20')
const bases = assetsOf(1).map((asset) => asset.base)

function valuesOf(market: DailyMarket, base: string, day: number): number[] {
  return [
    market.dayOpen(base, day),
    market.dayClose(base, day),
    market.dayVolatility(base, day),
    market.dayNotional(base, day),
    market.dayFlow(base, day),
    market.openInterest(base, day),
    market.fundingRate(base, day, 1),
    market.hourPrice(base, day, 7),
  ]
}

const requests = fc.array(
  fc.record({ base: fc.constantFrom(...bases), day: fc.integer({ min: WORLD_START, max: lastDay }) }),
  { minLength: 2, maxLength: 12 },
)

test('values do not depend on the order of requests', () => {
  fc.assert(
    fc.property(requests, (asked) => {
      const forwards = new DailyMarket(5)
      const backwards = new DailyMarket(5)
      const first = asked.map(({ base, day }) => valuesOf(forwards, base, day))
      const second = asked.toReversed().map(({ base, day }) => valuesOf(backwards, base, day))
      expect(second.toReversed()).toEqual(first)
    }),
    { numRuns: 15 },
  )
})

test('a later day never changes an earlier one', () => {
  const market = new DailyMarket(3)
  const day = marketDay('2022-03-03')
  const before = bases.map((base) => valuesOf(market, base, day))
  for (const base of bases) market.dayClose(base, lastDay + 500)
  expect(bases.map((base) => valuesOf(market, base, day))).toEqual(before)
})

test('another seed is another market', () => {
  const day = marketDay('2023-01-01')
  expect(new DailyMarket(1).dayClose('BTC', day)).not.toBe(new DailyMarket(2).dayClose('BTC', day))
})

test('a day opens where the day before closed, and its hours lead from open to close', () => {
  const market = new DailyMarket(1)
  for (let day = lastDay - 40; day <= lastDay; day++) {
    expect(market.dayOpen('ETH', day)).toBe(market.dayClose('ETH', day - 1))
    expect(market.hourPrice('ETH', day, 0)).toBe(market.dayOpen('ETH', day))
    expect(market.hourPrice('ETH', day, 24)).toBe(market.dayClose('ETH', day))
    expect(market.hourPrice('ETH', day, 13)).toBeGreaterThan(0)
  }
})

test('there are values exactly from the listing to the delisting', () => {
  const market = new DailyMarket(1)
  for (const { base, firstDay, lastDay: end } of assetsOf(1)) {
    expect(market.dayClose(base, firstDay - 1)).toBeNaN()
    expect(market.dayClose(base, firstDay)).toBeGreaterThan(0)
    if (end === null) continue
    expect(market.dayClose(base, end)).toBeGreaterThan(0)
    expect(market.dayClose(base, end + 1)).toBeNaN()
    expect(market.dayOpen(base, end + 1)).toBeNaN()
  }
  expect(market.dayClose('NO-SUCH', lastDay)).toBeNaN()
})

test('closes have at most seven significant digits', () => {
  const market = new DailyMarket(1)
  for (const base of ['BTC', 'DOGE', '1MBABYDOGE', '龙']) {
    for (let day = lastDay - 300; day <= lastDay; day++) {
      const close = market.dayClose(base, day)
      if (!Number.isNaN(close)) expect(Number(close.toPrecision(7))).toBe(close)
    }
  }
})
