import { numberColumn, textColumn, timeColumn, type Column, type Frame } from '#shared/contract/frame.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import { formatTime } from '#shared/units/instants.ts'
import { axisUnit, numberFormat, type NumberKind } from '#shared/units/numberKinds.ts'
import { endNamesPx, endTexts, hasRoomForNames, nameMarks, spreadMarks } from '../axisMarks.ts'
import { axisBounds, tickLabels, oneLineLabel, timeTicks, type ValueScale, valueScale, valueTicks } from '../axes.ts'
import { type ChartColours, seriesColour } from '../chartColours.ts'
import { BOX_ALPHA, boxPlaces, type BoxSinks, drawBoxes } from '#shared/overview/boxes.ts'
import { drawFill } from '#shared/overview/fill.ts'
import { drawArea, drawBars, drawLine, drawPoints, type PathSink } from '#shared/overview/marks.ts'
import { type Flags, placedFlags } from '#shared/overview/flags.ts'
import type { Shade } from '#shared/overview/shade.ts'
import type { SeriesStyle } from '#shared/workspace/chartStyle.ts'
import { type CandleSinks, drawCandles, paintFill, paintShades, type Plot, withAlpha } from '../marks.ts'
import type { ReportSeries } from '#shared/report/reportContent.ts'
import { reduceRows } from '../reduce.ts'
import { textPx } from '../textWidth.ts'

/** Horizontal axis of a figure: names side by side, numbers, or times. */
type FigureAxis =
  | {
      kind: 'names'
      labels: readonly string[]
      title?: string
      /** Full names, if the labels are shortened. */
      fullNames?: readonly string[]
    }
  /** Number axis; integers unless a number kind is given. */
  | { kind: 'numbers'; title?: string; values?: NumberKind }
  | { kind: 'times' }

/**
 * One series of a figure. `x` has the positions on the horizontal axis, which are integers from 0 on an axis of names.
 * NaN stands for a missing value.
 */
export interface FigureMark {
  /** `waterfall` draws each amount from the sum of those before it, and the last one, their total, from 0. */
  kind: 'line' | 'bars' | 'points' | 'band' | 'intervals' | 'candles' | 'boxes' | 'waterfall'
  label: string
  /** Index of the series colour; `soft` for a comparison, `accent` for emphasis. */
  colour: number | 'soft' | 'accent'
  x: Float64Array
  /** Values of lines, bars and points, and closes of candles. */
  y?: Float64Array
  /** Names of single points, under which they are read out. */
  names?: readonly string[]
  /** Opens of candles. */
  open?: Float64Array
  /** Bounds of bands, intervals and candles, and of the whiskers of boxes, whose values are their medians. */
  low?: Float64Array
  high?: Float64Array
  /** Ends of boxes. */
  lower?: Float64Array
  upper?: Float64Array
  /** Time from one candle to the next. */
  widthMs?: number
  widthPx?: number
  /** Fraction of the usual width of bars, for those that stand beside others. */
  share?: number
  /** Shape of the values of a line as the workbench draws it; a plain line by default. */
  style?: Exclude<SeriesStyle, 'candles'>
  /** What the area between a line and this is filled to: a level, or another mark of the figure by its place. */
  fill?: ReportSeries['fill']
  /** Duration of a step or bar of a styled line. */
  stepMs?: number | null
  /** True for a line that is read against the others, such as a mean or a limit. */
  isDashed?: true
  /** True to paint a line pale, as background to the others. */
  isFaint?: boolean
  /** Distance from its place at which the mark is drawn, as a share of the distance of two places. */
  offset?: number
}

/** A small chart as data, which the screen and the SVG export paint alike. */
export interface Figure {
  axis: FigureAxis
  /** Number kind of the values. */
  kind: NumberKind
  marks: readonly FigureMark[]
  /** Value of the baseline, such as 0 or 1, which the axis always includes; null if there is no baseline. */
  baseline: number | null
  /** Least room for the labels of the values, so that charts below each other share one time axis. */
  leastLeftPx?: number
  /** Least room for the names at the ends of lines, likewise. */
  leastNamesPx?: number
  /** Events over the marks. */
  flags?: readonly (Flags & { colour: number })[]
  /** States behind the marks. */
  shades?: readonly Pick<Shade, 'label' | 'colour' | 'spans'>[]
  /** True for a logarithmic value axis, whose values must be positive; it has no baseline. */
  isLog?: boolean
}

