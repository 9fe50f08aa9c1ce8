/** Reads values at one time for the legend, for measured ranges and for screen readers. */
import { isShownAsPercent, numberFormat, unitLabel } from '#shared/units/numberKinds.ts'
import { chartsText } from '../text/charts.ts'
import type { TimeRange } from '#shared/time/ranges.ts'
import {
  type ChartModel,
  type ChartSeries,
  lengthMs,
  type MeasuredRange,
  type RowsAtCursor,
  type RowsWithStep,
  hasValue,
  longestStepMs,
  rowAtOrBefore,
  unscaledRows,
} from './model.ts'
import type { PaneView, SeriesView } from './paneView.ts'

/** Value of a series at one time, as the legend shows it. */
interface LegendValue {
  /** Time of the row; null if no row covers the cursor. */
  rowMs: number | null
  /** Formatted value; null when missing. */
  text: string | null
  /** True for a nearby drawn point, shown until the exact row is loaded. */
  isNear?: boolean
}

const NO_ROW: LegendValue = { rowMs: null, text: null }

const fullRowsAt = ({ id }: ChartSeries, timeMs: number, rowsAtCursor: RowsAtCursor | null): RowsWithStep | null =>
  (rowsAtCursor?.timeMs === timeMs && rowsAtCursor.rows.get(id)) || null

/**
 * Returns the value of the row at or before a time, or nothing if that row ended more than half a step earlier; for
 * candles, the prices of the candle at the time. A reduced series uses the full rows in `rowsAtCursor` if they are
 * loaded, because the drawn points change with the zoom.
 */
export function legendValue(view: SeriesView, timeMs: number, rowsAtCursor: RowsAtCursor | null = null): LegendValue {
  if (view.candles) return candleValue(view, timeMs)
  const fullRows = fullRowsAt(view.series, timeMs, rowsAtCursor)
  const rows = fullRows ?? unscaledRows(view.series)
  const row = rowAtOrBefore(rows.times, timeMs)
  if (row < 0 || timeMs - rows.times[row] > longestStepMs(fullRows ? fullRows.stepMs : view.stepMs)) return NO_ROW
  const { factor, offset } = view.affine
  const text = hasValue(rows, row) ? valueText(view, rows.values[row] * factor + offset) : null
  return { rowMs: rows.times[row], text, ...(view.series.isReduced && !fullRows && { isNear: true }) }
}

export function valueText(view: SeriesView, value: number): string {
  const unit = isShownAsPercent(view.kind) && view.showsOwnQuantity ? '%' : namedUnit(view)
  const shownNumber = view.showsOwnQuantity ? numberFormat(view.kind)(value) : numberFormat('ratio', 10)(value)
  return unit ? `${shownNumber} ${unit}` : shownNumber
}

/** Number kinds whose name is also a unit. */
const unitKinds: ReadonlySet<string> = new Set(['bps', 'percent'])

/** Returns the unit, or an empty text if there is none or it only repeats the number kind. */
export function namedUnit({
  unit,
  kind,
  showsOwnQuantity,
}: Pick<SeriesView, 'unit' | 'kind' | 'showsOwnQuantity'>): string {
  if (unit === kind && !unitKinds.has(unit)) return ''
  return unit === 'none' && showsOwnQuantity ? unitLabel(kind, unit) : unit === 'none' ? '' : unit
}

function candleValue(view: SeriesView, timeMs: number): LegendValue {
  const { times, open, high, low, close, volume, count, widthMs } = view.candles!
  const at = rowAtOrBefore(times.subarray(0, count), timeMs)
  if (at < 0 || timeMs - times[at] >= widthMs) return NO_ROW
  const format = numberFormat(view.kind)
  const valueTexts = [
    `O ${format(open[at])}`,
    `H ${format(high[at])}`,
    `L ${format(low[at])}`,
    `C ${format(close[at])}`,
  ]
  if (volume) valueTexts.push(`V ${numberFormat('volume')(volume[at])}`)
  return { rowMs: times[at], text: valueTexts.join('  ') }
}

interface Measurement {
  durationMs: number
  /** Difference between the ends; null if either has no value. */
  change: number | null
  /** Change in per cent of the start; null also if the start is 0 or the sign changes. */
  changePercent: number | null
}

/**
 * Measures the change from the row at or before the start to the row at or before the end. There is no change if one of
 * these rows lacks a value or ended more than half a step earlier.
 */
