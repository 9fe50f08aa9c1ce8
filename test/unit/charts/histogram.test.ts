import { expect, it } from 'vitest'
import { stackLayers } from '../../../renderer/charts/small/plots.ts'
import { histogram } from '#shared/statistics/readableBins.ts'

it('a histogram counts every number once, and nothing else', () => {
  const bins = histogram(Float64Array.of(0, 1, 2, 3, 4, NaN, Infinity), 4)
  expect(bins.map(({ count }) => count)).toEqual([1, 1, 1, 2])
  expect(bins.at(-1)!.to).toBe(4)
  expect(histogram(Float64Array.of(5, 5), 4)).toEqual([{ from: 5, to: 6, count: 2 }])
  expect(histogram(Float64Array.of(NaN), 4)).toEqual([])
})

it('the bars of a histogram begin at round numbers', () => {
  const bins = histogram(Float64Array.of(-0.137, 0, 0.3, 0.3999, 0.713), 10)
  expect(bins.map(({ from }) => from)).toEqual([-0.2, -0.1, 0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7])
  expect(bins.map(({ count }) => count)).toEqual([1, 0, 1, 0, 0, 2, 0, 0, 0, 1])
  expect(histogram(Float64Array.of(1e9, 1e9 + 1e-6), 40).reduce((sum, { count }) => sum + count, 0)).toBe(2)
})

it('layers pile up, short ones downward', () => {
  const { bottoms, tops } = stackLayers([Float64Array.of(1, NaN), Float64Array.of(2, 3), Float64Array.of(-1, -2)])
  expect(tops.map((top) => [...top])).toEqual([
    [1, 0],
    [3, 3],
    [-1, -2],
  ])
  expect(bottoms.map((bottom) => [...bottom])).toEqual([
    [0, 0],
    [1, 0],
    [0, 0],
  ])
})