/** Target of painting: a canvas or an SVG. */
export interface FigureTarget {
  fill(colour: string, draw: (sink: PathSink) => void): void
  stroke(style: { colour: string; widthPx: number; dash?: readonly number[] }, draw: (sink: PathSink) => void): void
  text(text: string, at: { x: number; y: number; colour: string; align: 'left' | 'center' | 'right' }): void
}

interface FigureSize {
  widthPx: number
  heightPx: number
}

/** Mapping of the values of a figure to the pixels of a target. */
interface FigurePlot {
  left: number
  top: number
  width: number
  height: number
  x(value: number): number
  y(value: number): number
  /** Returns the value of the horizontal axis at a pixel. */
  xAt(px: number): number
  yAt(px: number): number
  /** Width beside the plot for the names at the ends of lines. */
  namesPx: number
  /** Distance between neighbouring positions. */
  stepPx: number
  ticks: { value: number; label: string }[]
}

const LEAST_LEFT_PX = 30
const LETTER_PX = 6.7
const EDGE_PX = 8
const AXIS_PX = 20
const TITLE_PX = 14
const VALUE_TICK_PX = 34

/** Lays out a figure; null if it has nothing to show. */
export function figurePlot(figure: Figure, { widthPx, heightPx }: FigureSize): FigurePlot | null {
  const scale = valueScale(figure.isLog ? 'log' : 'linear')
  const bounds = valueBounds(figure, scale)
  const xs = axisRange(figure)
  if (!bounds || !xs || widthPx <= 0) return null
  const top = EDGE_PX
  const height = Math.max(1, heightPx - top - AXIS_PX - (titleOf(figure) ? TITLE_PX : 0))
  const tickValues = valueTicks(scale, bounds, Math.max(2, Math.floor(height / VALUE_TICK_PX)))
  const shownTicks = figure.kind === 'count' ? tickValues.filter(Number.isInteger) : tickValues
  const labels = tickLabels(shownTicks, figure.kind).map((label) => label + unitOf(figure))
  const leftPx = Math.max(
    figure.leastLeftPx ?? LEAST_LEFT_PX,
    Math.max(...labels.map((label) => label.length), 0) * LETTER_PX + 12,
  )
  const texts = figure.axis.kind === 'names' ? [] : endTexts(linesOf(figure))
  const namesPx = hasRoomForNames(widthPx) ? Math.max(figure.leastNamesPx ?? 0, endNamesPx(texts, widthPx)) : 0
  const width = Math.max(1, widthPx - leftPx - EDGE_PX - namesPx)
  const pxPerX = width / (xs.end - xs.start)
  const [low, high] = bounds.map(scale.forward)
  const pxPerY = height / (high - low)
  return {
    left: leftPx,
    top,
    width,
    height,
    namesPx,
    x: (value) => leftPx + (value - xs.start) * pxPerX,
    y: (value) => top + (high - scale.forward(value)) * pxPerY,
    xAt: (px) => xs.start + (px - leftPx) / pxPerX,
    yAt: (px) => scale.backward(high - (px - top) / pxPerY),
    stepPx: xs.step * pxPerX,
    ticks: shownTicks.map((value, at) => ({ value, label: labels[at] })),
  }
}

/** Lines that are read for themselves; a dashed one, such as a mean, only for the others. */
const linesOf = ({ marks }: Figure): FigureMark[] =>
  marks.filter(({ kind, isDashed, isFaint }) => kind === 'line' && !isDashed && !isFaint)

