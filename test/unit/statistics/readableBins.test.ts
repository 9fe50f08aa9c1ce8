import { expect, it } from 'vitest'
import { binOf, readableEdges } from '#shared/statistics/readableBins.ts'

it('puts the edges at round numbers around the values', () => {
  expect([...readableEdges(0.12, 0.47, 4)]).toEqual([0.1, 0.2, 0.3, 0.4, 0.5])
  expect([...readableEdges(-3, 3, 3)]).toEqual([-4, -2, 0, 2, 4])
})

it('has one bin where no round numbers lie between the values, or their span overflows', () => {
  expect([...readableEdges(5, 5, 50)]).toEqual([5, 5])
  expect([...readableEdges(-1e308, 1e308, 50)]).toEqual([-1e308, 1e308])
  expect([...readableEdges(1, 1 + 2 ** -50, 50)]).toEqual([1, 1 + 2 ** -50])
})

it('counts a value at an edge in the bin that it opens, the last edge in the last bin', () => {
  const edges = readableEdges(0, 1, 10)
  expect([0, 0.3, 0.7, 1].map((value) => binOf(edges, value))).toEqual([0, 3, 7, 9])
})
