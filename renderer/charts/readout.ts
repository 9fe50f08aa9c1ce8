import { formatDuration } from '#shared/units/durations.ts'
import { formatTime, zoneName } from '#shared/units/instants.ts'
import { numberFormat } from '#shared/units/numberKinds.ts'
import { formatNumber } from '#shared/units/numbers.ts'
import { type ChartModel, type ChartSeries, lengthMs, type TimeRange } from './model.ts'
import type { PaneView, SeriesView } from './paneView.ts'
import { hasValue, longestStepMs, rowAtOrBefore, rowwise } from './rows.ts'

/** What a legend says of a series at a time. */
export interface LegendValue {
  /** The row's own time; null where no row reaches the time. */
  rowMs: number | null
  /** Null where missing. */
  text: string | null
}

const NO_ROW: LegendValue = { rowMs: null, text: null }

/** The row at or before the time. One that ended long before (a gap) says nothing of it. */
export function legendValue(view: SeriesView, timeMs: number): LegendValue {
  if (view.candles) return candleValue(view, timeMs)
  const rows = rowwise(view.series)
  const row = rowAtOrBefore(rows.times, timeMs)
  if (row < 0 || timeMs - rows.times[row] > longestStepMs(view.stepMs)) return NO_ROW
  const { factor, offset } = view.affine
  const text = hasValue(rows, row) ? valueText(view, rows.values[row] * factor + offset) : null
  return { rowMs: rows.times[row], text }
}

export function valueText(view: SeriesView, value: number): string {
  const isOwn = view.affine.factor === 1 && view.affine.offset === 0
  const unit = view.series.kind === 'share' && isOwn ? '%' : namedUnit(view)
  const shown = isOwn ? numberFormat(view.series.kind)(value) : numberFormat('ratio', 10)(value)
  return unit ? `${shown} ${unit}` : shown
}

/** Kinds whose name is a unit as well. */
const unitKinds: ReadonlySet<string> = new Set(['bps', 'percent'])

/** A unit that only repeats what is measured says nothing. */
export const namedUnit = ({ unit, series }: SeriesView): string =>
  unit === 'none' || (unit === series.kind && !unitKinds.has(unit)) ? '' : unit

function candleValue(view: SeriesView, timeMs: number): LegendValue {
  const { times, open, high, low, close, volume, count, widthMs } = view.candles!
  const at = rowAtOrBefore(times.subarray(0, count), timeMs)
  if (at < 0 || timeMs - times[at] >= widthMs) return NO_ROW
  const format = numberFormat(view.affine.factor === 1 ? view.series.kind : 'ratio')
  const parts = [`O ${format(open[at])}`, `H ${format(high[at])}`, `L ${format(low[at])}`, `C ${format(close[at])}`]
  if (volume) parts.push(`V ${numberFormat('volume')(volume[at])}`)
  return { rowMs: times[at], text: parts.join('  ') }
}

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

/** A chart in words, for people who do not see it. */
export function chartWords({ label, panes, zone }: ChartModel, range: TimeRange): string {
  const named = panes.map(({ title, series, scale }) => {
    const names = series.map(
      (one) => `${one.label} (${one.style}${one.unit && one.unit !== 'none' ? `, ${one.unit}` : ''})`,
    )
    return `${title ? `${title}: ` : ''}${names.join(', ')}${scale === 'linear' ? '' : `, ${scale} scale`}`
  })
  const from = formatTime(range.startMs, zone, 'minute')
  const to = formatTime(range.endMs, zone, 'minute')
  return `${label}. ${named.join('. ') || 'No series'}. From ${from} to ${to} ${zoneName(zone)}.`
}

/** The latest row at or before the time, of any series. */
export function rowTimeAt(series: readonly ChartSeries[], timeMs: number): number | null {
  const times = series.flatMap(({ times: all }) => {
    const row = rowAtOrBefore(all, timeMs)
    return row < 0 ? [] : [all[row]]
  })
  return times.length === 0 ? null : Math.max(...times)
}

export const spokenValues = (views: readonly PaneView[], timeMs: number): string =>
  views
    .flatMap(({ series }) => series)
    .map((one) => `${one.series.label} ${legendValue(one, timeMs).text ?? 'no value'}`)
    .join(', ')
