/**
 * Draws the marks of charts: candles, bands, triangles for values beyond the axis, and the shapes of `marks.ts` of the
 * shared code. Canvas and SVG share the shapes.
 */
import type uPlot from 'uplot'
import type { ValueScale } from './axes.ts'
import { type ChartColours, seriesColour } from './chartColours.ts'
import {
  barOf,
  drawArea,
  drawBars,
  drawLine,
  drawPoints,
  type MarkPlot,
  type PathSink,
  shownY,
} from '#shared/overview/marks.ts'
import { drawFill, FILL_ALPHA, type FillSinks } from '#shared/overview/fill.ts'
import { drawShade, SHADE_LEVELS, type Shade, shadeAlpha, type ShadedBox } from '#shared/overview/shade.ts'
import type { TimeRange } from '#shared/time/ranges.ts'
import type { Band } from './model.ts'
import { canBeFilled, type Side } from '#shared/workspace/chartStyle.ts'
import type { AxisView, PaneView, SeriesView } from './paneView.ts'
import type { Candles } from './reduce.ts'

export interface Box {
  left: number
  top: number
  width: number
  height: number
}

/** Maps axis values and times of the range to pixels of a box. */
export function plotIn(box: Box, range: TimeRange, axis: AxisView, pixel: number): Plot {
  const { scale, bounds } = axis
  const pxPerMs = box.width / (range.endMs - range.startMs)
  const low = scale.forward(bounds[0])
  const pxPerPlace = box.height / (scale.forward(bounds[1]) - low)
  const bottomY = box.top + box.height
  const y = (value: number) => bottomY - (scale.forward(value) - low) * pxPerPlace
  const base = Math.min(bounds[1], Math.max(bounds[0], 0))
  return {
    x: (timeMs) => box.left + (timeMs - range.startMs) * pxPerMs,
    y,
    baseY: scale.name === 'log' ? bottomY : y(base),
    bottomY,
    heightPx: box.height,
    pixel,
    scale,
  }
}

/** Mapping of times and values to the pixels of the target. */
export interface Plot extends MarkPlot {
  bottomY: number
  heightPx: number
  scale: ValueScale
}

/** Half the width of the triangle that marks a value beyond the axis. */
const CUT_MARK_PX = 3.5
/** Minimum distance between two triangles that mark values beyond the axis. */
const CUT_MARK_GAP_PX = 9

/** Draws a small triangle at the edge of the plot wherever drawn values are beyond the axis. */
export function drawCutMarks({ points, candles }: SeriesView, { bounds }: AxisView, plot: Plot, sink: PathSink): void {
  const times = candles ? candles.times : points.times
  const [lows, highs] = candles ? [candles.low, candles.high] : [points.values, points.values]
  const count = candles ? candles.count : times.length
  const [half, gapPx] = [CUT_MARK_PX * plot.pixel, CUT_MARK_GAP_PX * plot.pixel]
  const topY = plot.bottomY - plot.heightPx
  let [lastAbove, lastBelow] = [-Infinity, -Infinity]
  for (let at = 0; at < count; at += 1) {
    const x = plot.x(times[at])
    if (highs[at] > bounds[1] && x - lastAbove >= gapPx) {
      triangle(sink, x, topY, half)
      lastAbove = x
    }
    if (lows[at] < bounds[0] && !(plot.scale.name === 'log' && !(lows[at] > 0)) && x - lastBelow >= gapPx) {
      triangle(sink, x, plot.bottomY, -half)
      lastBelow = x
    }
  }
}

/** Draws a triangle with its tip at the edge; a negative half width points it down. */
function triangle(sink: PathSink, x: number, edgeY: number, half: number): void {
  sink.moveTo(x, edgeY)
  sink.lineTo(x + half, edgeY + 1.6 * half)
  sink.lineTo(x - half, edgeY + 1.6 * half)
  sink.lineTo(x, edgeY)
}

export interface CandleSinks {
  wicks: PathSink
  /** Outlined bodies of candles that closed at or above their open. */
  rising: PathSink
  /** Filled bodies of candles that fell; the fill distinguishes them in addition to colour. */
  falling: PathSink
  volume: PathSink
}

const VOLUME_SHARE = 0.18