export function measurementOf(view: SeriesView, range: MeasuredRange): Measurement {
  const { factor, offset } = view.affine
  const drawnRows = { ...unscaledRows(view.series), stepMs: view.stepMs }
  const valueAt = (timeMs: number, rows: RowsWithStep = drawnRows) => {
    const value = valueKnownAt(rows, timeMs)
    return value === null ? null : value * factor + offset
  }
  const start = valueAt(range.startMs, range.ends?.start)
  const end = valueAt(range.endMs, range.ends?.end)
  return { durationMs: lengthMs(range), ...changeBetween(start, end) }
}

/**
 * Returns the value of the row at or before a time; null if there is no such row, or if it has no value or ended more
 * than half a step earlier.
 */
export function valueKnownAt(rows: RowsWithStep, timeMs: number): number | null {
  const row = rowAtOrBefore(rows.times, timeMs)
  const hasRow = row >= 0 && timeMs - rows.times[row] <= longestStepMs(rows.stepMs)
  return hasRow && hasValue(rows, row) ? rows.values[row] : null
}

/** Computes the change from one value to another. */
export function changeBetween(start: number | null, end: number | null): Pick<Measurement, 'change' | 'changePercent'> {
  if (start === null || end === null) return { change: null, changePercent: null }
  const change = end - start
  const hasPercent = start !== 0 && Math.sign(start) === Math.sign(end)
  return { change, changePercent: hasPercent ? (change / Math.abs(start)) * 100 : null }
}

/** Tells whether the rows at both ends of a range are loaded; far out of view they may not be. */
function isLoaded({ series: { times }, stepMs }: SeriesView, range: TimeRange, rangeInView: TimeRange): boolean {
  if (times.length === 0) return false
  const isStartLoaded = range.startMs >= rangeInView.startMs || times[0] <= range.startMs
  const isEndLoaded = range.endMs <= rangeInView.endMs || times[times.length - 1] + (stepMs ?? 0) >= range.endMs
  return isStartLoaded && isEndLoaded
}

/**
 * Formats a measure, for example `+120.5 quote · +0.42 % · 3 h 12 min`. A measure between drawn points starts with ≈,
 * because the points change with the zoom.
 * @param rangeInView the range in view
 */
export function measuredRangeText(view: SeriesView, range: MeasuredRange, rangeInView: TimeRange): string {
  const { measure } = chartsText
  const { change, changePercent, durationMs } = measurementOf(view, range)
  // The number of bars is known only from full rows, because drawn points and candles may be several rows each.
  const stepMs = range.ends?.start.stepMs ?? null
  const barCount = stepMs === null ? null : Math.round(durationMs / stepMs)
  if (!range.ends && !isLoaded(view, range, rangeInView))
    return measure.text(measure.outOfView, null, durationMs, barCount)
  const isNear = view.series.isReduced === true && !range.ends
  const nearSign = isNear && change !== null ? measure.near : ''
  const changeText = change === null ? measure.noValue : nearSign + measure.signed(change, valueText(view, change))
  return measure.text(changeText, changePercent, durationMs, barCount)
}

/** Describes the chart for screen readers. */
export function chartDescription({ label, panes, zone }: ChartModel, range: TimeRange): string {
  const { spoken } = chartsText
  const paneTexts = panes.map(({ title, series, scale }) => {
    const names = series.map((one) =>
      spoken.series(
        one.label,
        one.style,
        (one.display?.unit ?? one.unit) === 'none' ? '' : (one.display?.unit ?? one.unit),
      ),
    )
    return spoken.pane(title, names, scale)
  })
  return spoken.chart(label, paneTexts, range, zone)
}

/** Returns the time of the latest row at or before the given time, over all series. */
export function rowTimeAt(
  series: readonly ChartSeries[],
  timeMs: number,
  rowsAtCursor: RowsAtCursor | null = null,
): number | null {
  const times = series.flatMap((one) => {
    const all = (fullRowsAt(one, timeMs, rowsAtCursor) ?? one).times
    const row = rowAtOrBefore(all, timeMs)
    return row < 0 ? [] : [all[row]]
  })
  return times.length === 0 ? null : Math.max(...times)
}

/** Lists the value of each series at one time, for screen readers. */
export const spokenValues = (
  views: readonly PaneView[],
  timeMs: number,
  rowsAtCursor: RowsAtCursor | null = null,
): string =>
  views
    .flatMap(({ series }) => series)
    .map((one) => chartsText.spoken.value(one.series.label, legendValue(one, timeMs, rowsAtCursor).text))
    .join(', ')
