/** Paints a pane with uPlot: axes, grid, lines and cross-hair. */
import uPlot from 'uplot'
import { seriesColour, type ChartColours } from './chartColours.ts'
import type { TimeRange } from '#shared/time/ranges.ts'
import type { Shade } from '#shared/overview/shade.ts'
import type { Band } from './model.ts'
import { endNames, labelsBeside, type LastMark, lastMarks, MARK_PX, nameMarks } from './axisMarks.ts'
import {
  type Box,
  isMadeOfShapes,
  paintBands,
  paintCutMarks,
  paintFills,
  paintShades,
  paintShapes,
  plotIn,
  seriesPaths,
} from './marks.ts'
import type { Side } from '#shared/workspace/chartStyle.ts'
import type { PaneView } from './paneView.ts'
import type { Points } from './reduce.ts'
import { type TimeTick, timeLabelsAt } from './axes.ts'

/** View of a pane with its range, colours and geometry: everything that the pane shows at one moment. */
export interface PaneLayout {
  view: PaneView
  range: TimeRange
  ticks: readonly TimeTick[]
  bands: readonly Band[]
  shades: readonly Shade[]
  colours: ChartColours
  widthPx: number
  heightPx: number
  /** Width of the left axis, equal in all panes so that their times line up. */
  leftPx: number
  rightPx: number
  /** Width of the names at the ends of lines, beyond the right axis. */
  namesPx: number
  /** Height of the time axis, which only the lowest pane has, and only if the chart does not scroll; otherwise 0. */
  bottomPx: number
  /** True to mark last values on the axes. */
  hasMarks: boolean
}

export const TOP_PX = 6
/** Space below a plot without a time axis. */
const BELOW_PX = 4

/** Returns the box of the plot within its pane, in CSS pixels. */
export const plotBoxOf = ({ heightPx, bottomPx, leftPx, rightPx, namesPx, widthPx }: PaneLayout): Box => ({
  left: leftPx,
  top: TOP_PX,
  width: widthPx - leftPx - rightPx - namesPx,
  height: Math.max(1, heightPx - TOP_PX - (bottomPx || BELOW_PX)),
})

const FONT = '11px Inter, system-ui, sans-serif'
const sides: readonly Side[] = ['left', 'right']

/**
 * Returns a key that is equal for all layouts that one plot can paint; creating another plot would take several frames.
 */
export const structureOf = ({ view, leftPx, rightPx, bottomPx }: PaneLayout): string =>
  JSON.stringify([
    view.series.map(({ side }) => side),
    view.pane.scale,
    view.axes.left !== null,
    [leftPx, rightPx, bottomPx].map((px) => px > 0),
  ])

/**
 * Creates a plot that draws the layout returned by `current` on each repaint. It uses uPlot's mode 2, in which each
 * series has its own times, because reduced series share none.
 */
export function createPlot(element: HTMLElement, current: () => PaneLayout): uPlot {
  const firstLayout = current()
  const options: uPlot.Options = {
    mode: 2,
    width: firstLayout.widthPx,
    height: firstLayout.heightPx,
    ms: 1,
    pxAlign: 1,
    legend: { show: false },
    cursor: cursorOptions,
    select: { show: false, left: 0, top: 0, width: 0, height: 0 },
    padding: [TOP_PX, () => current().namesPx + (firstLayout.rightPx ? 0 : 8), firstLayout.bottomPx ? 0 : BELOW_PX, 0],
    scales: {
      x: { time: false, auto: false, range: () => [current().range.startMs, current().range.endMs] },
      left: scaleOptions('left', current),
      right: scaleOptions('right', current),
    },
    axes: axisOptions(firstLayout, current),
    series: [
      {},
      ...(firstLayout.view.series.length
        ? firstLayout.view.series.map((_, at) => seriesOptions(at, current))
        : [noSeries]),
    ],
    hooks: {
      drawClear: [(plot) => paintBehind(plot, current())],
      drawAxes: [(plot) => paintFilled(plot, current())],
      drawSeries: [(plot, series) => paintSeriesShapes(plot, current(), series - 1)],
      draw: [(plot) => paintOver(plot, current())],
    },
  }
  return new uPlot(options, dataOf(firstLayout), element)
}

/** Repaints the plot with a new layout of the same structure. */
export function repaint(plot: uPlot, layout: PaneLayout): void {
  const { range, view, widthPx, heightPx } = layout
  plot.batch(() => {
    if (plot.width !== widthPx || plot.height !== heightPx) plot.setSize({ width: widthPx, height: heightPx })
    view.series.forEach((one, at) => Object.assign(plot.series[at + 1], lineOf(one)))
    plot.setData(dataOf(layout), false)
    for (const side of sides) {
      const [min, max] = view.axes[side]?.bounds ?? [0, 1]
      plot.setScale(side, { min, max })
    }
    plot.redraw(true, true)
    // A redraw reads the current range, so the new range must be set after it.
    plot.setScale('x', { min: range.startMs, max: range.endMs })
  })
}