/** Writes the names of lines beside the plot, each with a dash in the colour of its line. */
function paintEndNames(figure: Figure, plot: FigurePlot, colours: ChartColours, target: FigureTarget): void {
  if (plot.namesPx === 0) return
  const lines = linesOf(figure)
  const texts = endTexts(lines)
  const names = lines.flatMap((mark, at) => {
    const { y = new Float64Array(0) } = mark
    const last = y.findLastIndex((value) => !Number.isNaN(value))
    return last < 0 || !texts.at(at) ? [] : [{ text: texts[at], yPx: plot.y(y[last]), colour: colourOf(colours, mark) }]
  })
  const left = plot.left + plot.width + EDGE_PX
  for (const { text, yPx, colour } of spreadMarks(names, plot)) {
    const y = Math.round(yPx)
    target.fill(colour, (sink) => sink.rect(left + nameMarks.dashPx, y - 1, nameMarks.dashWidthPx, 2))
    target.text(text, { x: left + nameMarks.textPx, y, colour: colours.textSoft, align: 'left' })
  }
}

/** Returns the unit suffix; fractions are shown in per cent. */
const unitOf = ({ kind }: Figure): string => (axisUnit(kind) === '' ? '' : ` ${axisUnit(kind)}`)

const titleOf = ({ axis }: Figure): string => (axis.kind === 'times' ? '' : (axis.title ?? ''))

function valueBounds({ marks, baseline }: Figure, scale: ValueScale): readonly [number, number] | null {
  let [low, high] = [Infinity, -Infinity]
  for (const { kind, y, low: lows, high: highs } of marks)
    for (const values of kind === 'waterfall' ? waterfallEnds(y) : [y, lows, highs])
      for (const value of values ?? []) {
        if (value < low) low = value
        if (value > high) high = value
      }
  if (!(low <= high)) return null
  if (baseline === null) return axisBounds(scale, [low, high], false)
  const [from, to] = [Math.min(low, baseline), Math.max(high, baseline)]
  const margin = (to - from) * 0.06 || Math.abs(baseline) * 0.01 || 1
  return [from < baseline || from === to ? from - margin : from, to > baseline || from === to ? to + margin : to]
}

/** Where each bar of a waterfall starts and ends; a missing amount counts as 0. */
export function waterfallEnds(amounts: Float64Array = new Float64Array(0)): [from: Float64Array, to: Float64Array] {
  const from = new Float64Array(amounts.length)
  const to = new Float64Array(amounts.length)
  let sum = 0
  amounts.forEach((amount, at) => {
    const value = Number.isNaN(amount) ? 0 : amount
    from[at] = at === amounts.length - 1 ? 0 : sum
    to[at] = from[at] + value
    sum += value
  })
  return [from, to]
}

/** Finds the range of the horizontal axis and the distance between neighbouring positions; null without positions. */
function axisRange({ axis, marks }: Figure): { start: number; end: number; step: number } | null {
  if (axis.kind === 'names')
    return axis.labels.length === 0 ? null : { start: -0.5, end: axis.labels.length - 0.5, step: 1 }
  let [first, last] = [Infinity, -Infinity]
  let step = Infinity
  let widest = 0
  for (const { x, widthMs, stepMs = 0 } of marks) {
    if (widthMs && x.length > 0) {
      step = Math.min(step, widthMs)
      widest = Math.max(widest, widthMs)
    }
    for (let at = 0; at < x.length; at += 1) {
      if (x[at] < first) first = x[at]
      if (x[at] + (stepMs ?? 0) > last) last = x[at] + (stepMs ?? 0)
      if (!widthMs && at > 0 && x[at] - x[at - 1] < step) step = x[at] - x[at - 1]
    }
  }
  if (!(first <= last)) return null
  // An instant alone stands in its day, because an axis of a millisecond says nothing.
  const width = Number.isFinite(step) ? step : axis.kind === 'times' ? MS_PER_DAY : 1
  const hasBars = marks.some(({ kind }) => kind === 'bars' || kind === 'candles' || kind === 'waterfall')
  const margin = hasBars || first === last ? Math.max(width, widest) / 2 : 0
  return { start: first - margin, end: last + margin, step: width }
}

