import fc from 'fast-check'
import { expect, test } from 'vitest'
import { inverseNormal } from '../../../../electron/sandbox/market/inverseNormal.ts'
import { numberFromText, normalOf, RandomStream, uniformOf } from '../../../../electron/sandbox/market/random.ts'

const count = 200_000

function momentsOf(draw: () => number): { mean: number; deviation: number; kurtosis: number } {
  const values = Float64Array.from({ length: count }, draw)
  const mean = values.reduce((sum, value) => sum + value, 0) / count
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / count
  const fourth = values.reduce((sum, value) => sum + (value - mean) ** 4, 0) / count
  return { mean, deviation: Math.sqrt(variance), kurtosis: fourth / variance ** 2 - 3 }
}

test('the same keys give the same stream, other keys another', () => {
  const draws = (...keys: (string | number)[]) => {
    const stream = new RandomStream(...keys)
    return Array.from({ length: 20 }, () => stream.bits())
  }
  expect(draws(1, 'BTC')).toEqual(draws(1, 'BTC'))
  for (const other of [draws(2, 'BTC'), draws(1, 'ETH'), draws('BTC', 1), draws(1, 'BTC', 0), draws(1, '龙')]) {
    expect(other).not.toEqual(draws(1, 'BTC'))
  }
})

test('hashes of different keys differ', () => {
  const hashes = new Set(Array.from({ length: 20_000 }, (_, i) => numberFromText(1, 'hours', 'BTC', i)))
  expect(hashes.size).toBeGreaterThan(19_990)
})

test('single draws are uniform and normal', () => {
  let i = 0
  const uniform = momentsOf(() => uniformOf(7, 'u', i++))
  expect(uniform.mean).toBeCloseTo(0.5, 2)
  expect(uniform.deviation).toBeCloseTo(Math.sqrt(1 / 12), 2)
  const normal = momentsOf(() => normalOf(7, 'n', i++))
  expect(normal.mean).toBeCloseTo(0, 1)
  expect(normal.deviation).toBeCloseTo(1, 1)
})

test('a stream’s normals are standard, its heavy tails heavy with variance about 1', () => {
  const stream = new RandomStream(3, 'moments')
  const normal = momentsOf(() => stream.normal())
  expect(Math.abs(normal.mean)).toBeLessThan(0.01)
  expect(Math.abs(normal.deviation - 1)).toBeLessThan(0.01)
  expect(Math.abs(normal.kurtosis)).toBeLessThan(0.1)
  const heavy = momentsOf(() => stream.heavyTail())
  expect(Math.abs(heavy.deviation - 1)).toBeLessThan(0.05)
  expect(heavy.kurtosis).toBeGreaterThan(2)
})

test('numbers stay in their ranges', () => {
  fc.assert(
    fc.property(fc.integer(), fc.string(), fc.integer({ min: 1, max: 1000 }), (seed, name, limit) => {
      const stream = new RandomStream(seed, name)
      for (let i = 0; i < 20; i++) {
        const whole = stream.below(limit)
        expect(Number.isInteger(whole) && whole >= 0 && whole < limit).toBe(true)
        expect(stream.exponential()).toBeGreaterThanOrEqual(0)
        expect(stream.pareto(1.5)).toBeGreaterThanOrEqual(1)
        expect(Number.isFinite(stream.normal())).toBe(true)
      }
    }),
  )
})

test.each([
  [0.5, 0],
  [0.975, 1.959963985],
  [0.025, -1.959963985],
  [0.999, 3.090232306],
  [1e-6, -4.753424309],
])('the normal quantile of %f is %f', (probability, quantile) => {
  expect(inverseNormal(probability)).toBeCloseTo(quantile, 6)
})
