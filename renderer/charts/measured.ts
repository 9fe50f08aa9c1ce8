import { formatDuration } from '#shared/units/durations.ts'
import { formatNumber } from '#shared/units/numbers.ts'
import { lengthMs, type TimeRange } from './model.ts'
import { hasValue, rowAtOrBefore } from './rows.ts'
import type { SeriesView } from './seriesView.ts'
import { rowwise } from './transform.ts'
import { valueText } from './legend.ts'

export interface Measured {
  durationMs: number
  /** Null where either end has no value. */
  change: number | null
  /** In per cent of the start; null also where that is 0 or the series changes its sign. */
  changePercent: number | null
}

/** From the row at or before the start to the one at or before the end, of what is drawn. */
export function measured(view: SeriesView, range: TimeRange): Measured {
  const rows = rowwise(view.series)
  const valueAt = (timeMs: number) => {
    const row = rowAtOrBefore(rows.times, timeMs)
    return row >= 0 && hasValue(rows, row) ? rows.values[row] * view.affine.factor + view.affine.offset : null
  }
  const start = valueAt(range.startMs)
  const end = valueAt(range.endMs)
  const change = start === null || end === null ? null : end - start
  const hasShare = change !== null && start !== 0 && Math.sign(start!) === Math.sign(end!)
  return { durationMs: lengthMs(range), change, changePercent: hasShare ? (change / Math.abs(start!)) * 100 : null }
}

const signed = (value: number, text: string) => (value > 0 ? `+${text}` : text)

/** Whether rows are at hand for both ends: what lies far out of view may not be. */
function isLoaded({ series: { times }, stepMs }: SeriesView, range: TimeRange, shown: TimeRange): boolean {
  if (times.length === 0) return false
  const startsIn = range.startMs >= shown.startMs || times[0] <= range.startMs
  const endsIn = range.endMs <= shown.endMs || times[times.length - 1] + (stepMs ?? 0) >= range.endMs
  return startsIn && endsIn
}

/** `+120.5 quote · +0.42 % · 3 h 12 min` @param shown what is in view */
export function measuredWords(view: SeriesView, range: TimeRange, shown: TimeRange): string {
  const { change, changePercent, durationMs } = measured(view, range)
  const isKnown = isLoaded(view, range, shown)
  const nothing = isKnown ? 'no value at an end' : 'an end is out of view'
  const pieces = [change === null || !isKnown ? nothing : signed(change, valueText(view, change))]
  if (changePercent !== null && isKnown) pieces.push(signed(changePercent, `${formatNumber(changePercent, 2)} %`))
  return [...pieces, formatDuration(durationMs)].join(' · ')
}
