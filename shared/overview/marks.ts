/** Draws lines, steps, areas, bars and points; charts on screen, their exports and reports share the shapes. */

/** Drawing commands that a canvas path and an SVG writer share. */
export interface PathSink {
  moveTo(x: number, y: number): void
  lineTo(x: number, y: number): void
  rect(x: number, y: number, width: number, height: number): void
}

/** Mapping of times and values to the pixels of the target. */
export interface MarkPlot {
  x(timeMs: number): number
  y(value: number): number
  /** Vertical position of value 0, or of the end of the axis nearest to 0 if 0 is out of range. */
  baseY: number
  /** Size of a CSS pixel in target pixels. */
  pixel: number
  scale: { name: string }
}

/** A series as its shapes need it. */
export interface MarkedSeries {
  /** Style of the series; `step` makes its line one of steps. */
  style: string
  points: { times: ArrayLike<number>; values: ArrayLike<number> }
  /** Duration of a bar or step in milliseconds; null if unknown. */
  stepMs: number | null
  series?: { mark?: { shape: 'square' | 'up' | 'down'; sizePx: number } }
}

/** Maps a value to a vertical position; on a log axis, values at or below 0 are gaps. */
export const shownY = (plot: MarkPlot, value: number) =>
  plot.scale.name === 'log' && !(value > 0) ? NaN : plot.y(value)

/** Visits the points of a series that have a value, and calls `endRun` at each gap and at the end. */
function visitRuns(
  { points }: MarkedSeries,
  plot: MarkPlot,
  visit: (x: number, y: number, at: number) => void,
  endRun: () => void,
) {
  const { times, values } = points
  for (let at = 0; at < times.length; at += 1) {
    const y = shownY(plot, values[at])
    if (Number.isNaN(y)) endRun()
    else visit(plot.x(times[at]), y, at)
  }
  endRun()
}

/** Draws the line of a series; a point without neighbours becomes a short dash or, in style `step`, a whole step. */
export function drawLine(view: MarkedSeries, plot: MarkPlot, sink: PathSink): void {
  const { times } = view.points
  const isStep = view.style === 'step'
  const stepMs = view.stepMs ?? 0
  let pointsInRun = 0
  let beforeY = 0
  let beforeX = 0
  let beforeMs = 0
  const endRun = () => {
    if (pointsInRun === 0) return
    if (isStep && stepMs > 0) sink.lineTo(plot.x(beforeMs + stepMs), beforeY)
    else if (pointsInRun === 1) {
      sink.moveTo(beforeX - plot.pixel, beforeY)
      sink.lineTo(beforeX + plot.pixel, beforeY)
    }
    pointsInRun = 0
  }
  const visit = (x: number, y: number, at: number) => {
    if (pointsInRun === 0) sink.moveTo(x, y)
    else {
      if (isStep) sink.lineTo(x, beforeY)
      sink.lineTo(x, y)
    }
    pointsInRun += 1
    beforeX = x
    beforeY = y
    beforeMs = times[at]
  }
  visitRuns(view, plot, visit, endRun)
}

/** Draws the area between a line and the base, one closed shape per run. */
export function drawArea(view: MarkedSeries, plot: MarkPlot, sink: PathSink): void {
  let startX: number | null = null
  let endX = 0
  const endRun = () => {
    if (startX === null) return
    sink.lineTo(endX, plot.baseY)
    sink.lineTo(startX, plot.baseY)
    startX = null
  }
  const visit = (x: number, y: number) => {
    if (startX === null) {
      startX = x
      sink.moveTo(x, plot.baseY)
    }
    sink.lineTo(x, y)
    endX = x
  }
  visitRuns(view, plot, visit, endRun)
}

/**
 * Draws bars that are nearly as wide as a step. Where several bars fall on one pixel, a single bar covers all their
 * values.
 */
export function drawBars(view: MarkedSeries, plot: MarkPlot, sink: PathSink): void {
  const { times, values } = view.points
  const stepMs = view.stepMs ?? 0
  let column = NaN
  let [top, bottom] = [0, 0]
  const endColumn = () => {
    if (!Number.isNaN(column)) sink.rect(column * plot.pixel, top, plot.pixel, Math.max(bottom - top, plot.pixel / 2))
    column = NaN
  }
  for (let at = 0; at < times.length; at += 1) {
    const y = shownY(plot, values[at])
    if (Number.isNaN(y)) continue
    const { left, width } = barOf(plot, times[at], stepMs)
    const [from, to] = [Math.min(y, plot.baseY), Math.max(y, plot.baseY)]
    if (width > plot.pixel) {
      endColumn()
      sink.rect(left, from, width, Math.max(to - from, plot.pixel / 2))
      continue
    }
    const next = Math.floor(left / plot.pixel)
    if (next !== column) {
      endColumn()
      ;[column, top, bottom] = [next, from, to]
    }
    top = Math.min(top, from)
    bottom = Math.max(bottom, to)
  }
  endColumn()
}

/** Places a bar that lasts a step, with a gap to the next one where there is room. */
export function barOf(plot: MarkPlot, timeMs: number, stepMs: number): { left: number; width: number } {
  const left = plot.x(timeMs)
  const stepWidth = plot.x(timeMs + stepMs) - left
  const gap = stepWidth > 4 * plot.pixel ? Math.max(plot.pixel, stepWidth * 0.15) : 0
  return { left: left + gap / 2, width: Math.max(plot.pixel, stepWidth - gap) }
}

/** Draws points as small squares, because circles of this size blur, or as triangles that point up or down. */
export function drawPoints(view: MarkedSeries, plot: MarkPlot, sink: PathSink): void {
  const { times, values } = view.points
  const { shape, sizePx } = view.series?.mark ?? { shape: 'square', sizePx: 3 }
  const size = sizePx * plot.pixel
  const half = size / 2
  for (let at = 0; at < times.length; at += 1) {
    const y = shownY(plot, values[at])
    if (Number.isNaN(y)) continue
    const x = plot.x(times[at])
    if (shape === 'square') sink.rect(x - half, y - half, size, size)
    else {
      const tipY = shape === 'up' ? y - half : y + half
      const baseY = shape === 'up' ? y + half : y - half
      sink.moveTo(x, tipY)
      sink.lineTo(x + half, baseY)
      sink.lineTo(x - half, baseY)
      sink.lineTo(x, tipY)
    }
  }
}
