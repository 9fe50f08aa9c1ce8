import { formatTime, zoneName } from '#shared/units/instants.ts'
import { legendValue } from './legend.ts'
import type { ChartModel, ChartSeries, TimeRange } from './model.ts'
import type { PaneView } from './paneView.ts'
import { rowAtOrBefore } from './rows.ts'

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
