import { expect, it } from 'vitest'
import { drawFill } from '#shared/overview/fill.ts'
import type { MarkedSeries } from '#shared/overview/marks.ts'

const plot = {
  x: (ms: number) => ms,
  y: (value: number) => 100 - value,
  baseY: 100,
  pixel: 1,
  scale: { name: 'linear' },
}
const lineOf = (cells: readonly [time: number, value: number][], style = 'line'): MarkedSeries => ({
  ...{ style, stepMs: 10 },
  points: { times: cells.map(([time]) => time), values: cells.map(([, value]) => value) },
})

/** Returns the corners of each filled shape, without the repeated first one. */
function filled(line: MarkedSeries, to: MarkedSeries | number) {
  const shapes: Record<'above' | 'below', number[][][]> = { above: [], below: [] }
  const sinkOf = (all: number[][][]) => ({
    moveTo: (x: number, y: number) => void all.push([[x, y]]),
    lineTo: (x: number, y: number) => void all.at(-1)!.push([x, y]),
    rect() {},
  })
  drawFill(line, to, plot, { above: sinkOf(shapes.above), below: sinkOf(shapes.below) })
  return shapes
}
/** Area of a shape, from its corners. */
const areaOf = (corners: number[][]) =>
  Math.abs(
    corners.reduce((sum, [x, y], at) => {
      const [nextX, nextY] = corners[(at + 1) % corners.length]
      return sum + x * nextY - nextX * y
    }, 0),
  ) / 2
const areasOf = (shapes: number[][][]) => shapes.map((corners) => Math.round(areaOf(corners) * 1000) / 1000)

it('fills above and below a level apart, split where the line crosses it', () => {
  const shapes = filled(
    lineOf([
      [0, 10],
      [20, -10],
      [30, -10],
    ]),
    0,
  )
  expect(areasOf(shapes.above)).toEqual([50])
  expect(areasOf(shapes.below)).toEqual([150])
})

it('fills between two lines whose points are at different times', () => {
  const shapes = filled(
    lineOf([
      [0, 10],
      [40, 10],
    ]),
    lineOf([
      [10, 0],
      [25, 20],
      [50, 20],
    ]),
  )
  // From 10 to the crossing at 17.5, and from there to 40, where the first line ends.
  expect(areasOf(shapes.above)).toEqual([37.5])
  expect(areasOf(shapes.below)).toEqual([37.5 + 150])
})

it('keeps a gap of either line a gap', () => {
  const shapes = filled(
    lineOf([
      [0, 5],
      [10, 5],
      [20, NaN],
      [20, 5],
      [30, 5],
    ]),
    0,
  )
  expect(areasOf(shapes.above)).toEqual([50, 50])
  const other = lineOf([
    [0, 0],
    [5, NaN],
    [25, 0],
    [30, 0],
  ])
  expect(
    areasOf(
      filled(
        lineOf([
          [0, 5],
          [30, 5],
        ]),
        other,
      ).above,
    ),
  ).toEqual([25])
})

it('fills under steps as they are drawn, to the end of the last one', () => {
  const shapes = filled(
    lineOf(
      [
        [0, 4],
        [10, 8],
      ],
      'step',
    ),
    0,
  )
  expect(areasOf(shapes.above)).toEqual([120])
})

it('fills to the base of an axis that cannot show the level', () => {
  const log = { ...plot, scale: { name: 'log' } }
  const drawn: number[] = []
  const sink = { moveTo() {}, lineTo: (_x: number, y: number) => void drawn.push(y), rect() {} }
  drawFill(
    lineOf([
      [0, 10],
      [10, 10],
    ]),
    0,
    log,
    { above: sink, below: sink },
  )
  expect(new Set(drawn)).toEqual(new Set([90, 100]))
})

it('fills noise within a pixel as one even column that reaches the line where it is nearest', () => {
  const teeth = Array.from({ length: 4000 }, (_, at): [number, number] => [at / 40, at % 2 === 0 ? 90 : 30])
  const [shape, ...others] = filled(lineOf(teeth), 0).above
  expect(others).toEqual([])
  expect(shape.length).toBeLessThanOrEqual(4 * 100 + 4)
  expect(areaOf(shape)).toBeCloseTo(30 * 100, -2)
})
