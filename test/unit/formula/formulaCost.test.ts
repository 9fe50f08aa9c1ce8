import { describe, expect, it } from 'vitest'
import { formulaCostMs } from '#shared/formula/formulaCost.ts'
import { MS_PER_DAY } from '#shared/time.ts'

const MS_PER_MINUTE = 60_000
const minutes = new Map([['a', { rows: 178_000, intervalMs: MS_PER_MINUTE }]])
const cost = (formula: string) => formulaCostMs(formula, minutes)

describe('the cost of a formula', () => {
  it('grows with its rows', () => {
    const twice = new Map([['a', { rows: 356_000, intervalMs: MS_PER_MINUTE }]])
    expect(formulaCostMs('median(a, 60)', twice)).toBeCloseTo(2 * cost('median(a, 60)'))
  })

  it('grows with its operations, each equal one counted once', () => {
    expect(cost('mad(a, 60) + mad(a, 61)')).toBeGreaterThan(1.8 * cost('mad(a, 60)'))
    expect(cost('mad(a, 60) + mad(a, 60)')).toBeLessThan(1.2 * cost('mad(a, 60)'))
  })

  it('is higher for windows in order than for sums', () => {
    expect(cost('rank(a, 60)')).toBeGreaterThan(3 * cost('sum(a, 60)'))
  })

  it('counts the rows of a longer interval after a resampling', () => {
    const days = new Map([['a', { rows: 178_000 / 1440, intervalMs: MS_PER_DAY }]])
    const resampled = cost("mad(resample(a, '1d'), 60)") - cost("resample(a, '1d')")
    expect(resampled).toBeCloseTo(formulaCostMs('mad(a, 60)', days) - formulaCostMs('a', days), 0)
  })

  it('is a few seconds at most for ordinary formulas, and much more for 150 heavy terms', () => {
    expect(cost('zscore(log(a), 1440) * 100 - ema(a, 20)')).toBeLessThan(100)
    const heavy = Array.from({ length: 150 }, (_, at) => `mad(a, ${1000 + at})`).join(' + ')
    expect(cost(heavy)).toBeGreaterThan(10_000)
  })

  it('is 0 for an invalid formula, whose evaluation says what is wrong', () => {
    expect(cost('a +')).toBe(0)
    expect(cost('unknown(a)')).toBeGreaterThanOrEqual(0)
  })
})