/** Disables uPlot's own cursor listeners, because the chart moves the cross-hair of all panes. */
const noListener = () => null
const cursorOptions: uPlot.Cursor = {
  y: false,
  points: { show: false },
  drag: { x: false, y: false, setScale: false },
  dataIdx: () => null as unknown as number,
  bind: {
    mousedown: noListener,
    mouseup: noListener,
    click: noListener,
    dblclick: noListener,
    mousemove: noListener,
    mouseleave: noListener,
    mouseenter: noListener,
  },
}

/** Moves the cross-hair to a time; null hides it. */
export function placeCursor(plot: uPlot, timeMs: number | null): void {
  const left = timeMs === null ? -1 : plot.valToPos(timeMs, 'x')
  const isShown = left >= 0 && left <= plot.bbox.width / devicePixelRatio
  plot.root.classList.toggle('has-cursor', isShown)
  plot.setCursor({ left: isShown ? left : -10, top: 0 }, false)
}

/** Placeholder for a pane without series, because mode 2 takes the time scale from the first series. */
const noSeries: uPlot.Series = { show: false, facets: facetsOn('left') }
const NO_POINTS = [new Float64Array(0), new Float64Array(0)]

function facetsOn(side: Side): uPlot.Series.Facet[] {
  return [
    { scale: 'x', auto: false, sorted: 1 },
    { scale: side, auto: false },
  ]
}

function dataOf({ view }: PaneLayout): uPlot.AlignedData {
  const all = view.series.map(({ candles, points }) =>
    candles
      ? [candles.times.subarray(0, candles.count), candles.close.subarray(0, candles.count)]
      : [points.times, points.values],
  )
  // uPlot's type covers only mode 1, in which all series share their times.
  return [null, ...(all.length ? all : [NO_POINTS])] as unknown as uPlot.AlignedData
}

function scaleOptions(side: Side, current: () => PaneLayout): uPlot.Scale {
  const scale = () => current().view.axes[side]?.scale
  return {
    auto: false,
    // A linear scale is left to uPlot, which calls our functions for each value of any other scale.
    distr: current().view.pane.scale === 'linear' ? 1 : 100,
    fwd: (value) => scale()?.forward(value) ?? value,
    bwd: (place) => scale()?.backward(place) ?? place,
    range: () => [...(current().view.axes[side]?.bounds ?? [0, 1])] as [number, number],
  }
}

function axisOptions(firstLayout: PaneLayout, current: () => PaneLayout): uPlot.Axis[] {
  const line = () => current().colours.line
  const shared: uPlot.Axis = {
    font: FONT,
    gap: 5,
    stroke: () => current().colours.textFaint,
    grid: { stroke: line, width: 1 },
    ticks: { stroke: line, width: 1, size: 4 },
  }
  const times: uPlot.Axis = {
    ...shared,
    scale: 'x',
    size: () => current().bottomPx,
    lineGap: 1.35,
    ticks: { ...shared.ticks, show: firstLayout.bottomPx > 0 },
    splits: () => current().ticks.map(({ timeMs }) => timeMs),
    values: (plot) => timeLabels(plot, current()),
  }
  const values = (side: Side): uPlot.Axis => ({
    ...shared,
    show: (side === 'left' ? firstLayout.leftPx : firstLayout.rightPx) > 0,
    scale: side,
    side: side === 'left' ? 3 : 1,
    size: () => (side === 'left' ? current().leftPx : current().rightPx),
    // The right axis draws a grid only if there is no left axis, because one grid is enough.
    grid: { ...shared.grid, show: side === 'left' || !firstLayout.view.axes.left },
    splits: () => [...(current().view.axes[side]?.ticks ?? [])],
    values: () => valueLabels(current(), side),
  })
  return [times, values('left'), values('right')]
}

/** Returns the labels of an axis of values, without those that a mark of a last value would cover in part. */
function valueLabels(layout: PaneLayout, side: Side): string[] {
  const axis = layout.view.axes[side]
  return axis ? labelsBeside(axis, lastMarksOf(layout), layout.range, plotBoxOf(layout)) : []
}

const lastMarksByLayout = new WeakMap<PaneLayout, LastMark[]>()

