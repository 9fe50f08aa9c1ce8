/** Fills between a line and another one or a level; charts on screen, their exports and reports share the shapes. */
import { type MarkedSeries, type MarkPlot, type PathSink, shownY } from './marks.ts'

export interface FillSinks {
  /** Where the line is above what it is filled to. */
  above: PathSink
  below: PathSink
}

/** Points of a line in pixels, ascending; a NaN marks a gap. */
interface Polyline {
  x: number[]
  y: number[]
}

/** Draws the areas between a line and another line on the same axis, or a level of the axis. */
export function drawFill(line: MarkedSeries, to: MarkedSeries | number, plot: MarkPlot, sinks: FillSinks): void {
  const one = polylineOf(line, plot)
  if (one.x.length === 0) return
  const other = typeof to === 'number' ? levelOf(to, one, plot) : polylineOf(to, plot)
  const run = new FilledRun(sinks)
  let [at, otherAt] = [0, 0]
  while (at + 1 < one.x.length && otherAt + 1 < other.x.length) {
    const from = Math.max(one.x[at], other.x[otherAt])
    const end = Math.min(one.x[at + 1], other.x[otherAt + 1])
    if (from < end)
      run.add([from, yAt(one, at, from), yAt(other, otherAt, from)], [end, yAt(one, at, end), yAt(other, otherAt, end)])
    if (one.x[at + 1] <= other.x[otherAt + 1]) at += 1
    else otherAt += 1
  }
  run.end()
}

function polylineOf({ points: { times, values }, style, stepMs }: MarkedSeries, plot: MarkPlot): Polyline {
  const line: Polyline = { x: [], y: [] }
  const add = (x: number, y: number) => {
    line.x.push(x)
    line.y.push(y)
  }
  let [beforeY, beforeMs] = [NaN, NaN]
  const endStep = () => {
    if (style === 'step' && stepMs && !Number.isNaN(beforeY)) add(plot.x(beforeMs + stepMs), beforeY)
  }
  for (let at = 0; at < times.length; at += 1) {
    const [x, y] = [plot.x(times[at]), shownY(plot, values[at])]
    if (Number.isNaN(y)) {
      endStep()
      // The gap may be marked at a time before the end of the last step.
      add(Math.max(x, line.x.at(-1) ?? x), NaN)
    } else {
      if (style === 'step' && !Number.isNaN(beforeY)) add(x, beforeY)
      add(x, y)
    }
    ;[beforeY, beforeMs] = [y, times[at]]
  }
  endStep()
  return line
}

/** A level over the whole line; one that the axis cannot show is the base of the axis. */
function levelOf(value: number, { x }: Polyline, plot: MarkPlot): Polyline {
  const shown = shownY(plot, value)
  const y = Number.isNaN(shown) ? plot.baseY : shown
  return { x: [x[0], x[x.length - 1]], y: [y, y] }
}

/** Height of a line between two of its points. */
function yAt({ x, y }: Polyline, at: number, place: number): number {
  const width = x[at + 1] - x[at]
  return width > 0 ? y[at] + ((y[at + 1] - y[at]) * (place - x[at])) / width : y[at]
}

type Place = readonly [x: number, lineY: number, otherY: number]

/** Number of places within a pixel from which on their zigzag is too dense to see; every point of a line is two. */
const DENSE_PLACES = 5

/**
 * Flattens what lies within a pixel to where the line comes nearest: the line itself covers the rest, and a browser
 * without a graphics processor takes tenths of a second to fill thousands of teeth.
 */
function thinned(places: readonly Place[]): Place[] {
  const kept: Place[] = []
  for (let start = 0, end = 0; start < places.length; start = end) {
    const pixel = Math.floor(places[start][0])
    while (end < places.length && Math.floor(places[end][0]) === pixel) end += 1
    const within = places.slice(start, end)
    if (within.length < DENSE_PLACES) kept.push(...within)
    else {
      const [, lineY, otherY] = within.reduce((best, each) => (depthOf(each) < depthOf(best) ? each : best))
      kept.push([within[0][0], lineY, otherY], [within.at(-1)![0], lineY, otherY])
    }
  }
  return kept
}

const depthOf = ([, lineY, otherY]: Place): number => Math.abs(otherY - lineY)

/** Collects adjoining pieces on the same side into one shape, because pieces drawn one by one would show seams. */
class FilledRun {
  readonly #sinks: FillSinks
  #places: Place[] = []
  #isAbove = true

  constructor(sinks: FillSinks) {
    this.#sinks = sinks
  }

  add(from: Place, to: Place): void {
    const [start, end] = [from[2] - from[1], to[2] - to[1]]
    if (Number.isNaN(start + end)) return this.end()
    if (start * end >= 0) return this.#addSide(from, to, start + end >= 0)
    const share = start / (start - end)
    const middleY = from[1] + (to[1] - from[1]) * share
    const middle: Place = [from[0] + (to[0] - from[0]) * share, middleY, middleY]
    this.#addSide(from, middle, start > 0)
    this.#addSide(middle, to, end > 0)
  }

  end(): void {
    const places = thinned(this.#places)
    this.#places = []
    if (places.length < 2) return
    const sink = this.#isAbove ? this.#sinks.above : this.#sinks.below
    sink.moveTo(places[0][0], places[0][1])
    for (const [x, lineY] of places) sink.lineTo(x, lineY)
    for (const [x, , otherY] of places.toReversed()) sink.lineTo(x, otherY)
    sink.lineTo(places[0][0], places[0][1])
  }

  #addSide(from: Place, to: Place, isAbove: boolean): void {
    const last = this.#places.at(-1)
    if (last && (last[0] !== from[0] || isAbove !== this.#isAbove)) this.end()
    if (this.#places.length === 0) this.#isAbove = isAbove
    // A step has two heights at one place.
    this.#places.push(from, to)
  }
}

/** Opacity of filled areas. */
export const FILL_ALPHA = 0.22
