import type { ValueScale } from './scales.ts'
import type { SeriesView } from './seriesView.ts'
import type { Candles } from './reduceCandles.ts'

/** What a canvas path and a writer of SVG have in common. */
export interface PathSink {
  moveTo(x: number, y: number): void
  lineTo(x: number, y: number): void
  rect(x: number, y: number, width: number, height: number): void
}

/** Where times and values stand, in the pixels of the target. */
export interface Plot {
  x(timeMs: number): number
  y(value: number): number
  /** Value 0, or the axis' lower end where 0 is beyond. */
  baseY: number
  bottomY: number
  heightPx: number
  /** Size of a pixel that a person sees. */
  pixel: number
  scale: ValueScale
}

/** On a log axis what is not above 0 is a gap. */
const placed = (plot: Plot, value: number) => (plot.scale.name === 'log' && !(value > 0) ? NaN : plot.y(value))

/** The line of a series. A point without neighbours becomes a dash as wide as it is thick. */
export function drawLine(view: SeriesView, plot: Plot, sink: PathSink): void {
  const { times, values } = view.points
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
  for (let at = 0; at < times.length; at += 1) {
    const y = placed(plot, values[at])
    if (Number.isNaN(y)) {
      endRun()
      continue
    }
    const x = plot.x(times[at])
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
  endRun()
}

/** The surface between a line and the base, one closed stretch per run. */
export function drawArea(view: SeriesView, plot: Plot, sink: PathSink): void {
  const { times, values } = view.points
  let startX: number | null = null
  let endX = 0
  const endRun = () => {
    if (startX === null) return
    sink.lineTo(endX, plot.baseY)
    sink.lineTo(startX, plot.baseY)
    startX = null
  }
  for (let at = 0; at < times.length; at += 1) {
    const y = placed(plot, values[at])
    if (Number.isNaN(y)) {
      endRun()
      continue
    }
    const x = plot.x(times[at])
    if (startX === null) {
      startX = x
      sink.moveTo(x, plot.baseY)
    }
    sink.lineTo(x, y)
    endX = x
  }
  endRun()
}

/** Bars as wide as their step less a hair, at least a pixel. */
export function drawBars(view: SeriesView, plot: Plot, sink: PathSink): void {
  const { times, values } = view.points
  for (let at = 0; at < times.length; at += 1) {
    const y = placed(plot, values[at])
    if (Number.isNaN(y)) continue
    const { left, width } = barOf(plot, times[at], view.stepMs ?? 0)
    sink.rect(left, Math.min(y, plot.baseY), width, Math.max(Math.abs(plot.baseY - y), plot.pixel / 2))
  }
}

function barOf(plot: Plot, timeMs: number, stepMs: number): { left: number; width: number } {
  const left = plot.x(timeMs)
  const whole = plot.x(timeMs + stepMs) - left
  const gap = whole > 4 * plot.pixel ? Math.max(plot.pixel, whole * 0.15) : 0
  return { left: left + gap / 2, width: Math.max(plot.pixel, whole - gap) }
}

/** Small squares: they stay sharp where circles of this size blur. */
export function drawPoints(view: SeriesView, plot: Plot, sink: PathSink): void {
  const { times, values } = view.points
  const size = 3 * plot.pixel
  for (let at = 0; at < times.length; at += 1) {
    const y = placed(plot, values[at])
    if (!Number.isNaN(y)) sink.rect(plot.x(times[at]) - size / 2, y - size / 2, size, size)
  }
}

export interface CandleSinks {
  wicks: PathSink
  /** Outlined: closed at or above its open. */
  rising: PathSink
  /** Filled: the second cue beside the colour. */
  falling: PathSink
  volume: PathSink
}

const VOLUME_SHARE = 0.18

export function drawCandles(candles: Candles, plot: Plot, sinks: CandleSinks): void {
  const { times, open, high, low, close, volume, widthMs, count } = candles
  let most = 0
  for (let at = 0; volume && at < count; at += 1) most = Math.max(most, volume[at])
  for (let at = 0; at < count; at += 1) {
    const { left, width } = barOf(plot, times[at], widthMs)
    const [openY, highY, lowY, closeY] = [open[at], high[at], low[at], close[at]].map((value) => placed(plot, value))
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
    if (!volume || most === 0) continue
    const height = (volume[at] / most) * plot.heightPx * VOLUME_SHARE
    sinks.volume.rect(left, plot.bottomY - height, width, height)
  }
}
