import { describe, expect, test } from 'vitest'
import { assetsOf } from '../../../../electron/sandbox/market/assets.ts'
import { DailyMarket } from '../../../../electron/sandbox/market/daily.ts'
import { marketDay } from '../../../../electron/sandbox/market/days.ts'

const lastDay = marketDay('2026-11-20')

const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length

function deviation(values: number[]): number {
  const centre = mean(values)
  return Math.sqrt(mean(values.map((value) => (value - centre) ** 2)))
}

function correlation(a: number[], b: number[]): number {
  const [centreA, centreB] = [mean(a), mean(b)]
  return mean(a.map((value, i) => (value - centreA) * (b[i] - centreB))) / deviation(a) / deviation(b)
}

function kurtosis(values: number[]): number {
  const [centre, scale] = [mean(values), deviation(values)]
  return mean(values.map((value) => ((value - centre) / scale) ** 4)) - 3
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]

/** These tests check what a trader would look at first; their bounds are wide enough for any seed. */
describe.each([1, 2, 7, 42])('the market of seed %i', (seed) => {
  const market = new DailyMarket(seed)
  const returnsOf = (base: string, from: number, to: number) =>
    Array.from({ length: to - from }, (_, i) =>
      Math.log(market.dayClose(base, from + i + 1) / market.dayClose(base, from + i)),
    )
  const longLived = assetsOf(seed)
    .map(({ base, firstDay, lastDay: end }) => ({ base, firstDay, end: end ?? lastDay }))
    .filter(({ firstDay, end }) => end - firstDay > 365)
  const returns = new Map(longLived.map(({ base, firstDay, end }) => [base, returnsOf(base, firstDay, end)]))
  const btc = returns.get('BTC') ?? []

  test('annual volatilities are those of the asset class', () => {
    const volatilities = [...returns.values()].map((values) => deviation(values) * Math.sqrt(365))
    expect(deviation(btc) * Math.sqrt(365)).toBeGreaterThan(0.38)
    expect(deviation(btc) * Math.sqrt(365)).toBeLessThan(0.7)
    expect(median(volatilities)).toBeGreaterThan(0.7)
    expect(median(volatilities)).toBeLessThan(1.2)
  })

  test('assets move with the market, not as one', () => {
    const correlations = longLived.map(({ base, firstDay, end }) =>
      correlation(returns.get(base) ?? [], returnsOf('BTC', firstDay, end)),
    )
    expect(median(correlations)).toBeGreaterThan(0.4)
    expect(median(correlations)).toBeLessThan(0.8)
  })

  test('tails are fat and volatility comes in clusters', () => {
    const sizes = btc.map(Math.abs)
    expect(median([...returns.values()].map(kurtosis))).toBeGreaterThan(1.5)
    expect(mean([1, 2, 3, 5, 8].map((lag) => correlation(sizes.slice(lag), sizes.slice(0, -lag))))).toBeGreaterThan(
      0.05,
    )
  })

  test('funding is mostly small and positive, sometimes not', () => {
    const rates = longLived.flatMap(({ base, firstDay }) =>
      Array.from({ length: 300 }, (_, i) => market.fundingRate(base, firstDay + i, i % 3)),
    )
    expect(median(rates)).toBeGreaterThan(0.00002)
    expect(median(rates)).toBeLessThan(0.00015)
    const negative = rates.filter((rate) => rate < 0).length / rates.length
    expect(negative).toBeGreaterThan(0.02)
    expect(negative).toBeLessThan(0.3)
  })

  test('prices stay prices', () => {
    for (const { base, firstDay, end } of longLived) {
      const ratio = market.dayClose(base, end) / market.dayOpen(base, firstDay)
      expect(ratio).toBeGreaterThan(1e-4)
      expect(ratio).toBeLessThan(1e4)
    }
  })
})
