import type { ArrangedRows, RowId } from '../../tables/rows.ts'
import { isSelected, type Selection } from '../../tables/selection.ts'
import { metricOfRaw, type ChartedSeries, type DownloadPlace } from '../seriesLinks.ts'
import type { CoverageAddress } from './coverageAddress.ts'

/** Dataset used if no metric dataset is selected. */
export const USUAL_DATASET = 'ohlcv'

/** The place that a row of the table stands for. Its id tells it, however the rows moved since it was chosen. */
export function placeOf(id: RowId, address: CoverageAddress): DownloadPlace {
  const [exchange, symbol, dataset] = String(id).split('\n')
  return { dataset: dataset ?? (address.at?.dataset || address.dataset || USUAL_DATASET), exchange, symbol }
}

/** The chosen rows in the order of the table; rows that the filter hides now belong to the choice too, last. */
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
