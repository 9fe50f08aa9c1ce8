import type uPlot from 'uplot'
import { seriesColour, seriesDash, type ChartColours } from './chartColours.ts'
import { drawArea, drawBars, drawCandles, drawLine, drawPoints, type Plot } from './geometry.ts'
import type { Candles } from './reduceCandles.ts'
import type { SeriesView } from './seriesView.ts'

export const withAlpha = (hex: string, alpha: number): string =>
  /^#[0-9a-f]{6}$/i.test(hex)
    ? hex +
      Math.round(alpha * 255)
        .toString(16)
        .padStart(2, '0')
    : hex

const AREA_ALPHA = 0.2
const BAR_ALPHA = 0.75

/** A dashed zigzag of thousands of points is neither a dash nor a line. */
const MOST_DASHED_POINTS = 1500

export const dashOf = (view: SeriesView, placeInPane: number): readonly number[] =>
  view.points.times.length > MOST_DASHED_POINTS ? [] : seriesDash(placeInPane)

/** What uPlot strokes and fills of a series. */
export function seriesPaths(view: SeriesView, plot: Plot, colours: ChartColours): uPlot.Series.Paths {
  if (view.candles) return candlePaths(view.candles, plot, colours)
  const stroke = new Path2D()
  const fill = new Path2D()
  if (view.style === 'bar') drawBars(view, plot, fill)
  else if (view.style === 'points') drawPoints(view, plot, fill)
  else {
    if (view.style === 'area') drawArea(view, plot, fill)
    drawLine(view, plot, stroke)
  }
  return { stroke, fill, flags: 0 }
}

function candlePaths(candles: Candles, plot: Plot, colours: ChartColours): uPlot.Series.Paths {
  const sinks = { wicks: new Path2D(), rising: new Path2D(), falling: new Path2D(), volume: new Path2D() }
  drawCandles(candles, plot, sinks)
  const stroke = new Map([
    [colours.textFaint, sinks.wicks],
    [colours.positive, sinks.rising],
    [colours.negative, sinks.falling],
  ])
  const fill = new Map([
    [withAlpha(colours.textFaint, 0.35), sinks.volume],
    [colours.canvas, sinks.rising],
    [colours.negative, sinks.falling],
  ])
  return { stroke, fill, flags: 0 }
}

export function fillOf(view: SeriesView, colours: ChartColours): string {
  const colour = seriesColour(colours, view.series.colour)
  if (view.style === 'area') return withAlpha(colour, AREA_ALPHA)
  return view.style === 'bar' ? withAlpha(colour, BAR_ALPHA) : colour
}
