import { expect, it } from 'vitest'
import { plantedSkill, supportOfSkill, withoutSkill } from '../../../calibrate/simulations.ts'

it.each([false, true])('rarely supports tests without skill (returns skewed: %s)', (isSkewed) => {
  const { positive, supported } = withoutSkill(1, { tests: 600, isSkewed })
  expect(supported).toBeLessThanOrEqual(0.05)
  if (!isSkewed) expect(Math.abs(positive - 0.5)).toBeLessThan(0.07)
})

it('finds the slope that planted skill has', () => {
  const { slope, expectedSlope } = plantedSkill(1, 300)
  expect(expectedSlope).toBeGreaterThan(0.7)
  expect(Math.abs(slope - expectedSlope)).toBeLessThan(0.15)
})

it('supports most tests with a true Sharpe ratio of 3 within two years', () => {
  expect(supportOfSkill(1, 100)).toBeGreaterThan(0.8)
})
