import type { Router } from 'vue-router'
import type { TimeRange } from '#shared/time/ranges.ts'
import { dayOf } from '#shared/time.ts'
import type { RowAction } from '../tables/rowActions.ts'
import { tablesText } from '../text/tables.ts'
import {
  type ChartedSeries,
  chartLink,
  downloadLink,
  type DownloadPlace,
  MOST_COMPARED,
  removalLink,
} from './seriesLinks.ts'

/** Data of the rows for which a menu is opened. */
interface RowData {
  kind?: 'metrics' | 'raw'
  /** Dataset, venue and symbol of each row. */
  places: readonly DownloadPlace[]
  /** Files that a removal affects, if they differ from `places`; an empty dataset means all datasets. */
  removal?: readonly DownloadPlace[]
  /** Series to chart; without any, the menu has no chart command. */
  series?: readonly ChartedSeries[]
  /** Range of time that the rows cover; omitted for all days. */
  range?: TimeRange
  /** Preselected interval and timestamp source for a download of metrics. */
  files?: { interval: string; timestamp: string }
}

const { menu: text } = tablesText
const daysOf = ({ startMs, endMs }: TimeRange) => ({ start: dayOf(startMs), end: dayOf(Math.max(startMs, endMs - 1)) })

/**
 * Lists the commands for rows of data: chart them (unless there are no series or too many), download them, and remove
 * their files (if the removal can select exactly these).
 */
export function placeActions(
  router: Router,
  { kind = 'metrics', places, removal = places, series = [], range, files }: RowData,
): RowAction[] {
  if (places.length === 0) return []
  const days = range ? daysOf(range) : {}
  const fields: Record<string, string> =
    kind === 'metrics' && files ? { interval: files.interval, timestamp: files.timestamp } : {}
  const removalAddress = removalLink(removal, days)
  const navigationTo = (to: Parameters<Router['push']>[0]) => () => void router.push(to)
  return [
    ...(series.length > 0 && series.length <= MOST_COMPARED
      ? [{ id: 'chart', title: text.chart, run: navigationTo(chartLink(series, { range })) }]
      : []),
    { id: 'download', title: text.download, run: navigationTo(downloadLink(kind, places, { ...fields, ...days })) },
    ...(removalAddress ? [{ id: 'removeFiles', title: text.remove, run: navigationTo(removalAddress) }] : []),
  ]
}
