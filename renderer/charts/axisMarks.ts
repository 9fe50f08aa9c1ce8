/** Places marked values on the axes of a pane: last values, levels and the labels beside them. */
import type { SeriesColour } from './chartColours.ts'
import type { TimeRange } from '#shared/time/ranges.ts'
import type { Side } from '#shared/workspace/chartStyle.ts'
import { type Box, plotIn } from './marks.ts'
import { numberFormat } from '#shared/units/numberKinds.ts'
import { hasValue, rowAtOrBefore } from './model.ts'
import type { AxisView, PaneView, SeriesView } from './paneView.ts'
import { textPx } from './textWidth.ts'

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

/** Name of a series at the end of its line, beside the plot. */
interface EndName {
  id: string
  text: string
  yPx: number
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
    return [{ id: one.series.id, side: one.side, yPx, text: lastText(one, axis, value), colour: one.series.colour }]
  })
  return (['left', 'right'] as const).flatMap((side) =>
    spreadMarks(
      all.filter((mark) => mark.side === side),
      box,
    ),
  )
}

/** Least digits of a price; an axis with much larger ones would leave it fewer, or write it as 0. */
const LEAST_PRICE_DIGITS = 3

function lastText({ kind, showsOwnQuantity }: SeriesView, axis: AxisView, value: number): string {
  const text = axis.format(value)
  const digits = text.replaceAll(/\D/g, '').replace(/^0+/, '').length
  const isCut = kind === 'price' && showsOwnQuantity && value !== 0 && digits < LEAST_PRICE_DIGITS
  return isCut ? numberFormat(kind)(value) : text
}

/** Returns the names of the lines of a pane at the heights of their last values in view, moved apart. */
export function endNames({ series, axes }: PaneView, range: TimeRange, box: Box): EndName[] {
  const texts = endTexts(series.map(({ series: one }) => one))
  const all = series.flatMap((one, at): EndName[] => {
    const axis = axes[one.side]
    const value = axis && lastValue(one, range)
    const text = texts.at(at) ?? ''
    if (axis === null || value === null || text === '') return []
    return [{ id: one.series.id, text, yPx: plotIn(box, range, axis, 1).y(value), colour: one.series.colour }]
  })
  return spreadMarks(all, box)
}

/** Place and width of the dash in the colour of a line, and place of the name after it. */
export const nameMarks = { dashPx: 2, dashWidthPx: 8, textPx: 13 } as const
const AFTER_NAME_PX = 7
/** Width of a chart below which the names at the ends of lines would take too much of it. */
const LEAST_NAMED_PX = 560
export const hasRoomForNames = (widthPx: number): boolean => widthPx >= LEAST_NAMED_PX

/** Returns the width that the names at the ends of lines take in a chart; 0 if it has none. */
export function endNamesPx(texts: readonly string[], widthPx: number): number {
  const longestPx = Math.max(0, ...texts.map(textPx))
  if (!hasRoomForNames(widthPx) || longestPx === 0) return 0
  return Math.ceil(longestPx) + nameMarks.textPx + AFTER_NAME_PX
}

/** Number of letters that a name at the end of a line keeps. */
const MOST_NAME_LETTERS = 14
const JOINT = ' · '

/**
 * Returns what tells the lines of a pane apart at their ends: their labels without the parts that all of them share,
 * which the legend has. A line alone needs no name, and points of single events have no end.
 */
export function endTexts(series: readonly { label: string; mark?: unknown }[]): string[] {
  if (series.length < 2) return []
  // The letter by which formulas name a series stands before its label.
  const parts = series.map(({ label }) => label.replace(/^\w+ {2}/, '').split(JOINT))
  const isShared = (part: string) => parts.every((others) => others.includes(part))
  return parts.map((all, at) => {
    const own = all.filter((part) => !isShared(part))
    const text = (own.length > 0 ? own : all).join(JOINT)
    if (series[at].mark) return ''
    return text.length > MOST_NAME_LETTERS ? `${text.slice(0, MOST_NAME_LETTERS - 1).trimEnd()}…` : text
  })
}

function lastValue({ points, candles }: SeriesView, { startMs, endMs }: TimeRange): number | null {
  const times = candles ? candles.times.subarray(0, candles.count) : points.times
  const rows = { times, values: candles ? candles.close : points.values, valid: null }
  for (let row = rowAtOrBefore(times, endMs); row >= 0 && times[row] >= startMs; row -= 1)
    if (hasValue(rows, row)) return rows.values[row]
  return null
}

/** Moves overlapping marks apart, and leaves out those without room. */
export function spreadMarks<Mark extends { yPx: number }>(
  all: readonly Mark[],
  { top, height }: Pick<Box, 'top' | 'height'>,
): Mark[] {
  const marks = all
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
