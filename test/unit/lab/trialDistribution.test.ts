import { expect, it } from 'vitest'
import { panelRows } from '#core/lab/portfolioPanel.ts'
import { trialDistribution } from '#shared/lab/portfolio/trialDistribution.ts'

it('counts every trial once, beside what noise of the same days would give', () => {
  const trials = Array.from({ length: 99 }, (_, at) => ({ sharpe: (at - 49) / 1000, days: 366 }))
  const found = trialDistribution([...trials, { sharpe: null, days: 0 }])!
  expect(found.trials).toBe(99)
  expect(found.counts.reduce((sum, count) => sum + count, 0)).toBe(99)
  expect(found.noise.reduce((sum, count) => sum + count, 0)).toBeCloseTo(99 * 0.9907, 1)
  expect(found.edges.slice(0, 3)).toEqual([-2.6, -2.4, -2.2])
  expect(found.edges).toContain(0)
  expect(found.median).toBe(0)
  expect(found.best).toBeCloseTo(0.049 * Math.sqrt(365), 12)
  // A year of noise has a deviation of 1, so the best of 99 is the expected maximum of 99 standard normal numbers.
  expect(found.noiseBest).toBeCloseTo(2.52, 1)
  expect(trialDistribution([{ sharpe: null, days: 9 }])).toBeNull()
})

it('joins weights with prices, and counts a member from the day after the row that lists it', () => {
  const days = Int32Array.of(10, 11)
  const values = { days, columns: ['A', 'B'], values: Float64Array.of(0.5, -0.5, NaN, -0.4) }
  const prices = { days, columns: ['B', 'A'], values: Float64Array.of(2, 1, 2.5, 1.5) }
  const universe = { days, tickers: ['A'], members: Uint8Array.of(1, 0) }
  const rows = panelRows(values, prices, universe)
  expect(rows.symbols).toEqual(['A', 'B', 'A', 'B'])
  expect(rows.columns).toEqual([
    [1, 2, 1.5, 2.5],
    [0.5, -0.5, null, -0.4],
  ])
  expect(rows.member).toEqual([false, false, true, false])
})
