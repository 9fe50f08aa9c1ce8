import type { ArrangedRows, RowId } from '../../tables/rows.ts'
import { selectedIds, type Selection } from '../../tables/selection.ts'
import { metricOfRaw, type ChartedSeries, type DownloadPlace } from '../../widgets/seriesLinks.ts'
import type { CoverageAddress } from './coverageAddress.ts'

/** Default dataset if no metric dataset is selected. */
const DEFAULT_DATASET = 'ohlcv'

/** Parses the dataset, venue and symbol from a row id, which stays valid when rows move. */
export function placeOfRow(id: RowId, address: CoverageAddress): DownloadPlace {
  const [exchange, symbol, dataset] = String(id).split('\n')
  return { dataset: dataset ?? (address.at?.dataset || address.dataset || DEFAULT_DATASET), exchange, symbol }
}

/** Lists the dataset, venue and symbol of the selected rows. */
export const selectedPlaces = (rows: ArrangedRows, selection: Selection, address: CoverageAddress): DownloadPlace[] =>
  selectedIds(rows, selection).map((id) => placeOfRow(id, address))

/**
 * Lists the series for charting these rows, without duplicates; raw events are charted as the metric computed from
 * them.
 */
export function chartedSeries(
  { kind, interval, timestamp }: Pick<CoverageAddress, 'kind' | 'interval' | 'timestamp'>,
  places: readonly DownloadPlace[],
): ChartedSeries[] {
  const series = places.map(({ dataset, exchange, symbol }) => ({
    dataset: kind === 'raw' ? metricOfRaw(dataset) : dataset,
    exchange,
    symbol,
    interval,
    timestamp,
  }))
  return [...new Map(series.map((each) => [JSON.stringify(each), each])).values()]
}