/** Paints a figure, with a vertical line at the position `cursor`, such as the one under the pointer. */
export function paintFigure(
  figure: Figure,
  size: FigureSize,
  colours: ChartColours,
  target: FigureTarget,
  cursor: number | null = null,
): FigurePlot | null {
  const plot = figurePlot(figure, size)
  if (!plot) return null
  const { left, top, width, height } = plot
  paintShades((colour, draw) => target.fill(colour, draw), figure.shades ?? [], { ...plot, pixel: 1 }, colours)
  for (const { value, label } of plot.ticks) {
    const y = Math.round(plot.y(value))
    target.fill(colours.line, (sink) => sink.rect(left, y, width, 1))
    target.text(label, { x: left - 6, y, colour: colours.textFaint, align: 'right' })
  }
  paintAxis(figure, plot, colours, target)
  for (const mark of figure.marks) paintMarkFill(figure, mark, plot, colours, target)
  for (const mark of figure.marks) paintMark(figure, mark, plot, colours, target)
  const edges = { x: plot.x, fromPx: left, toPx: left + width, letterPx: LETTER_PX }
  for (const { of, x, text, align } of placedFlags(figure.flags ?? [], edges)) {
    target.fill(seriesColour(colours, of.colour), (sink) => sink.rect(Math.round(x), top, 1, height))
    if (text === '') continue
    // Bars and lines behind a text would make it hard to read.
    const backPx = text.length * LETTER_PX + 4
    target.fill(colours.canvas, (sink) => sink.rect(align === 'left' ? x + 2 : x - 2 - backPx, top, backPx, 15))
    target.text(text, { x: align === 'left' ? x + 4 : x - 4, y: top + 8, colour: colours.text, align })
  }
  paintEndNames(figure, plot, colours, target)
  if (figure.baseline !== null) {
    const y = Math.round(plot.y(figure.baseline))
    target.fill(colours.lineStrong, (sink) => sink.rect(left, y, width, 1))
  }
  if (cursor !== null) target.fill(colours.textFaint, (sink) => sink.rect(Math.round(plot.x(cursor)), top, 1, height))
  return plot
}

const NAME_GAP_PX = 10
/** Fraction of the step from bar to bar that a bar takes. */
export const BAR_SHARE = 0.72

function paintAxis(figure: Figure, plot: FigurePlot, colours: ChartColours, target: FigureTarget): void {
  const y = plot.top + plot.height + 11
  const colour = colours.textFaint
  for (const { value, label } of axisTicks(figure, plot)) {
    // A long name of the first or last place would be cut off at the edge.
    const halfPx = textPx(label) / 2
    const x = Math.max(halfPx, Math.min(plot.x(value), plot.left + plot.width + EDGE_PX - halfPx))
    target.text(label, { x, y, colour, align: 'center' })
  }
  const title = titleOf(figure)
  if (title) target.text(title, { x: plot.left + plot.width / 2, y: y + TITLE_PX, colour, align: 'center' })
}

/** Every how many names are written, so that no two meet. */
function nameStep(labels: readonly string[], stepPx: number): number {
  const widestPx = Math.max(...labels.map(textPx)) + NAME_GAP_PX
  return Math.max(1, Math.ceil(widestPx / stepPx))
}

/** Leaves the counted word to the first of names such as “1 bar”, “6 bars”, “24 bars”, so that more of them fit. */
function withoutRepeatedWord(labels: readonly string[]): readonly string[] {
  const parts = labels.map((label) => /^([\d.,]+) (\p{L}+?)s?$/u.exec(label))
  const isCounted = parts.every((part) => part !== null && part[2] === parts[0]?.[2])
  return isCounted ? parts.map((part, at) => (at === 0 ? labels[0] : part![1])) : labels
}

function axisTicks({ axis }: Figure, plot: FigurePlot): { value: number; label: string }[] {
  const { left, width } = plot
  if (axis.kind === 'names') {
    const all = axis.labels.map((label, value) => ({ value, label }))
    if (nameStep(axis.labels, plot.stepPx) === 1) return all
    const labels = withoutRepeatedWord(axis.labels)
    const labelStep = nameStep(labels, plot.stepPx)
    return all.map(({ value }) => ({ value, label: labels[value] })).filter(({ value }) => value % labelStep === 0)
  }
  const ends = [plot.xAt(left), plot.xAt(left + width)] as const
  if (axis.kind === 'numbers') {
    const leastStep = axis.values ? 0 : 1
    const ticks = valueTicks(valueScale('linear'), ends, Math.max(2, Math.floor(width / 60)), leastStep)
    const labels = tickLabels(ticks, axis.values ?? 'count')
    return ticks.map((value, at) => ({ value, label: labels[at] }))
  }
  const range = { startMs: ends[0], endMs: ends[1] }
  return timeTicks(range, 'utc', Math.max(2, Math.floor(width / 100)))
    .map((tick) => ({ value: tick.timeMs, label: oneLineLabel(tick) }))
    .filter(({ value, label }) => {
      const halfPx = textPx(label) / 2
      return plot.x(value) - halfPx >= 0 && plot.x(value) + halfPx <= left + width + EDGE_PX
    })
}

