import type { ArrangedRows, RowId } from '../../tables/rows.ts'
import { isSelected, type Selection } from '../../tables/selection.ts'
import { metricOfRaw, type ChartedSeries, type DownloadPlace } from '../seriesLinks.ts'
import type { CoverageAddress } from './coverageAddress.ts'

/** Dataset used if no metric dataset is selected. */
export const USUAL_DATASET = 'ohlcv'

/** Finds the place of a row by its id, which stays the same however the rows move. */
export function placeOf(id: RowId, address: CoverageAddress): DownloadPlace {
  const [exchange, symbol, dataset] = String(id).split('\n')
  return { dataset: dataset ?? (address.at?.dataset || address.dataset || USUAL_DATASET), exchange, symbol }
}

/** Lists the selected rows in the order of the table, followed by those that the filter hides now. */
export function selectedPlaces(rows: ArrangedRows, selection: Selection, address: CoverageAddress): DownloadPlace[] {
  const chosen = new Set<RowId>()
  for (let place = 0; place < rows.count; place += 1) {
    const id = rows.idOf(place)
    if (id !== undefined && isSelected(selection, id)) chosen.add(id)
  }
  if (!selection.everything) for (const id of selection.ids) chosen.add(id)
  return [...chosen].map((id) => placeOf(id, address))
}

/**
 * Lists the series that a chart of these places shows: for raw events the metric computed from them, each series once.
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