/** Returns the marks of the last values of a layout, cached by layout. */
function lastMarksOf(layout: PaneLayout): LastMark[] {
  if (!layout.hasMarks) return []
  const marks = lastMarksByLayout.get(layout) ?? lastMarks(layout.view, layout.range, plotBoxOf(layout))
  lastMarksByLayout.set(layout, marks)
  return marks
}

function timeLabels(plot: uPlot, { ticks, bottomPx, widthPx }: PaneLayout): string[] {
  if (bottomPx === 0) return ticks.map(() => '')
  return timeLabelsAt(ticks, (timeMs) => plot.bbox.left / devicePixelRatio + plot.valToPos(timeMs, 'x'), widthPx)
}

/**
 * Number of points beyond which a line is one pixel wide, because a wider line would look the same but take 20 to 40
 * times as long to paint.
 */
const MOST_WIDE_POINTS = 500

const lineOf = (one: PaneView['series'][number]) => ({
  width: one.candles || one.points.times.length > MOST_WIDE_POINTS ? 1 : 1.4,
})

function seriesOptions(at: number, current: () => PaneLayout): uPlot.Series {
  const view = () => current().view.series[at]
  return {
    auto: false,
    facets: facetsOn(view().side),
    pxAlign: 0,
    ...lineOf(view()),
    stroke: () => seriesColour(current().colours, view().series.colour),
    // uPlot need not find gaps, because our paths leave them out already. No `fill` is set, because uPlot would then
    // fill lines too; our paths fill areas themselves.
    spanGaps: true,
    points: { show: false },
    paths: (plot, series) => {
      const { colours, range } = current()
      if (isMadeOfShapes(view())) return null
      const runs = view().style === 'line' ? runsOf(view().points) : null
      if (runs) return { stroke: linePath(plot, series, view().points, runs), flags: 0 }
      const axis = current().view.axes[view().side]!
      return seriesPaths(view(), plotIn(plot.bbox, range, axis, devicePixelRatio), colours)
    },
  }
}

const drawRun = uPlot.paths.linear!()
/**
 * Maximum number of runs in a line that uPlot draws; lines with more are drawn by `seriesPaths`, because uPlot builds a
 * path for each run.
 */
const MOST_RUNS = 40

/**
 * Returns the runs of values between the gaps of a line, as pairs of indexes, one after the other; null if there are
 * too many.
 */
function runsOf({ values }: Points): number[] | null {
  const runs: number[] = []
  let from = 0
  for (let at = 0; at <= values.length; at += 1) {
    // NaN marks a gap; after the last point the value is undefined.
    if (at < values.length && !Number.isNaN(values[at])) continue
    if (at > from) runs.push(from, at)
    if (runs.length > 2 * MOST_RUNS) return null
    from = at + 1
  }
  return runs
}

/** Draws a line run by run, because uPlot handles gaps by clipping, which cuts off line ends. */
function linePath(plot: uPlot, series: number, { times, values }: Points, runs: readonly number[]): Path2D {
  const runPath = (from: number, to: number) => drawRun(plot, series, from, to - 1)!.stroke as Path2D
  if (runs.length === 2 && runs[1] - runs[0] > 1) return runPath(runs[0], runs[1])
  const path = new Path2D()
  for (let at = 0; at < runs.length; at += 2) {
    const [from, to] = [runs[at], runs[at + 1]]
    if (to - from > 1) path.addPath(runPath(from, to))
    else {
      // A point without neighbours becomes a short dash.
      const x = plot.valToPos(times[from], 'x', true)
      const y = plot.valToPos(values[from], plot.series[series].facets![1].scale, true)
      path.moveTo(x - devicePixelRatio, y)
      path.lineTo(x + devicePixelRatio, y)
    }
  }
  return path
}

function paintBehind(plot: uPlot, { bands, shades, range, colours, view }: PaneLayout): void {
  const paneBands = bands.filter(({ paneId }) => paneId === undefined || paneId === view.pane.id)
  paintBands(plot.ctx, paneBands, range, plot.bbox, devicePixelRatio, colours)
  const pxPerMs = plot.bbox.width / (range.endMs - range.startMs)
  const x = (timeMs: number) => plot.bbox.left + (timeMs - range.startMs) * pxPerMs
  paintShades(filler(plot.ctx), shades, { ...plot.bbox, x, pixel: devicePixelRatio }, colours)
}

/** Returns a function that fills paths on a canvas. */
const filler = (context: CanvasRenderingContext2D) => (colour: string, draw: (sink: Path2D) => void) => {
  const path = new Path2D()
  draw(path)
  context.fillStyle = colour
  context.fill(path)
}