export const colourOf = (colours: ChartColours, { colour }: Pick<FigureMark, 'colour'>): string =>
  colour === 'soft' ? colours.textFaint : colour === 'accent' ? colours.accent : seriesColour(colours, colour)

/** Dash pattern of a line that is read against the others, in pixels. */
export const FIGURE_DASH: readonly number[] = [7, 3]

function paintMark(
  figure: Figure,
  mark: FigureMark,
  unmovedPlot: FigurePlot,
  colours: ChartColours,
  target: FigureTarget,
): void {
  const plot = movedPlot(unmovedPlot, mark)
  const colour = colourOf(colours, mark)
  const { x, y: values = new Float64Array(0), low = new Float64Array(0), high = new Float64Array(0) } = mark
  if (mark.kind === 'band') return target.fill(withAlpha(colour, 0.18), (sink) => drawBand(x, low, high, plot, sink))
  if (mark.kind === 'intervals')
    return target.stroke({ colour, widthPx: 1.5 }, (sink) => drawIntervals(x, low, high, plot, sink))
  if (mark.kind === 'candles') return paintCandles(figure, mark, plot, colours, target)
  if (mark.kind === 'boxes') return paintBoxes(figure, mark, plot, colour, target)
  if (mark.kind === 'line' && mark.style) return paintStyled(figure, mark, plot, colour, target)
  if (mark.kind === 'line') {
    const style = {
      colour: mark.isFaint ? withAlpha(colour, 0.45) : colour,
      widthPx: mark.widthPx ?? 1.5,
      dash: mark.isDashed ? FIGURE_DASH : [],
    }
    return target.stroke(style, (sink) => drawFigureLine(x, values, plot, sink))
  }
  const widthPx = Math.max(1, plot.stepPx * (plot.stepPx > 4 ? BAR_SHARE : 1) * (mark.share ?? 1))
  if (mark.kind === 'waterfall') return paintWaterfall(x, values, { plot, widthPx, colours }, target)
  const baselineY = plot.y(figure.baseline ?? 0)
  target.fill(mark.kind === 'bars' ? withAlpha(colour, mark.isFaint ? 0.45 : 0.75) : colour, (sink) =>
    values.forEach((value, at) => {
      if (Number.isNaN(value)) return
      const [px, py] = [plot.x(x[at]), plot.y(value)]
      if (mark.kind === 'points') sink.rect(px - 2.5, py - 2.5, 5, 5)
      else sink.rect(px - widthPx / 2, Math.min(py, baselineY), widthPx, Math.max(0.5, Math.abs(py - baselineY)))
    }),
  )
}

/** Fills the area between a line and what it is filled to. */
function paintMarkFill(
  { marks, isLog }: Figure,
  mark: FigureMark,
  plot: FigurePlot,
  colours: ChartColours,
  target: FigureTarget,
): void {
  if (!mark.fill || mark.kind !== 'line') return
  const lineOf = ({ x, y = new Float64Array(0), style = 'line', stepMs = null }: FigureMark) => ({
    ...{ style, stepMs, points: drawnPoints(x, y, plot) },
  })
  const other = 'level' in mark.fill ? mark.fill.level : marks[mark.fill.series]
  const tints =
    typeof other === 'number'
      ? { above: colours.positive, below: colours.negative }
      : { above: colourOf(colours, mark), below: colourOf(colours, other) }
  paintFill(
    (colour, draw) => target.fill(colour, draw),
    tints,
    (sinks) => drawFill(lineOf(mark), typeof other === 'number' ? other : lineOf(other), chartPlot(isLog, plot), sinks),
  )
}

