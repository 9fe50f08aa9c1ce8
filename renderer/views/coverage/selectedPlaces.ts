import type { Frame } from '#shared/contract/frame.ts'
import type { FrameRows } from '../../tables/frameRows.ts'
import { isSelected, type Selection } from '../../tables/selection.ts'
import { metricOfRaw, type ChartedSeries, type DownloadPlace } from '../seriesLinks.ts'
import type { CoverageAddress } from './coverageAddress.ts'
import { textOf } from './symbolFrame.ts'

/** Where nobody chose a dataset of metric files. */
export const USUAL_DATASET = 'ohlcv'

/** The chosen rows in the order of the table; rows that the filter hides now belong to the choice too, last. */
export function selectedPlaces(
  frame: Frame,
  rows: FrameRows,
  selection: Selection,
  address: CoverageAddress,
): DownloadPlace[] {
  const chosen = new Set<number>()
  for (let place = 0; place < rows.count; place += 1) {
    const row = rows.frameRow(place)
    if (isSelected(selection, row)) chosen.add(row)
  }
  if (!selection.everything) for (const id of selection.ids) chosen.add(Number(id))
  const text = (name: string) => {
    const { values, dictionary } = textOf(frame, name)
    return (row: number) => dictionary[values[row]]
  }
  const [exchange, symbol] = [text('exchange'), text('symbol')]
  const dataset =
    address.kind === 'raw' ? text('dataset') : () => address.at?.dataset || address.dataset || USUAL_DATASET
  return [...chosen].map((row) => ({ dataset: dataset(row), exchange: exchange(row), symbol: symbol(row) }))
}

/** What a chart of these places shows: of raw events the metric made of them, each series once. */
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
