import { describe, expect, it } from 'vitest'
import { momentsAtLag, regressionLine } from '#shared/statistics/regressionLine.ts'
import { correlationOf } from '#shared/statistics/pairMoments.ts'
import { seededRandom } from '../../fuzz/target.ts'

type Matrix = readonly [readonly [number, number], readonly [number, number]]
const multiply = (a: Matrix, b: Matrix): Matrix => {
  const cell = (row: number, column: number) => a[row][0] * b[0][column] + a[row][1] * b[1][column]
  return [
    [cell(0, 0), cell(0, 1)],
    [cell(1, 0), cell(1, 1)],
  ]
}
const inverse = ([[a, b], [c, d]]: Matrix): Matrix => {
  const by = a * d - b * c
  return [
    [d / by, -b / by],
    [-c / by, a / by],
  ]
}
/**
 * Returns the sum over rows of the outer products of [1, x], weighted by pairs of residuals that are `lag` rows apart.
 */
function outer(
  rows: readonly { x: number; e: number }[],
  lag: number,
  weigh: (a: number, b: number) => number,
): Matrix {
  let [one, left, right, both] = [0, 0, 0, 0]
  for (let at = lag; at < rows.length; at++) {
    const weight = weigh(rows[at].e, rows[at - lag].e)
    one += weight
    left += weight * rows[at - lag].x
    right += weight * rows[at].x
    both += weight * rows[at].x * rows[at - lag].x
  }
  return [
    [one, left],
    [right, both],
  ]
}

/** Computes the line by its normal equations, and the standard errors by the full sandwich of matrices. */
function byMatrices(x: number[], y: number[]) {
  const n = x.length
  const bread = inverse(
    outer(
      x.map((value) => ({ x: value, e: 1 })),
      0,
      () => 1,
    ),
  )
  const sumY = y.reduce((sum, value) => sum + value, 0)
  const sumXY = y.reduce((sum, value, at) => sum + value * x[at], 0)
  const intercept = bread[0][0] * sumY + bread[0][1] * sumXY
  const slope = bread[1][0] * sumY + bread[1][1] * sumXY
  const rows = x.map((value, at) => ({ x: value, e: y[at] - intercept - slope * value }))
  const squares = rows.reduce((sum, { e }) => sum + e * e, 0)
  const lags = Math.floor(4 * (n / 100) ** (2 / 9))
  let meat: Matrix = outer(rows, 0, (a, b) => a * b)
  for (let lag = 1; lag <= lags; lag++) {
    const part = outer(rows, lag, (a, b) => a * b)
    const weight = 1 - lag / (lags + 1)
    meat = meat.map((row, i) => row.map((value, j) => value + weight * (part[i][j] + part[j][i]))) as unknown as Matrix
  }
  const robust = multiply(multiply(bread, meat), bread)
  const meanY = sumY / n
  return {
    slope,
    intercept,
    slopeError: Math.sqrt((squares / (n - 2)) * bread[1][1]),
    robustT: slope / Math.sqrt(robust[1][1]),
    robustLags: lags,
    r2: 1 - squares / y.reduce((sum, value) => sum + (value - meanY) ** 2, 0),
  }
}

describe('a regression line', () => {
  it('agrees with the normal equations and the sandwich of matrices, on any data', () => {
    for (let seed = 1; seed <= 20; seed++) {
      const random = seededRandom(seed)
      const n = 12 + Math.floor(random() * 400)
      const x = Array.from({ length: n }, () => random() * 8 - 3)
      let drift = 0
      const y = x.map((value) => 2.5 - 1.7 * value + (drift = 0.8 * drift + random() - 0.5))
      const line = regressionLine(Float64Array.from(x), Float64Array.from(y))!
      const expected = byMatrices(x, y)
      for (const [name, value] of Object.entries(expected))
        expect(line[name as keyof typeof expected], `${name} of seed ${seed}`).toBeCloseTo(value, 8)
      expect(line.t).toBeCloseTo(expected.slope / expected.slopeError, 6)
      expect(line.n).toBe(n)
    }
  })

  it('takes the rows where both are present, and leaves the others without a residual', () => {
    const gap = NaN
    const line = regressionLine(Float64Array.of(0, 1, gap, 3, 4), Float64Array.of(1, 3, 100, gap, 9))!
    expect(line).toMatchObject({ n: 3, slope: 2, r2: 1, deviation: 0, robustT: null })
    expect(line.intercept).toBeCloseTo(1, 12)
    expect([...line.residuals].map(Number.isNaN)).toEqual([false, false, true, true, false])
    // A perfect line has no standard error, so its t is undefined rather than infinite.
    expect(line.t).toBeNull()
  })

  it('is none with fewer than three pairs, or where x does not vary but for rounding', () => {
    expect(regressionLine(Float64Array.of(1, 2), Float64Array.of(1, 2))).toBeNull()
    expect(regressionLine(Float64Array.of(0.1 + 0.2, 0.3, 0.3), Float64Array.of(1, 2, 4))).toBeNull()
    expect(regressionLine(Float64Array.of(1, 1, NaN, 1), Float64Array.of(1, 2, 3, 5))).toBeNull()
  })

  it('has no R² and no correlation where y does not vary', () => {
    const line = regressionLine(Float64Array.of(1, 2, 3, 4), Float64Array.of(5, 5, 5, 5))
    expect(line).toMatchObject({ slope: 0, r2: null, correlation: null })
  })
})

describe('a correlation at a lag', () => {
  it('is of x with y so many rows later, and counts the pairs that remain', () => {
    const random = seededRandom(7)
    const x = Float64Array.from({ length: 50 }, () => random())
    const y = Float64Array.from(x, (_, row) => (row < 3 ? NaN : 2 * x[row - 3] + 1))
    expect(correlationOf(momentsAtLag(x, y, 3))).toBeCloseTo(1, 12)
    expect(momentsAtLag(x, y, 3).count).toBe(47)
    expect(momentsAtLag(x, y, -10).count).toBe(37)
    expect(Math.abs(correlationOf(momentsAtLag(x, y, -3))!)).toBeLessThan(0.6)
    expect(momentsAtLag(x, y, 60).count).toBe(0)
  })
})