/** Paints gains and losses in their colours, each joined to the next by a line. */
function paintWaterfall(
  x: Float64Array,
  amounts: Float64Array,
  { plot, widthPx, colours }: { plot: FigurePlot; widthPx: number; colours: ChartColours },
  target: FigureTarget,
): void {
  const [from, to] = waterfallEnds(amounts)
  const bars = (isGain: boolean) => (sink: PathSink) =>
    amounts.forEach((amount, at) => {
      if (amount === 0 || Number.isNaN(amount) || amount > 0 !== isGain) return
      const [start, end] = [plot.y(from[at]), plot.y(to[at])]
      sink.rect(plot.x(x[at]) - widthPx / 2, Math.min(start, end), widthPx, Math.max(1, Math.abs(start - end)))
    })
  target.fill(withAlpha(colours.positive, 0.8), bars(true))
  target.fill(withAlpha(colours.negative, 0.8), bars(false))
  target.fill(colours.textFaint, (sink) => {
    for (let at = 0; at + 1 < to.length; at++)
      sink.rect(plot.x(x[at]) + widthPx / 2, Math.round(plot.y(to[at])), plot.stepPx - widthPx, 1)
  })
}

/** Returns the plot in which a mark is drawn beside its places. */
const movedPlot = (plot: FigurePlot, { offset = 0 }: FigureMark): FigurePlot =>
  offset === 0 ? plot : { ...plot, x: (value) => plot.x(value) + offset * plot.stepPx }

/** Returns the plot of a figure as the shapes of the workbench need it. */
function chartPlot(isLog: boolean | undefined, { x, y, top, height }: FigurePlot): Plot {
  const bottomY = top + height
  return {
    x,
    y,
    baseY: isLog ? bottomY : Math.min(bottomY, Math.max(top, y(0))),
    bottomY,
    heightPx: height,
    pixel: 1,
    scale: valueScale(isLog ? 'log' : 'linear'),
  }
}

/** Paints boxes with their whiskers; those of several series stand beside each other. */
function paintBoxes(
  { marks, axis }: Figure,
  mark: FigureMark,
  plot: FigurePlot,
  colour: string,
  target: FigureTarget,
): void {
  const { x, y: median, low, lower, upper, high } = mark
  if (!median || !low || !lower || !upper || !high) return
  const groups = axis.kind === 'names' ? axis.labels.length : x.length
  const place = boxPlaces(groups, { at: marks.indexOf(mark), count: marks.length }, plot.width)
  const noSink: PathSink = { moveTo() {}, lineTo() {}, rect() {} }
  const draw = (sinks: Partial<BoxSinks>) =>
    drawBoxes(
      { low, lower, median, upper, high },
      (row) => ({ x: plot.x(x[row]) + place.offsetPx, widthPx: place.widthPx }),
      plot.y,
      { boxes: noSink, lines: noSink, ...sinks },
    )
  target.fill(withAlpha(colour, BOX_ALPHA), (boxes) => draw({ boxes }))
  target.stroke({ colour, widthPx: 1.25 }, (lines) => draw({ lines }))
}

/** Paints values with their style in the workbench. */
function paintStyled(
  { isLog }: Figure,
  { x, y = new Float64Array(0), style = 'line', stepMs = null, widthPx = 1.5 }: FigureMark,
  plot: FigurePlot,
  colour: string,
  target: FigureTarget,
): void {
  const view = { style, stepMs, points: drawnPoints(x, y, plot) }
  const place = chartPlot(isLog, plot)
  if (style === 'bar') return target.fill(withAlpha(colour, 0.75), (sink) => drawBars(view, place, sink))
  if (style === 'points') return target.fill(colour, (sink) => drawPoints(view, place, sink))
  if (style === 'area') target.fill(withAlpha(colour, 0.2), (sink) => drawArea(view, place, sink))
  target.stroke({ colour, widthPx }, (sink) => drawLine(view, place, sink))
}