export function drawCandles(candles: Candles, plot: Plot, sinks: CandleSinks): void {
  const { times, open, high, low, close, volume, widthMs, count } = candles
  let mostVolume = 0
  for (let at = 0; volume && at < count; at += 1) mostVolume = Math.max(mostVolume, volume[at])
  for (let at = 0; at < count; at += 1) {
    const { left, width } = barOf(plot, times[at], widthMs)
    const [openY, highY, lowY, closeY] = [open[at], high[at], low[at], close[at]].map((value) => shownY(plot, value))
    const top = Math.min(openY, closeY)
    const bottom = Math.max(openY, closeY)
    if (Number.isNaN(top + bottom + highY + lowY)) continue
    const middle = left + width / 2
    sinks.wicks.moveTo(middle, highY)
    sinks.wicks.lineTo(middle, top)
    sinks.wicks.moveTo(middle, bottom)
    sinks.wicks.lineTo(middle, lowY)
    const body = close[at] >= open[at] ? sinks.rising : sinks.falling
    body.rect(left, top, width, Math.max(bottom - top, plot.pixel))
    if (!volume || mostVolume === 0) continue
    const height = (volume[at] / mostVolume) * plot.heightPx * VOLUME_SHARE
    sinks.volume.rect(left, plot.bottomY - height, width, height)
  }
}

export const withAlpha = (hex: string, alpha: number): string =>
  /^#[0-9a-f]{6}$/i.test(hex)
    ? hex +
      Math.round(alpha * 255)
        .toString(16)
        .padStart(2, '0')
    : hex

const AREA_ALPHA = 0.2
const BAR_ALPHA = 0.75

/** Tells whether a series consists of many separate shapes, which `paintShapes` fills. */
export const isMadeOfShapes = ({ style, candles }: SeriesView): boolean =>
  !candles && (style === 'bar' || style === 'points')

/** Builds the paths that uPlot strokes and fills for a series that is not made of shapes. */
export function seriesPaths(view: SeriesView, plot: Plot, colours: ChartColours): uPlot.Series.Paths {
  if (view.candles) return candlePaths(view.candles, plot, colours)
  const stroke = new Path2D()
  drawLine(view, plot, stroke)
  if (view.style !== 'area') return { stroke, flags: 0 }
  const area = new Path2D()
  drawArea(view, plot, area)
  return { stroke, fill: new Map([[fillOf(view, colours), area]]), flags: 0 }
}

/** Number of shapes that are filled at once, because the time to fill a path grows faster than its number of edges. */
const SHAPES_PER_FILL = 32

