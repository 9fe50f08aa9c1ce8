import { numberFormat } from '#shared/units/numberKinds.ts'
import { hasValue, longestStepMs, rowAtOrBefore } from './rows.ts'
import type { SeriesView } from './seriesView.ts'
import { rowwise } from './transform.ts'

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
