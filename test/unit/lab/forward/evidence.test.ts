import { createBets, evidenceScale, expectedDays } from '#shared/lab/forward/evidence.ts'
import { expect, it } from 'vitest'

it('says after how many days a true Sharpe ratio is expected to be supported', () => {
  expect([2, 3, 4].map(expectedDays)).toEqual([704, 390, 269])
  expect([null, 0, -1, 1e-6].map(expectedDays)).toEqual([null, null, null, null])
  expect(expectedDays(0.05)).toBe(null)
  expect(expectedDays(0.1)).toBeGreaterThan(50_000)
  // One day suffices once the ratio is absurd.
  expect(expectedDays(1e4)).toBe(1)
})

it('has no scale for fewer than 20 recorded days or returns that do not vary', () => {
  const alternating = Float64Array.from({ length: 20 }, (_, day) => (day % 2 ? 0.01 : -0.01))
  expect(evidenceScale(alternating)).toBeCloseTo(0.01 * Math.sqrt(20 / 19), 15)
  expect(evidenceScale(alternating.subarray(1))).toBe(null)
  expect(evidenceScale(new Float64Array(40).fill(0.003))).toBe(null)
})

it('never comes back from the loss of every stake', () => {
  const bets = createBets(0.01)
  bets.add(-13)
  for (let day = 0; day < 100; day++) bets.add(1)
  expect(bets.evidence()).toBe(0)
})