/** Fills the bars or points of a series, a few at a time. */
export function paintShapes(
  context: CanvasRenderingContext2D,
  view: SeriesView,
  plot: Plot,
  box: Box,
  colours: ChartColours,
): void {
  let count = 0
  const startShape = () => {
    if (count % SHAPES_PER_FILL === 0) {
      if (count > 0) context.fill()
      context.beginPath()
    }
    count += 1
  }
  context.save()
  context.beginPath()
  context.rect(box.left, box.top, box.width, box.height)
  context.clip()
  context.fillStyle = fillOf(view, colours)
  const draw = view.style === 'bar' ? drawBars : drawPoints
  draw(view, plot, {
    moveTo(x, y) {
      startShape()
      context.moveTo(x, y)
    },
    lineTo: (x, y) => context.lineTo(x, y),
    rect(x, y, width, height) {
      startShape()
      context.rect(x, y, width, height)
    },
  })
  if (count > 0) context.fill()
  context.restore()
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

function fillOf(view: SeriesView, colours: ChartColours): string {
  const colour = seriesColour(colours, view.series.colour)
  if (view.style === 'area') return withAlpha(colour, AREA_ALPHA)
  return view.style === 'bar' ? withAlpha(colour, BAR_ALPHA) : colour
}

const HATCH_PX = 7
/** Opacity of shading, low enough for lines and candles of any colour to stand out. */
export const SHADING_ALPHA = 0.1

/** Paints marks over the series for values beyond locked or robust axes. */
export function paintCutMarks(
  context: CanvasRenderingContext2D,
  view: PaneView,
  plotOn: (side: Side) => Plot,
  colours: ChartColours,
): void {
  for (const one of view.series) {
    const axis = view.axes[one.side]
    if (!axis?.cut) continue
    const path = new Path2D()
    drawCutMarks(one, axis, plotOn(one.side), path)
    context.fillStyle = seriesColour(colours, one.series.colour)
    context.fill(path)
  }
}

/** Paints bands behind the series: tinted, or hatched when their data is not downloaded. */
export function paintBands(
  context: CanvasRenderingContext2D,
  bands: readonly Band[],
  range: TimeRange,
  box: Box,
  pixel: number,
  colours: ChartColours,
): void {
  for (const band of bands) {
    const area = bandBox(band, range, box)
    if (!area) continue
    context.save()
    context.beginPath()
    context.rect(area.left, area.top, area.width, area.height)
    context.clip()
    context.fillStyle =
      band.kind === 'missing'
        ? withAlpha(colours.textFaint, 0.07)
        : withAlpha(seriesColour(colours, band.colour), SHADING_ALPHA)
    context.fill()
    if (band.kind === 'missing') hatch(context, area, pixel, colours)
    context.restore()
  }
}

/** Fills the areas between lines and what they are filled to; a fill to a series on another axis is left out. */
export function paintFills(fill: FillPath, view: PaneView, plotOn: (side: Side) => Plot, colours: ChartColours): void {
  for (const one of view.series) {
    const target = fillTarget(one, view)
    if (target === null) continue
    const isLevel = typeof target === 'number'
    const tints = {
      above: isLevel ? colours.positive : seriesColour(colours, one.series.colour),
      below: isLevel ? colours.negative : seriesColour(colours, target.series.colour),
    }
    paintFill(fill, tints, (sinks) => drawFill(one, target, plotOn(one.side), sinks))
  }
}

/** Fills the areas above and below what a line is filled to with their tints. */
export function paintFill(
  fill: FillPath,
  tints: Readonly<Record<keyof FillSinks, string>>,
  draw: (sinks: FillSinks) => void,
): void {
  const noSink: PathSink = { moveTo() {}, lineTo() {}, rect() {} }
  for (const side of ['above', 'below'] as const)
    fill(withAlpha(tints[side], FILL_ALPHA), (sink) => draw({ above: noSink, below: noSink, [side]: sink }))
}

/** Fills a path in a colour on a canvas or in a picture. */
type FillPath = (colour: string, draw: (sink: PathSink) => void) => void

/** Returns the level or series that a series is filled to; null for none, or while the axis shows another unit. */
function fillTarget({ series: { fill }, style, side }: PaneView['series'][number], view: PaneView) {
  if (!fill || !canBeFilled(style)) return null
  if (fill.to === 'zero') return 0
  if (fill.to === 'level') return view.axes[side]?.units[0] === fill.unit ? fill.value : null
  const other = view.series.find(({ series }) => series.id === fill.series)
  return other && other.side === side && canBeFilled(other.style) ? other : null
}

/** Paints the states that shade a chart, behind the series. */
export function paintShades(
  fill: FillPath,
  shades: readonly Pick<Shade, 'spans' | 'colour'>[],
  box: ShadedBox,
  colours: ChartColours,
): void {
  for (const { spans, colour } of shades)
    for (let level = 1; level <= SHADE_LEVELS; level += 1)
      fill(withAlpha(seriesColour(colours, colour), shadeAlpha(level)), (sink) => drawShade(spans, level, box, sink))
}

/** Returns the part of the box that a band covers; null when the band is out of view. */
export function bandBox(band: TimeRange, range: TimeRange, box: Box): Box | null {
  const pxPerMs = box.width / (range.endMs - range.startMs)
  const from = Math.max(range.startMs, band.startMs)
  const to = Math.min(range.endMs, band.endMs)
  if (!(from < to)) return null
  return { ...box, left: box.left + (from - range.startMs) * pxPerMs, width: (to - from) * pxPerMs }
}

function hatch(context: CanvasRenderingContext2D, box: Box, pixel: number, colours: ChartColours): void {
  const step = HATCH_PX * pixel
  context.beginPath()
  // Hatching is aligned to the canvas edge, so that adjacent bands share one pattern.
  const first = Math.floor((box.left - box.height) / step) * step
  for (let x = first; x < box.left + box.width; x += step) {
    context.moveTo(x, box.top + box.height)
    context.lineTo(x + box.height, box.top)
  }
  context.strokeStyle = withAlpha(colours.textFaint, 0.3)
  context.lineWidth = pixel
  context.stroke()
}
