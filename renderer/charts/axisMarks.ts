import type { TimeRange } from '#shared/time/ranges.ts'
import { type Box, plotIn } from './marks.ts'
import { hasValue, rowAtOrBefore } from './model.ts'
import type { AxisView, PaneView, SeriesView, Side } from './paneView.ts'

/** A value marked on an axis. */
export interface AxisMark {
  id: string
  side: Side
  /** Middle of the mark, from the top of the plot. */
  yPx: number
  text: string
  /** Place in the palette of series; null for the value under the pointer. */
  colour: number | null
}

const MARK_PX = 15

/** Marks the last value in view of each series, moved apart where marks would overlap. Marks without room are left out. */
export function lastMarks({ series, axes }: PaneView, range: TimeRange, box: Box): AxisMark[] {
  const all = series.flatMap((one): AxisMark[] => {
    const axis = axes[one.side]
    const value = axis && lastValue(one, range)
    if (axis === null || value === null) return []
    const yPx = plotIn(box, range, axis, 1).y(value)
    return [{ id: one.series.id, side: one.side, yPx, text: axis.format(value), colour: one.series.colour }]
  })
  return [...apart(all, 'left', box), ...apart(all, 'right', box)]
}

function lastValue({ points, candles }: SeriesView, { startMs, endMs }: TimeRange): number | null {
  const times = candles ? candles.times.subarray(0, candles.count) : points.times
  const rows = { times, values: candles ? candles.close : points.values, valid: null }
  for (let row = rowAtOrBefore(times, endMs); row >= 0 && times[row] >= startMs; row -= 1)
    if (hasValue(rows, row)) return rows.values[row]
  return null
}

function apart(all: readonly AxisMark[], side: Side, { top, height }: Box): AxisMark[] {
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

/** Marks the value of each axis at a height of the plot. */
export const levelMarks = (axes: PaneView['axes'], yPx: number, box: Box): AxisMark[] =>
  (['left', 'right'] as const).flatMap((side) => {
    const axis = axes[side]
    if (!axis || axis.ticks.length === 0 || yPx < box.top || yPx > box.top + box.height) return []
    return [{ id: side, side, yPx, text: axis.format(valueAt(axis, yPx, box)), colour: null }]
  })

function valueAt({ scale, bounds }: AxisView, yPx: number, { top, height }: Box): number {
  const [low, high] = [scale.forward(bounds[0]), scale.forward(bounds[1])]
  return scale.backward(low + ((top + height - yPx) / height) * (high - low))
}
