import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { crossSectionFunction } from '#shared/formula/crossSectionFunctions.ts'

/**
 * Applies a function across symbols; the result buffer has one place more than there are symbols, and the function must
 * leave this place unchanged.
 */
function applyAcross(name: string, x: readonly number[], { y = x.map(() => NaN), parameter = NaN } = {}): number[] {
  const count = x.length
  // The buffers are longer than the cross-section, as in the app when some symbols are missing.
  const padded = (values: readonly number[]) => Float64Array.from([...values, 1e9])
  const result = new Float64Array(count + 1).fill(7)
  crossSectionFunction(name)?.apply({
    count,
    x: padded(x),
    y: padded(y),
    parameter,
    result,
    orderOfX: () => Int32Array.from(x.keys()).sort((a, b) => x[a] - x[b]),
  })
  expect(result[count]).toBe(7)
  return [...result.subarray(0, count)]
}

const meanOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
const deviationOf = (values: readonly number[]) =>
  Math.sqrt(values.reduce((sum, value) => sum + (value - meanOf(values)) ** 2, 0) / (values.length - 1))

/** Computes a quantile by linear interpolation between the sorted values. */
function quantileOf(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  const place = (sorted.length - 1) * share
  const [below, above] = [Math.floor(place), Math.ceil(place)]
  return sorted[below] + (sorted[above] - sorted[below]) * (place - below)
}

const whole = fc.integer({ min: -20, max: 20 })
const section = fc.array(whole, { minLength: 1, maxLength: 9 })
const closeTo = (expected: readonly number[]) => expected.map((value) => expect.closeTo(value, 9) as number)

describe('across the symbols of one time', () => {
  it('a rank counts the smaller values and half of the equal ones', () => {
    fc.assert(
      fc.property(section, (x) => {
        const expected = x.map((value) => {
          const below = x.filter((other) => other < value).length
          const equal = x.filter((other) => other === value).length
          return (below + equal / 2) / x.length
        })
        expect(applyAcross('cs_rank', x)).toEqual(closeTo(expected))
      }),
    )
  })

  it('the distance from the mean, plain and in standard deviations of the sample', () => {
    fc.assert(
      fc.property(section, (x) => {
        expect(applyAcross('cs_demean', x)).toEqual(closeTo(x.map((value) => value - meanOf(x))))
        if (new Set(x).size < 2) return
        const deviation = deviationOf(x)
        expect(applyAcross('cs_zscore', x)).toEqual(closeTo(x.map((value) => (value - meanOf(x)) / deviation)))
      }),
    )
  })

  it('a z-score needs two symbols that differ', () => {
    expect(applyAcross('cs_zscore', [3])).toEqual([NaN])
    expect(applyAcross('cs_zscore', [5, 5, 5])).toEqual([NaN, NaN, NaN])
    expect(applyAcross('cs_zscore', [1, 3])).toEqual(closeTo([-Math.SQRT1_2, Math.SQRT1_2]))
  })

  it('values are clipped to the quantiles on both sides', () => {
    fc.assert(
      fc.property(section, fc.integer({ min: 0, max: 50 }), (x, percent) => {
        const share = percent / 100
        const [low, high] = [quantileOf(x, share), quantileOf(x, 1 - share)]
        expect(applyAcross('cs_winsor', x, { parameter: share })).toEqual(
          closeTo(x.map((value) => Math.min(Math.max(value, low), high))),
        )
      }),
    )
    expect(applyAcross('cs_winsor', [1, 2, 30], { parameter: 0.25 })).toEqual([1.5, 2, 16])
  })

  it('what y does not explain has the mean 0 and no covariance with y', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(whole, whole), { minLength: 3, maxLength: 9 }), (pairs) => {
        const [x, y] = [pairs.map(([first]) => first), pairs.map(([, second]) => second)]
        const rest = applyAcross('cs_neutral', x, { y })
        expect(meanOf(rest)).toBeCloseTo(0, 9)
        expect(meanOf(rest.map((value, at) => value * (y[at] - meanOf(y))))).toBeCloseTo(0, 8)
        // The residual differs from x by a linear function of y alone.
        const line = x.map((value, at) => value - rest[at])
        const slope =
          new Set(y).size > 1
            ? (line[y.indexOf(Math.max(...y))] - line[y.indexOf(Math.min(...y))]) / (Math.max(...y) - Math.min(...y))
            : 0
        expect(line).toEqual(closeTo(y.map((value) => meanOf(x) + slope * (value - meanOf(y)))))
      }),
    )
  })

  it('a residual needs three symbols, is exactly 0 on a line, and only demeans beside a constant', () => {
    expect(applyAcross('cs_neutral', [1, 2], { y: [3, 5] })).toEqual([NaN, NaN])
    expect(applyAcross('cs_neutral', [0.1, 0.2, 0.3], { y: [1, 2, 3] })).toEqual([0, 0, 0])
    expect(applyAcross('cs_neutral', [1, 2, 6], { y: [4, 4, 4] })).toEqual([-2, -1, 3])
  })
})
