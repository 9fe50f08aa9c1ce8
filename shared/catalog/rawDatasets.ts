import type { Venues } from './venues.ts'

export type RawDatasetId = 'trades' | 'quotes' | 'mark_price' | 'index_price' | 'funding_rate' | 'open_interest'

export interface RawColumn {
  name: string
  type: 'timestamp' | 'string' | 'float64'
  nullable: boolean
  description: string
}

interface RawDataset {
  id: RawDatasetId
  name: string
  description: string
  columns: readonly RawColumn[]
  /** True if the feed of `VENUE_WITHOUT_TIMES` has no exchange times for this dataset, so that they are modelled. */
  exchangeTimeModelled: boolean
}

const timestamp = (name: string, description: string, nullable = false): RawColumn => ({
  name,
  type: 'timestamp',
  nullable,
  description,
})
const text = (name: string, description: string): RawColumn => ({ name, type: 'string', nullable: false, description })
const float = (name: string, description: string): RawColumn => ({
  name,
  type: 'float64',
  nullable: false,
  description,
})

/** Columns that the files of every dataset have. */
export const commonRawColumns = [
  timestamp('exchange_timestamp', 'When the venue says the event happened (UTC, microseconds)'),
  timestamp('local_timestamp', 'When the event reached the capture machine (UTC, microseconds)'),
  text('local_timestamp_kind', 'measured or modelled; modelled rows must not be used for latency research'),
]

const exchangeTimestampKind = text('exchange_timestamp_kind', 'modelled: the feed carries no exchange time here')

const dataset = (
  id: RawDatasetId,
  name: string,
  description: string,
  columns: RawColumn[],
  exchangeTimeModelled = true,
): RawDataset => ({ id, name, description, columns: [...commonRawColumns, ...columns], exchangeTimeModelled })

export const rawDatasets: readonly RawDataset[] = [
  dataset(
    'trades',
    'Trades',
    'Every trade printed on the venue',
    [
      text('id', 'Venue trade id'),
      text('side', 'Taker side: buy, sell or unknown'),
      float('price', 'Trade price'),
      float('amount', 'Traded quantity in the venue’s size unit'),
    ],
    false,
  ),
  dataset(
    'quotes',
    'Quotes',
    'Top-of-book update, one row per change',
    [
      float('bid_price', 'Best bid price; 0 where there is none'),
      float('bid_amount', 'Quantity at the best bid'),
      float('ask_price', 'Best ask price; 0 where there is none'),
      float('ask_amount', 'Quantity at the best ask'),
    ],
    false,
  ),
  dataset('mark_price', 'Mark price', 'Venue mark price, one row per change', [float('mark_price', 'Mark price')]),
  dataset('index_price', 'Index price', 'Venue index price of the underlying, one row per change', [
    float('index_price', 'Index price'),
  ]),
  dataset('funding_rate', 'Funding rate', 'Current funding rate and next funding time, one row per change of either', [
    float('funding_rate', 'Funding rate as the venue publishes it'),
    timestamp('next_funding_timestamp', 'When the current funding period settles (UTC, microseconds)', true),
  ]),
  dataset('open_interest', 'Open interest', 'Open interest as the venue reports it, one row per change', [
    float('open_interest', 'Open interest in the venue’s size unit'),
  ]),
]

const datasetById = new Map(rawDatasets.map((entry) => [entry.id as string, entry]))

export const isRawDatasetId = (id: string): id is RawDatasetId => datasetById.has(id)

export function rawDataset(id: RawDatasetId): RawDataset {
  const found = datasetById.get(id)
  if (!found) throw new RangeError(`no raw dataset ${id}`)
  return found
}

/** Tells whether the feed of a venue carries no exchange time for a dataset, so that its times are modelled. */
export const hasModelledTime = (id: RawDatasetId, exchange: string, venues: Pick<Venues, 'find'>): boolean =>
  rawDataset(id).exchangeTimeModelled && venues.find(exchange).exchangeTimes === 'modelled'

/** Lists the columns of a dataset's files in file order; with modelled times, a column says so. */
export function rawColumns(id: RawDatasetId, withModelledTimes: boolean): readonly RawColumn[] {
  const { columns } = rawDataset(id)
  return withModelledTimes ? [columns[0], exchangeTimestampKind, ...columns.slice(1)] : columns
}
