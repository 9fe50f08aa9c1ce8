import { seriesColour, type ChartColours } from '../charts/chartColours.ts'
import { drawArea, drawBars, drawCandles, drawLine, drawPoints, type Plot } from '../charts/geometry.ts'
import { dashOf } from '../charts/paintSeries.ts'
import type { SeriesView } from '../charts/seriesView.ts'
import { SvgPath } from './svgWriter.ts'

/** One series, drawn by the same geometry as on screen. */
export function seriesSvg(view: SeriesView, placeInPane: number, plot: Plot, colours: ChartColours): string {
  if (view.candles) return candlesSvg(view.candles, plot, colours)
  const colour = seriesColour(colours, view.series.colour)
  const path = new SvgPath()
  if (view.style === 'bar') {
    drawBars(view, plot, path)
    return path.element({ fill: colour, 'fill-opacity': 0.75 })
  }
  if (view.style === 'points') {
    drawPoints(view, plot, path)
    return path.element({ fill: colour })
  }
  const area = new SvgPath()
  if (view.style === 'area') drawArea(view, plot, area)
  drawLine(view, plot, path)
  const dash = dashOf(view, placeInPane).join(' ')
  const line = {
    fill: 'none',
    stroke: colour,
    'stroke-width': 1.4,
    'stroke-dasharray': dash,
    'stroke-linejoin': 'round',
  }
  return area.element({ fill: colour, 'fill-opacity': 0.2 }) + path.element(line)
}

function candlesSvg(candles: NonNullable<SeriesView['candles']>, plot: Plot, colours: ChartColours): string {
  const sinks = { wicks: new SvgPath(), rising: new SvgPath(), falling: new SvgPath(), volume: new SvgPath() }
  drawCandles(candles, plot, sinks)
  return [
    sinks.volume.element({ fill: colours.textFaint, 'fill-opacity': 0.35 }),
    sinks.wicks.element({ fill: 'none', stroke: colours.textFaint }),
    sinks.rising.element({ fill: colours.canvas, stroke: colours.positive }),
    sinks.falling.element({ fill: colours.negative, stroke: colours.negative }),
  ].join('')
}
