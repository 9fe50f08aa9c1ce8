import { expect, it } from 'vitest'
import { drawBars } from '#shared/overview/marks.ts'
import { paintShapes, type Plot } from '../../../renderer/charts/marks.ts'
import type { SeriesView } from '../../../renderer/charts/paneView.ts'
import { greyColours } from './chartColours.ts'

const plot: Plot = {
  x: (time) => time / 10,
  y: (value) => 100 - value,
  baseY: 100,
  bottomY: 100,
  heightPx: 100,
  pixel: 1,
  scale: { name: 'linear' } as Plot['scale'],
}

const bars = (count: number, stepMs: number) =>
  ({
    style: 'bar',
    stepMs,
    series: { colour: 0 },
    points: {
      times: Float64Array.from({ length: count }, (_, at) => at * stepMs),
      values: Float64Array.from({ length: count }, (_, at) => (at % 5 === 0 ? -20 : at % 5)),
    },
  }) as unknown as SeriesView

it('bars closer than a pixel become one bar a pixel that covers all of them', () => {
  const drawn: number[][] = []
  const none = () => {}
  drawBars(bars(100, 1), plot, { moveTo: none, lineTo: none, rect: (...place) => void drawn.push(place) })
  expect(drawn).toEqual(Array.from({ length: 10 }, (_, x) => [x, 96, 1, 24]))
})

it('shapes are filled a few at a time, because a path of thousands takes far longer', () => {
  let [inPath, most, filled] = [0, 0, 0]
  const context = {
    save() {},
    restore() {},
    clip() {},
    beginPath: () => (inPath = 0),
    rect: () => (inPath += 1),
    fill() {
      most = Math.max(most, inPath)
      filled += inPath
    },
  } as unknown as CanvasRenderingContext2D
  paintShapes(context, bars(1000, 20), plot, { left: 0, top: 0, width: 9, height: 9 }, greyColours)
  expect(filled).toBe(1000)
  expect(most).toBeLessThanOrEqual(64)
})