/** Reduces values to the points that a line of this width needs. */
function drawnPoints(x: Float64Array, y: Float64Array, plot: FigurePlot) {
  const valid = Uint8Array.from(y, (value) => (Number.isNaN(value) ? 0 : 1))
  const range = { startMs: x[0] ?? 0, endMs: (x.at(-1) ?? 0) + 1e-9 }
  return reduceRows({ times: x, values: y, valid }, range, null, plot.width)
}

/** Paints candles around the times at which they begin, with their colours in the workbench. */
function paintCandles(
  { isLog }: Figure,
  { x: times, open, high, low, y: close, widthMs = 0 }: FigureMark,
  plot: FigurePlot,
  colours: ChartColours,
  target: FigureTarget,
): void {
  if (!open || !high || !low || !close) return
  const prices = { times, open, high, low, close, volume: null, count: times.length, widthMs }
  const place = { ...chartPlot(isLog, plot), x: (timeMs: number) => plot.x(timeMs - widthMs / 2) }
  const noSink: PathSink = { moveTo() {}, lineTo() {}, rect() {} }
  const noSinks = { wicks: noSink, rising: noSink, falling: noSink, volume: noSink }
  const draw = (sinks: Partial<CandleSinks>) => drawCandles(prices, place, { ...noSinks, ...sinks })
  target.stroke({ colour: colours.textFaint, widthPx: 1 }, (wicks) => draw({ wicks }))
  target.fill(colours.canvas, (rising) => draw({ rising }))
  target.stroke({ colour: colours.positive, widthPx: 1 }, (rising) => draw({ rising }))
  target.fill(colours.negative, (falling) => draw({ falling }))
}

/** Length of the dash that stands for a value without neighbours, which no line reaches. */
const LONE_PX = 5

function drawFigureLine(x: Float64Array, y: Float64Array, plot: FigurePlot, sink: PathSink): void {
  const points = drawnPoints(x, y, plot)
  let isDown = false
  const isMissing = (at: number) => Number.isNaN(points.values[at] ?? NaN)
  points.values.forEach((value, at) => {
    if (Number.isNaN(value)) return void (isDown = false)
    const [x, y] = [plot.x(points.times[at]), plot.y(value)]
    if (isMissing(at - 1) && isMissing(at + 1)) {
      sink.moveTo(x - LONE_PX / 2, y)
      return sink.lineTo(x + LONE_PX / 2, y)
    }
    sink[isDown ? 'lineTo' : 'moveTo'](x, y)
    isDown = true
  })
}

/** Draws a closed shape for each run of a band. */
function drawBand(x: Float64Array, low: Float64Array, high: Float64Array, plot: FigurePlot, sink: PathSink): void {
  for (let start = 0; start < x.length; start += 1) {
    if (Number.isNaN(low[start]) || Number.isNaN(high[start])) continue
    let end = start
    while (end + 1 < x.length && !Number.isNaN(low[end + 1]) && !Number.isNaN(high[end + 1])) end += 1
    sink.moveTo(plot.x(x[start]), plot.y(high[start]))
    for (let at = start + 1; at <= end; at += 1) sink.lineTo(plot.x(x[at]), plot.y(high[at]))
    for (let at = end; at >= start; at -= 1) sink.lineTo(plot.x(x[at]), plot.y(low[at]))
    start = end
  }
}

const CAP_PX = 3

function drawIntervals(x: Float64Array, low: Float64Array, high: Float64Array, plot: FigurePlot, sink: PathSink): void {
  x.forEach((place, at) => {
    if (Number.isNaN(low[at]) || Number.isNaN(high[at])) return
    const px = plot.x(place)
    for (const value of [low[at], high[at]]) {
      sink.moveTo(px - CAP_PX, plot.y(value))
      sink.lineTo(px + CAP_PX, plot.y(value))
    }
    sink.moveTo(px, plot.y(low[at]))
    sink.lineTo(px, plot.y(high[at]))
  })
}

/**
 * Returns the marks and states to list in a legend, without intervals; none if there is only one, because the title of the figure
 * names it.
 */
