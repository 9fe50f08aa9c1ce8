import { expect, it } from 'vitest'
import { barLabels, stackedPlot, barPlot } from '../../../renderer/charts/small/plots.ts'

it('names of bars stand below them, on two lines where one has no room', () => {
  expect(barLabels(3, 60, 50, null)).toEqual([
    { at: 0, px: 30, line: 0 },
    { at: 1, px: 90, line: 0 },
    { at: 2, px: 150, line: 0 },
  ])
  expect(barLabels(6, 30, 44, null).map(({ at, line }) => [at, line])).toEqual([
    [0, 0],
    [1, 1],
    [2, 0],
    [3, 1],
    [4, 0],
    [5, 1],
  ])
  const apart = barLabels(60, 9, 44, null)
  expect(apart.length).toBeGreaterThan(5)
  for (const line of [0, 1]) {
    const places = apart.filter((label) => label.line === line).map(({ px }) => px)
    places.slice(1).forEach((px, at) => expect(px - places[at]).toBeGreaterThanOrEqual(44))
  }
})

it('names of a histogram stand at the edges of its bars, 0 among them', () => {
  const labels = barLabels(50, 10, 45, 23)
  expect(labels.map(({ at }) => at)).toEqual([3, 8, 13, 18, 23, 28, 33, 38, 43, 48])
  expect(labels.find(({ at }) => at === 23)!.px).toBe(230)
})

it('bars have an axis of whole counts, and keep off its ends', () => {
  const plot = barPlot(
    [
      { label: 'a', value: 2 },
      { label: 'b', value: 1 },
      { label: 'c', value: null },
    ],
    'count',
    200,
  )!
  expect(plot.ticks.map(({ label }) => label)).toEqual(['0', '1', '2'])
  expect(plot.y(0)).toBe(200)
  expect(plot.y(2)).toBeGreaterThan(0)
  const share = barPlot(
    [
      { label: 'a', value: 0.2 },
      { label: 'b', value: -0.1 },
    ],
    'share',
    200,
  )!
  expect(share.ticks.map(({ label }) => label)).toContain('−10')
  expect(barPlot([{ label: 'a', value: 0 }], 'count', 200)).toBeNull()
})

it('layers of one day alone fill the width', () => {
  const box = { left: 10, top: 0, width: 100, height: 50 }
  const { rows, x, tops } = stackedPlot(
    Float64Array.of(0),
    [{ label: 'A', values: Float64Array.of(0.5), colour: 0 }],
    box,
  )
  expect([rows, x(0), x(1), tops[0][1]]).toEqual([2, 10, 110, 0.5])
})

it('stacked layers have no more rows than pixels, each the mean of its days', () => {
  const days = 2200
  const times = Float64Array.from({ length: days }, (_, day) => day * 86_400_000)
  const values = Float64Array.from({ length: days }, (_, day) => (day === 7 ? NaN : day % 2))
  const box = { left: 0, top: 0, width: 1100, height: 200 }
  const { rows, x, tops } = stackedPlot(times, [{ label: 'A', values, colour: 0 }], box)
  expect([rows, x(0), x(rows - 1)]).toEqual([1100, 0, 1100])
  expect([tops[0][0], tops[0][3], tops[0][1099]]).toEqual([0.5, 0, 0.5])
})
