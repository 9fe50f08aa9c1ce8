import { expect, it } from 'vitest'
import { autocorrelationsOf } from '#shared/lab/along/autocorrelations.ts'
import { laggedProducts, transformedProducts } from '#shared/lab/along/laggedProducts.ts'
import { randomOf } from '../../../fakes/panelWorld.ts'

it.each([
  [5000, 70],
  [1000, 0],
  [37, 36],
  [4097, 255],
])('adds the products of %i values up to lag %i by Fourier transforms as one by one', (count, largestLag) => {
  const random = randomOf(count)
  const values = Float64Array.from({ length: count }, () => random() - 0.5)
  const direct = laggedProducts(values, largestLag)
  const transformed = transformedProducts(values, largestLag)
  expect(transformed).toHaveLength(largestLag + 1)
  transformed.forEach((sum, lag) => expect(Math.abs(sum - direct[lag])).toBeLessThan(1e-12 * direct[0]))
})

it('gives the autocorrelations of values whose squares overflow, and none to values that do not vary', () => {
  const values = Float64Array.from({ length: 100 }, (_, at) => Math.sin(at / 5))
  const large = autocorrelationsOf(values.map((value) => value * 1e200))
  autocorrelationsOf(values).forEach((value, lag) => expect(large[lag]).toBeCloseTo(value, 12))
  expect([...autocorrelationsOf(new Float64Array(9).fill(0.1))]).toEqual([0, 0, 0, 0])
})