/** Paints the filled areas over the grid and behind the lines. */
function paintFilled(plot: uPlot, { view, range, colours }: PaneLayout): void {
  if (view.series.every(({ series }) => !series.fill)) return
  const { ctx, bbox } = plot
  ctx.save()
  ctx.beginPath()
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height)
  ctx.clip()
  paintFills(filler(ctx), view, (side) => plotIn(bbox, range, view.axes[side]!, devicePixelRatio), colours)
  ctx.restore()
}

function paintSeriesShapes(plot: uPlot, { range, colours, view }: PaneLayout, at: number): void {
  const one = view.series.at(at)
  const axis = one && view.axes[one.side]
  if (one && axis && isMadeOfShapes(one))
    paintShapes(plot.ctx, one, plotIn(plot.bbox, range, axis, devicePixelRatio), plot.bbox, colours)
}

function paintOver(plot: uPlot, layout: PaneLayout): void {
  const { range, colours, view } = layout
  paintCutMarks(plot.ctx, view, (side) => plotIn(plot.bbox, range, view.axes[side]!, devicePixelRatio), colours)
  paintLastMarks(plot.ctx, layout)
  paintEndNames(plot.ctx, layout)
}

/** Paints the names of lines beside the plot: a dash in the colour of the line, and what tells it from the others. */
function paintEndNames(context: CanvasRenderingContext2D, layout: PaneLayout): void {
  const { namesPx, colours, widthPx, view, range } = layout
  if (namesPx === 0) return
  context.save()
  context.scale(devicePixelRatio, devicePixelRatio)
  context.font = FONT
  context.textBaseline = 'middle'
  context.textAlign = 'left'
  const left = widthPx - namesPx
  const { dashPx, dashWidthPx, textPx } = nameMarks
  for (const { text, yPx, colour } of endNames(view, range, plotBoxOf(layout))) {
    context.fillStyle = seriesColour(colours, colour)
    context.fillRect(left + dashPx, Math.round(yPx) - 1, dashWidthPx, 2)
    context.fillStyle = colours.textSoft
    context.fillText(text, left + textPx, Math.round(yPx))
  }
  context.restore()
}

/** Space between a mark and the outer edge of its axis. */
export const MARK_EDGE_PX = 1
/** Widths of the borders of a mark; the wide one is next to the plot. */
const [THIN_PX, WIDE_PX] = [1, 3]
const MARK_PADDING_PX = 3

/** Returns the least width of a mark on an axis; a value with more digits than the ticks reaches into the plot. */
export const markWidthPx = (axisPx: number): number => axisPx - MARK_EDGE_PX - WIDE_PX

/**
 * Paints the last values on the axes. They are painted on the canvas, because HTML elements would make the browser lay
 * out the page at each turn of the wheel.
 */
function paintLastMarks(context: CanvasRenderingContext2D, layout: PaneLayout): void {
  context.save()
  context.scale(devicePixelRatio, devicePixelRatio)
  context.font = FONT
  context.textBaseline = 'middle'
  for (const mark of lastMarksOf(layout)) paintLastMark(context, mark, layout)
  context.restore()
}

function paintLastMark(
  context: CanvasRenderingContext2D,
  { side, yPx, text, colour }: LastMark,
  { colours, widthPx, leftPx, rightPx, namesPx }: PaneLayout,
): void {
  const isLeft = side === 'left'
  const paddedTextPx = Math.ceil(context.measureText(text).width) + 2 * MARK_PADDING_PX
  const width = Math.max(markWidthPx(isLeft ? leftPx : rightPx), paddedTextPx + THIN_PX + WIDE_PX)
  const left = isLeft ? MARK_EDGE_PX : widthPx - namesPx - MARK_EDGE_PX - width
  const top = Math.round(yPx - MARK_PX / 2)
  fillRounded(context, { left, top, width, height: MARK_PX }, 2, seriesColour(colours, colour))
  const inner = {
    left: left + (isLeft ? THIN_PX : WIDE_PX),
    top: top + THIN_PX,
    width: width - THIN_PX - WIDE_PX,
    height: MARK_PX - 2 * THIN_PX,
  }
  fillRounded(context, inner, 1, colours.canvas)
  context.fillStyle = colours.text
  context.textAlign = isLeft ? 'right' : 'left'
  const textX = isLeft ? inner.left + inner.width - MARK_PADDING_PX : inner.left + MARK_PADDING_PX
  context.fillText(text, textX, top + MARK_PX / 2)
}

function fillRounded(context: CanvasRenderingContext2D, box: Box, radiusPx: number, colour: string): void {
  context.beginPath()
  context.roundRect(box.left, box.top, box.width, box.height, radiusPx)
  context.fillStyle = colour
  context.fill()
}
