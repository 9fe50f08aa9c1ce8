import { formatDuration } from '#shared/units/durations.ts'
import type { TimeRange } from '#shared/time/ranges.ts'
import { MOST_AXIS_VALUE, type Side } from '#shared/workspace/chartStyle.ts'
import { valueAtMark } from './axisMarks.ts'
import { type Box, plotIn } from './marks.ts'
import type { Drawing, NewDrawing } from '#shared/workspace/workspaceSchema.ts'
import type { PaneView } from './paneView.ts'
import { chartsText } from '../text/charts.ts'

/** A drawing in pixels of a box: a segment, or a vertical band. */
interface PlacedDrawing {
  drawing: Drawing
  text: string
  segment: Segment | null
  /** Left edge and width of a range; null for segments. */
  extent: { leftPx: number; widthPx: number } | null
  /** Position of the label: the left end of the visible segment, or the upper left corner of a range. */
  textX: number
  textY: number
}

interface Segment {
  x1: number
  y1: number
  x2: number
  y2: number
}

/**
 * Computes the positions of a pane's drawings. A drawing is left out if it is out of view, or if its axis now shows
 * another unit.
 */
export function placedDrawings(
  view: PaneView,
  drawings: readonly Drawing[],
  range: TimeRange,
  box: Box,
): PlacedDrawing[] {
  return drawings.flatMap((drawing) => {
    if (drawing.kind === 'range') return placedRange(view, drawing, range, box)
    if (drawing.paneId !== view.pane.id || !isOnAxis(view, drawing)) return []
    const axis = view.axes[drawing.side]!
    const plot = plotIn(box, range, axis, 1)
    const right = box.left + box.width
    const whole =
      drawing.kind === 'level'
        ? { x1: box.left, y1: plot.y(drawing.value), x2: right, y2: plot.y(drawing.value) }
        : {
            x1: plot.x(drawing.startMs),
            y1: plot.y(drawing.startValue),
            x2: plot.x(drawing.endMs),
            y2: plot.y(drawing.endValue),
          }
    const segment = clippedSegment(whole, box)
    if (!segment) return []
    const valueText = drawing.kind === 'level' ? axis.format(drawing.value) : lineText(drawing, axis.format)
    return [
      {
        drawing,
        text: withLabel(drawing.label, valueText),
        segment,
        extent: null,
        textX: segment.x1,
        textY: segment.y1,
      },
    ]
  })
}

const withLabel = (label: string, valueText: string) => (label ? `${label} · ${valueText}` : valueText)

function lineText(line: Extract<Drawing, { kind: 'line' }>, format: (value: number) => string): string {
  const change = line.endValue - line.startValue
  return chartsText.drawings.line(chartsText.measure.signed(change, format(change)), line.endMs - line.startMs)
}

/** Tells whether the axis of a drawing shows the unit in which it was drawn. */
const isOnAxis = ({ axes }: PaneView, { side, unit }: { side: Side; unit: string }): boolean =>
  axes[side]?.units[0] === unit

/** Places a time range in every pane; its label is in the pane where it was drawn. */
function placedRange(
  view: PaneView,
  drawing: Extract<Drawing, { kind: 'range' }>,
  range: TimeRange,
  box: Box,
): PlacedDrawing[] {
  const pxPerMs = box.width / (range.endMs - range.startMs)
  const from = Math.max(range.startMs, drawing.startMs)
  const to = Math.min(range.endMs, drawing.endMs)
  if (!(from < to)) return []
  const extent = { leftPx: box.left + (from - range.startMs) * pxPerMs, widthPx: (to - from) * pxPerMs }
  const lengthText = formatDuration(drawing.endMs - drawing.startMs)
  const text = drawing.paneId === view.pane.id ? withLabel(drawing.label, lengthText) : ''
  return [{ drawing, text, segment: null, extent, textX: extent.leftPx, textY: box.top }]
}

/** Clips a segment to a box, because very distant points cannot be drawn exactly; null if the segment is outside. */
function clippedSegment({ x1, y1, x2, y2 }: Segment, { left, top, width, height }: Box): Segment | null {
  if (![x1, y1, x2, y2].every(Number.isFinite)) return null
  const [dx, dy] = [x2 - x1, y2 - y1]
  let [from, to] = [0, 1]
  const edges = [
    [-dx, x1 - left],
    [dx, left + width - x1],
    [-dy, y1 - top],
    [dy, top + height - y1],
  ]
  for (const [towards, room] of edges) {
    if (towards === 0 && room < 0) return null
    const at = room / towards
    if (towards < 0) from = Math.max(from, at)
    if (towards > 0) to = Math.min(to, at)
  }
  // Very distant ends leave rounding errors at an edge, so the result is clamped to the box.
  const clampWithin = (at: number, start: number, size: number) => Math.max(start, Math.min(start + size, at))
  const pointAt = (share: number) => [
    clampWithin(x1 + share * dx, left, width),
    clampWithin(y1 + share * dy, top, height),
  ]
  if (from > to) return null
  const [[startX, startY], [endX, endY]] = [pointAt(from), pointAt(to)]
  return { x1: startX, y1: startY, x2: endX, y2: endY }
}

export interface PlotPoint {
  timeMs: number
  /** Vertical position in the pane. */
  yPx: number
}

/** Returns the side whose axis drawings on a pane use: the left, or the right if the pane has no left axis. */
export const drawingSide = ({ axes }: PaneView): Side => (axes.left ? 'left' : 'right')

const isPlaceable = (value: number) => Math.abs(value) <= MOST_AXIS_VALUE

/**
 * Makes a drawing from two points on the plot. Returns null if both points have the same time (except for a level), or,
 * except for a range, if the pane has no axis with ticks for the drawing or a value is too large.
 */
export function drawingBetween(
  kind: Drawing['kind'],
  view: PaneView,
  box: Box,
  [a, b]: readonly [PlotPoint, PlotPoint],
): NewDrawing | null {
  const shared = { paneId: view.pane.id, label: '' }
  const [start, end] = a.timeMs <= b.timeMs ? [a, b] : [b, a]
  const range = { startMs: start.timeMs, endMs: end.timeMs }
  if (kind !== 'level' && !(range.startMs < range.endMs)) return null
  if (kind === 'range') return { kind, ...shared, ...range }
  const side = drawingSide(view)
  const axis = view.axes[side]
  if (!axis || axis.ticks.length === 0) return null
  const onAxis = { ...shared, side, unit: axis.units[0] }
  const [startValue, endValue] = [valueAtMark(axis, start.yPx, box), valueAtMark(axis, end.yPx, box)]
  if (!isPlaceable(startValue) || !isPlaceable(endValue)) return null
  // A level is drawn at the second point, where the pointer was released.
  if (kind === 'level') return { kind, ...onAxis, value: valueAtMark(axis, b.yPx, box) }
  return { kind, ...onAxis, ...range, startValue, endValue }
}

/** Target of a pane's menu: the pane, with the time and axis value where the menu was opened. */
export interface MenuSubject {
  view: PaneView
  timeMs: number
  side: Side
  /** Axis value at that point; null if there is none. */
  value: number | null
}
