import type { RawDatasetId } from '#shared/catalog/rawDatasets.ts'
import type { TimestampSource } from '#shared/catalog/intervals.ts'
import type { MetricDatasetId } from '#shared/catalog/metricDatasets.ts'
import { datasetComputations } from '#shared/metrics/datasetComputations.ts'

/** Rule for the values of a column; a file with an invalid value is refused, and the error names file and column. */
export type ValueRule = 'above 0' | '0 or more' | 'a number' | 'a side'

export interface EventColumn {
  /** Field of the decoded events. */
  field: string
  /** Column of the file. */
  column: string
  rule: ValueRule
}

const eventColumn = (field: string, column: string, rule: ValueRule): EventColumn => ({ field, column, rule })

const eventColumns: Record<RawDatasetId, readonly EventColumn[]> = {
  trades: [
    eventColumn('price', 'price', 'above 0'),
    eventColumn('amount', 'amount', '0 or more'),
    eventColumn('side', 'side', 'a side'),
  ],
  quotes: [
    // A price of 0 means that this side of the book is empty.
    eventColumn('bidPrice', 'bid_price', '0 or more'),
    eventColumn('bidAmount', 'bid_amount', '0 or more'),
    eventColumn('askPrice', 'ask_price', '0 or more'),
    eventColumn('askAmount', 'ask_amount', '0 or more'),
  ],
  mark_price: [eventColumn('value', 'mark_price', 'above 0')],
  index_price: [eventColumn('value', 'index_price', 'above 0')],
  funding_rate: [eventColumn('value', 'funding_rate', 'a number')],
  open_interest: [eventColumn('value', 'open_interest', '0 or more')],
}

export const eventTimeColumn = (timestamp: TimestampSource) =>
  timestamp === 'true' ? 'local_timestamp' : 'exchange_timestamp'

/** Returns the columns with an event's values, without its timestamps. */
export const eventValueColumns = (source: RawDatasetId): readonly EventColumn[] => eventColumns[source]

/** Returns the columns of a source that these datasets need. */
export function columnsRead(source: RawDatasetId, datasets: readonly MetricDatasetId[]): EventColumn[] {
  const fields = new Set<string>(datasets.flatMap((dataset) => datasetComputations[dataset].reads[source] ?? []))
  return eventColumns[source].filter(({ field }) => fields.has(field))
}
