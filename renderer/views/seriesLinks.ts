import type { RouteLocationRaw } from 'vue-router'
import type { TimeRange } from '#shared/time/ranges.ts'
import { metricDatasets } from '#shared/catalog/metricDatasets.ts'

/** A series of metric files, as the workbench takes it from an address; without a column the dataset's first telling one. */
export interface ChartedSeries {
  dataset: string
  column?: string
  exchange: string
  symbol: string
  interval: string
  timestamp: string
}

/** Builds the link to a chart of some series: over a range where one is given, or to the rows in its table. */
export const chartLink = (
  series: readonly ChartedSeries[],
  { range, tab }: { range?: TimeRange; tab?: 'data' | 'relationships' } = {},
): RouteLocationRaw => ({
  path: tab ? `/workbench/${tab}` : '/workbench',
  query: { show: JSON.stringify(series), ...(range && { from: range.startMs, to: range.endMs }) },
})

/** More lines than this tell nothing. */
export const MOST_COMPARED = 12

export interface DownloadPlace {
  dataset: string
  exchange: string
  symbol: string
}

/** An address is there to be read and passed on: what is longer travels beside it, in the window's history. */
const MOST_IN_ADDRESS = 100

/** Builds the link to the composer with these selected: everything that their datasets, venues and symbols span. */
export function downloadLink(
  kind: 'metrics' | 'raw',
  places: readonly DownloadPlace[],
  rest: Readonly<Record<string, string>> = {},
): RouteLocationRaw {
  const each = (name: keyof DownloadPlace) => [...new Set(places.map((place) => place[name]))]
  const symbols = each('symbol')
  const isLong = symbols.length > MOST_IN_ADDRESS
  return {
    path: '/downloads/new',
    query: {
      ...(kind === 'raw' && { kind }),
      dataset: each('dataset').join(','),
      exchange: each('exchange').join(','),
      ...(!isLong && { symbol: symbols.join(',') }),
      ...rest,
    },
    ...(isLong && { state: { symbols } }),
  }
}

/**
 * Builds the link to the removal of these files in Settings, which counts them before it removes any; null where they are of
 * several datasets or venues, because its filter would also match what is not selected.
 */
export function removalLink(
  places: readonly DownloadPlace[],
  { start = '', end = '' }: { start?: string; end?: string } = {},
): RouteLocationRaw | null {
  const each = (name: keyof DownloadPlace) => [...new Set(places.map((place) => place[name]))]
  const [datasets, exchanges, symbols] = [each('dataset'), each('exchange'), each('symbol')]
  if (datasets.length !== 1 || exchanges.length !== 1 || symbols.length > MOST_IN_ADDRESS) return null
  const query = { dataset: datasets[0], exchange: exchanges[0], symbol: symbols.join(','), start, end }
  return {
    path: '/settings/cache',
    query: Object.fromEntries(Object.entries(query).filter(([, value]) => value !== '')),
  }
}

/** The metric that shows raw events of this dataset best. */
export function metricOfRaw(rawDataset: string): string {
  const made = metricDatasets.filter(({ driving }) => driving === rawDataset)
  return (made.find(({ id }) => id === 'ohlcv') ?? made.at(0))?.id ?? 'ohlcv'
}
