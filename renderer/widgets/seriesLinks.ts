import type { RouteLocationRaw } from 'vue-router'
import type { TimeRange } from '#shared/time/ranges.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import { dayFromNumber } from '#shared/time/periods.ts'
import { metricDatasets } from '#shared/catalog/metricDatasets.ts'

/**
 * A series of metric files as the workbench reads it from an address; without a column, the dataset's default column.
 */
export interface ChartedSeries {
  dataset: string
  column?: string
  exchange: string
  symbol: string
  interval: string
  timestamp: string
  origin?: 'computed'
}

/** Builds the link to a chart of some series over an optional range, or to their rows or relationships. */
export const chartLink = (
  series: readonly ChartedSeries[],
  { range, tab }: { range?: TimeRange; tab?: 'data' | 'relationships' } = {},
): RouteLocationRaw => ({
  path: tab ? `/workbench/${tab}` : '/workbench',
  query: { show: JSON.stringify(series), ...(range && { from: range.startMs, to: range.endMs }) },
})

/** Datasets of raw events that trades over quotes show. */
const onTape: readonly string[] = ['trades', 'quotes']
const MINUTES_BEFORE_MS = 2 * 60_000

/** Builds the link to raw events around a time: trades over quotes, or the rows of the day. */
export function eventsLink(
  { dataset, exchange, symbol }: DownloadPlace,
  timeMs: number,
  tab: 'tape' | 'rows',
): RouteLocationRaw {
  const query = { exchange, symbol, dataset, period: dayFromNumber(Math.floor(timeMs / MS_PER_DAY)) }
  if (tab === 'rows' || !onTape.includes(dataset)) return { path: '/raw/rows', query }
  return {
    path: '/raw/tape',
    query: { ...query, at: new Date(timeMs - MINUTES_BEFORE_MS).toISOString(), minutes: '15' },
  }
}

/** Maximum number of compared series, because more lines cannot be told apart. */
export const MOST_COMPARED = 12

export interface DownloadPlace {
  dataset: string
  exchange: string
  symbol: string
}

/** Maximum number of symbols in an address, which people read and share; more are passed in the history state. */
const MOST_IN_ADDRESS = 100

/**
 * Builds the link to the download form with these series selected, and so with all combinations of their datasets,
 * venues and symbols.
 */
export function downloadLink(
  kind: 'metrics' | 'raw',
  places: readonly DownloadPlace[],
  furtherFields: Readonly<Record<string, string>> = {},
): RouteLocationRaw {
  const distinct = (name: keyof DownloadPlace) => [...new Set(places.map((place) => place[name]))]
  const symbols = distinct('symbol')
  const isLong = symbols.length > MOST_IN_ADDRESS
  return {
    path: '/downloads/new',
    query: {
      ...(kind === 'raw' && { kind }),
      dataset: distinct('dataset').join(','),
      exchange: distinct('exchange').join(','),
      ...(!isLong && { symbol: symbols.join(',') }),
      ...furtherFields,
    },
    ...(isLong && { state: { symbols } }),
  }
}

/**
 * Builds the link to the removal of these files in Settings, which counts them before it removes any. Null for several
 * datasets or venues, because the filter in Settings would also match files that are not selected, and null for more
 * symbols than fit into an address.
 */
export function removalLink(
  places: readonly DownloadPlace[],
  { start = '', end = '' }: { start?: string; end?: string } = {},
): RouteLocationRaw | null {
  const distinct = (name: keyof DownloadPlace) => [...new Set(places.map((place) => place[name]))]
  const [datasets, exchanges, symbols] = [distinct('dataset'), distinct('exchange'), distinct('symbol')]
  if (datasets.length !== 1 || exchanges.length !== 1 || symbols.length > MOST_IN_ADDRESS) return null
  const query = { dataset: datasets[0], exchange: exchanges[0], symbol: symbols.join(','), start, end }
  return {
    path: '/settings/cache',
    query: Object.fromEntries(Object.entries(query).filter(([, value]) => value !== '')),
  }
}

/** Returns the metric dataset that represents raw events of this dataset best. */
export function metricOfRaw(rawDataset: string): string {
  const computed = metricDatasets.filter(({ drivingSource }) => drivingSource === rawDataset)
  return (computed.find(({ id }) => id === 'ohlcv') ?? computed.at(0))?.id ?? 'ohlcv'
}
