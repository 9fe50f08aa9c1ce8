import { describe, expect, it } from 'vitest'
import { pairMomentsOf, correlationOf, betaOf } from '#shared/statistics/pairMoments.ts'
import { cellsOf, input } from './formulaInputs.ts'

const FAR = 1e12
let state = 11
const random = () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32

/** Whole numbers, which stay exact if a large number is added; some are missing, one is an outlier. */
const near = (spread: number) =>
  Array.from({ length: 400 }, (_, row) => {
    if (random() < 0.1) return null
    return row === 120 ? 1e9 : Math.round(spread * random())
  })
const [a, b] = [near(1000), near(50)]
const away = (cells: readonly (number | null)[]) => input(cells.map((cell) => (cell === null ? null : cell + FAR)))

describe('windows of values that are far from 0', () => {
  it.each([
    'std(a, 60, 30)',
    'std(a, 7)',
    'zscore(a, 60, 30)',
    'skew(a, 60, 30)',
    'kurt(a, 60, 30)',
    'rollcorr(a, b, 60, 30)',
    'rollbeta(a, b, 60, 30)',
    'resid(a, b, 60, 30)',
    'ewmstd(a, 20)',
  ])('%s has all digits', (formula) => {
    const expected = cellsOf(formula, { a: input(a), b: input(b) })
    const found = cellsOf(formula, { a: away(a), b: away(b) })
    expect(expected.filter((cell) => cell !== null).length).toBeGreaterThan(100)
    for (const [row, cell] of expected.entries()) {
      const other = found[row]
      if (cell === null || other === null) expect(other).toBe(cell)
      else
        expect(Math.abs(other - cell), `row ${row}: ${other} and ${cell}`).toBeLessThanOrEqual(
          1e-9 * Math.max(1, Math.abs(cell)),
        )
    }
  })

  it('moments of whole series have all digits too', () => {
    const numbers = (cells: readonly (number | null)[], far = 0) =>
      Float64Array.from(cells, (cell) => (cell ?? 0) + far)
    const expected = pairMomentsOf(numbers(a), null, numbers(b), null)
    const found = pairMomentsOf(numbers(a, FAR), null, numbers(b, FAR), null)
    expect(correlationOf(found)).toBeCloseTo(correlationOf(expected) ?? NaN, 12)
    expect(betaOf(found)).toBeCloseTo(betaOf(expected) ?? NaN, 12)
  })
})
