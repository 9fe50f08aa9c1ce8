import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { logReturn } from '#shared/metrics/tradeInterval.ts'
import { excessKurtosis, momentsOf, skewness, variance } from '#shared/statistics/moments.ts'
import { quantile } from '#shared/metrics/quantile.ts'

/** Returns the quantile of a sorted copy, interpolated between order statistics. */
function sortedQuantile(values: Float64Array, share: number): number {
  const sorted = values.slice().sort()
  const position = (values.length - 1) * share
  const rank = Math.floor(position)
  const above = sorted[Math.min(rank + 1, sorted.length - 1)]
  return sorted[rank] + (above - sorted[rank]) * (position - rank)
}

const finite = fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e9, max: 1e9 })

describe('quantile', () => {
  const shares = [
    [1, 2],
    [9, 10],
    [19, 20],
  ] as const

  it.each(shares)('%i/%i of any values is that of the sorted ones, and the values stay as they were', (up, down) => {
    const many = fc.array(fc.oneof(finite, fc.integer({ min: 0, max: 5 })), { minLength: 1, maxLength: 2000 })
    fc.assert(
      fc.property(many, (list) => {
        const values = Float64Array.from(list)
        const found = quantile(values, up, down)
        expect(found).toBeCloseTo(sortedQuantile(values, up / down), 4)
        expect([...values]).toEqual(list.map(Number))
      }),
      { numRuns: 60 },
    )
  })

  it('finds order statistics of long, heavily skewed and repeated values exactly', () => {
    const skewed = Float64Array.from({ length: 5001 }, (_, i) => 1e-6 * 1.01 ** ((i * 37) % 5001))
    const twoClusters = Float64Array.from({ length: 4001 }, (_, i) => (i % 2 ? 1 : 1e9))
    for (const values of [skewed, twoClusters]) {
      const sorted = values.slice().sort()
      expect(quantile(values, 1, 2)).toBe(sorted[(values.length - 1) / 2])
    }
  })

  it('is exact also where the sample misleads a round of the search', () => {
    let state = 3
    const draw = () => (state = (state * 48_271) % 2_147_483_647)
    for (let time = 0; time < 400; time++) {
      const values = Float64Array.from({ length: 1001 + 10 * (draw() % 300) }, draw)
      const sorted = values.slice().sort()
      for (const tenths of [1, 5, 9])
        expect(quantile(values, tenths, 10)).toBe(sorted[((values.length - 1) * tenths) / 10])
    }
  })

  it('of many values of which few differ is exact, between two of them too', () => {
    let state = 5
    const draw = () => (state = (state * 48_271) % 2_147_483_647)
    for (let time = 0; time < 100; time++) {
      const values = Float64Array.from({ length: 4000 + (draw() % 20) }, () => 900 + (draw() % 4))
      const sorted = values.slice().sort()
      for (const percent of [25, 50, 75, 99]) {
        const position = ((values.length - 1) * percent) / 100
        const [below, above] = [sorted[Math.floor(position)], sorted[Math.ceil(position)]]
        const fraction = (((values.length - 1) * percent) % 100) / 100
        expect(quantile(values, percent, 100)).toBe(below + (above - below) * fraction)
      }
    }
  })

  it('of values without order, which are not numbers, ends', () => {
    expect(quantile(new Float64Array(1000).fill(NaN), 1, 2)).toBeNaN()
  })

  it('of equal neighbours is exactly that value', () => {
    expect(quantile(new Float64Array(4).fill(0.1), 9, 10)).toBe(0.1)
  })
})

describe('moments', () => {
  it('of equal values are exactly 0, whatever the value', () => {
    fc.assert(
      fc.property(finite, fc.integer({ min: 1, max: 50 }), (drawn, count) => {
        const value = drawn + 0
        const moments = momentsOf(new Float64Array(count).fill(value))
        expect(moments).toMatchObject({ m2: 0, mean: value, min: value, max: value })
      }),
    )
  })

  /**
   * Known deviations from levels at which sums of squares would lose all digits; levels and steps are powers of two, so
   * the input is exact.
   */
  it.each([2 ** 17, 2 ** -23, 1, 2 ** 40])('keep nine digits at values of %d', (level) => {
    const step = level * 2 ** -30
    const pattern = [-3, -1, -1, 0, 1, 1, 3, 8]
    const moments = momentsOf(Float64Array.from({ length: 8000 }, (_, i) => level + pattern[i % 8] * step))
    const plain = momentsOf(Float64Array.from({ length: 8000 }, (_, i) => pattern[i % 8]))
    expect(variance(moments) / (step * step) / variance(plain)).toBeCloseTo(1, 10)
    expect(skewness(moments) / skewness(plain)).toBeCloseTo(1, 10)
    expect(excessKurtosis(moments) / excessKurtosis(plain)).toBeCloseTo(1, 10)
  })

  it('of too few values are undefined', () => {
    expect(variance(momentsOf(Float64Array.of(1)))).toBeNaN()
    expect(skewness(momentsOf(Float64Array.of(1, 2)))).toBeNaN()
    expect(excessKurtosis(momentsOf(Float64Array.of(1, 2, 3)))).toBeNaN()
  })
})

describe('logReturn', () => {
  it('agrees with the logarithm of the quotient', () => {
    const price = fc.double({ min: 1e-7, max: 1e7, noNaN: true })
    fc.assert(
      fc.property(price, fc.double({ min: 0.2, max: 5, noNaN: true }), (before, factor) => {
        const expected = Math.log(before * factor) - Math.log(before)
        expect(Math.abs(logReturn(before, before * factor) - expected)).toBeLessThan(1e-13)
      }),
    )
  })

  it('of prices that are orders of magnitude apart is that of the quotient', () => {
    expect(logReturn(1e20, 1)).toBeCloseTo(-20 * Math.LN10, 12)
    expect(logReturn(1, 1e20)).toBeCloseTo(20 * Math.LN10, 12)
    expect(logReturn(1, 1e-8)).toBeCloseTo(-8 * Math.LN10, 12)
  })

  it('keeps every digit of a tiny return', () => {
    // The input is exactly 2^-40, and ln(1 + x) = x − x²/2 + …
    const x = 2 ** -40
    expect(logReturn(1, 1 + x) / (x - (x * x) / 2)).toBeCloseTo(1, 14)
    expect(logReturn(131072, 131072 * (1 + x)) / (x - (x * x) / 2)).toBeCloseTo(1, 14)
  })
})

it('finds quantiles of a million values with ties, exactly', () => {
  let seed = 7
  const random = () => (seed = (seed * 48271) % 2147483647) / 2147483647
  const values = Float64Array.from({ length: 1_000_001 }, () => Math.round(random() ** 6 * 1000) / 1000)
  const sorted = values.toSorted()
  expect(quantile(values, 1, 2)).toBe(sorted[500_000])
  expect(quantile(values, 9, 10)).toBe(sorted[900_000])
  expect(quantile(values, 0, 1)).toBe(sorted[0])
  expect(quantile(values, 1, 1)).toBe(sorted[1_000_000])
})
