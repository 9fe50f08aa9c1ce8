/** Places marked values on the axes of a pane: last values, levels and the labels beside them. */
import type { SeriesColour } from './chartColours.ts'
import type { TimeRange } from '#shared/time/ranges.ts'
import type { Side } from '#shared/workspace/chartStyle.ts'
import { type Box, plotIn } from './marks.ts'
import { hasValue, rowAtOrBefore } from './model.ts'
import type { AxisView, PaneView, SeriesView } from './paneView.ts'

/** A value marked on an axis. */
export interface AxisMark {
  id: string
  side: Side
  /** Distance of the mark's middle from the top of the pane. */
  yPx: number
  text: string
}

/** Mark of the last value of a series in view. */
export interface LastMark extends AxisMark {
  /** Index in the series palette. */
  colour: SeriesColour
}

/** Height of a mark on an axis. */
export const MARK_PX = 15
/** Height by which a mark may overlap the line of a label, because digits are less tall than that line. */
const LABEL_SLACK_PX = 2

/**
 * Returns a mark for the last value in view of each series, except for series of individual events such as trades,
 * whose last value says little. Overlapping marks are moved apart, and marks without room are left out.
 */
export function lastMarks({ series, axes }: PaneView, range: TimeRange, box: Box): LastMark[] {
  const all = series.flatMap((one): LastMark[] => {
    const axis = axes[one.side]
    const value = axis && lastValue(one, range)
    if (axis === null || value === null || one.series.mark) return []
    const yPx = plotIn(box, range, axis, 1).y(value)
    return [{ id: one.series.id, side: one.side, yPx, text: axis.format(value), colour: one.series.colour }]
  })
  return [...spreadMarks(all, 'left', box), ...spreadMarks(all, 'right', box)]
}

function lastValue({ points, candles }: SeriesView, { startMs, endMs }: TimeRange): number | null {
  const times = candles ? candles.times.subarray(0, candles.count) : points.times
  const rows = { times, values: candles ? candles.close : points.values, valid: null }
  for (let row = rowAtOrBefore(times, endMs); row >= 0 && times[row] >= startMs; row -= 1)
    if (hasValue(rows, row)) return rows.values[row]
  return null
}

function spreadMarks(all: readonly LastMark[], side: Side, { top, height }: Box): LastMark[] {
  const marks = all
    .filter((mark) => mark.side === side)
    .slice(0, Math.floor(height / MARK_PX))
    .map((mark) => ({ ...mark, yPx: Math.max(top + MARK_PX / 2, mark.yPx) }))
    .sort((a, b) => a.yPx - b.yPx)
  marks.forEach((mark, at) => {
    if (at > 0) mark.yPx = Math.max(mark.yPx, marks[at - 1].yPx + MARK_PX)
  })
  let lowest = top + height - MARK_PX / 2
  for (const mark of marks.toReversed()) {
    mark.yPx = Math.min(mark.yPx, lowest)
    lowest = mark.yPx - MARK_PX
  }
  return marks
}

/** Returns the labels of the ticks of an axis, empty where a mark would cover part of the label. */
export function labelsBeside(axis: AxisView, marks: readonly AxisMark[], range: TimeRange, box: Box): string[] {
  const { y } = plotIn(box, range, axis, 1)
  const markPositions = marks.filter(({ side }) => side === axis.side).map(({ yPx }) => yPx)
  const isCovered = (tickPx: number) => markPositions.some((yPx) => Math.abs(yPx - tickPx) < MARK_PX - LABEL_SLACK_PX)
  return axis.labels.map((label, at) => (isCovered(y(axis.ticks[at])) ? '' : label))
}

/** Returns a mark for the value of each axis at a vertical position in the pane. */
export const levelMarks = (axes: PaneView['axes'], yPx: number, box: Box): AxisMark[] =>
  (['left', 'right'] as const).flatMap((side) => {
    const axis = axes[side]
    if (!axis || axis.ticks.length === 0 || yPx < box.top || yPx > box.top + box.height) return []
    return [{ id: side, side, yPx, text: axis.format(valueAtMark(axis, yPx, box)) }]
  })

/** Returns the value of an axis at a vertical position in the pane. */
export function valueAtMark({ scale, bounds }: AxisView, yPx: number, { top, height }: Box): number {
  const [low, high] = [scale.forward(bounds[0]), scale.forward(bounds[1])]
  return scale.backward(low + ((top + height - yPx) / height) * (high - low))
}