export function legendOf({
  marks,
  shades = [],
}: Figure): Pick<FigureMark, 'label' | 'colour' | 'kind' | 'widthPx' | 'isDashed'>[] {
  const listedMarks = marks.filter(({ kind }) => kind !== 'intervals')
  const states = shades.map(({ label, colour }) => ({ kind: 'band' as const, label, colour }))
  return listedMarks.length + states.length > 1 ? [...listedMarks, ...states] : []
}

/** Returns all distinct positions of the marks in ascending order. */
export function placesOf({ marks }: Figure): Float64Array {
  return Float64Array.from(new Set(marks.flatMap(({ x }) => [...x]))).sort()
}

/** Finds the position nearest to a value of the horizontal axis; null if there are no positions. */
export function nearestPlace(places: Float64Array, value: number): number | null {
  let [low, high] = [0, places.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (places[middle] < value) low = middle + 1
    else high = middle
  }
  const placeAfter = places.at(low) ?? null
  const placeBefore = low > 0 ? places[low - 1] : null
  if (low >= places.length) return placeBefore
  return placeBefore !== null && placeAfter !== null && value - placeBefore < placeAfter - value
    ? placeBefore
    : placeAfter
}

/** Formats a position on the horizontal axis. */
export function placeText({ axis }: Figure, place: number): string {
  if (axis.kind === 'names') return (axis.fullNames ?? axis.labels)[place] ?? ''
  if (axis.kind === 'times') return formatTime(place, 'utc', 'minute')
  return `${axis.title ? `${axis.title} ` : ''}${numberFormat(axis.values ?? 'count')(place)}`
}

/** Lists the values at a position. */
export function valuesAt(figure: Figure, place: number): { label: string; text: string }[] {
  const { marks, kind } = figure
  const formatPlain = numberFormat(kind)
  const format = (value: number) => formatPlain(value) + unitOf(figure)
  return marks.flatMap(({ label: markLabel, names, x, y, open, low, high, lower, upper }) => {
    const at = x.indexOf(place)
    if (at < 0) return []
    const label = names?.[at] ?? markLabel
    if (y && low && lower && upper && high)
      return [{ label, text: [low, lower, y, upper, high].map((values) => format(values[at])).join(' · ') }]
    if (y && open && low && high) {
      const prices = { O: open, H: high, L: low, C: y }
      return [
        {
          label,
          text: Object.entries(prices)
            .map(([name, values]) => `${name} ${format(values[at])}`)
            .join(' '),
        },
      ]
    }
    if (y) return Number.isNaN(y[at]) ? [] : [{ label, text: format(y[at]) }]
    if (!low || !high || Number.isNaN(low[at])) return []
    return [{ label, text: `${format(low[at])} … ${format(high[at])}` }]
  })
}

/** Turns a figure into a table with a row per position and a column per series, or two for bounds. */
export function figureFrame(figure: Figure): Frame {
  const places = placesOf(figure)
  const rowByPlace = new Map([...places].map((place, row) => [place, row]))
  const column = (name: string, x: Float64Array, values: Float64Array): Column => {
    const cells = new Array<number | null>(places.length).fill(null)
    x.forEach((place, at) => (cells[rowByPlace.get(place)!] = Number.isNaN(values[at]) ? null : values[at]))
    return numberColumn(name, cells)
  }
  const columns = figure.marks.flatMap(({ label, x, y, open, low, high, lower, upper }) => [
    ...(open ? [column(`${label} open`, x, open)] : []),
    ...(y ? [column(label, x, y)] : []),
    ...(low ? [column(`${label} low`, x, low)] : []),
    ...(lower ? [column(`${label} lower`, x, lower)] : []),
    ...(upper ? [column(`${label} upper`, x, upper)] : []),
    ...(high ? [column(`${label} high`, x, high)] : []),
  ])
  return { rows: places.length, columns: [placeColumn(figure, [...places]), ...columns] }
}

function placeColumn(figure: Figure, places: number[]): Column {
  const { axis } = figure
  if (axis.kind === 'times') return timeColumn('time', places)
  const name = (axis.title || 'place').toLowerCase()
  if (axis.kind === 'numbers') return numberColumn(name, places)
  return textColumn(
    name,
    places.map((place) => placeText(figure, place)),
  )
}
