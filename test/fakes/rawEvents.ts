import type { EventSource } from '#shared/catalog/metricDatasets.ts'
import { sideCodes, type EventColumns } from '#shared/metrics/events.ts'
import type { ParquetTable } from './readParquet.ts'

const columnsOf: Partial<Record<EventSource, Record<string, string>>> = {
  trades: { price: 'price', amount: 'amount' },
  quotes: { bidPrice: 'bid_price', bidAmount: 'bid_amount', askPrice: 'ask_price', askAmount: 'ask_amount' },
  mark_price: { value: 'mark_price' },
  index_price: { value: 'index_price' },
  funding_rate: { value: 'funding_rate' },
  open_interest: { value: 'open_interest' },
}

/** Builds the engine's events from raw files, ordered by the chosen timestamp. */
export function rawEvents(source: EventSource, tables: ParquetTable[], timestamp: string): EventColumns {
  const column = (name: string) => tables.flatMap((table) => table.columns[name])
  const timeUs = column(timestamp === 'true' ? 'local_timestamp' : 'exchange_timestamp').map(Number)
  const order = timeUs.map((_, index) => index).sort((a, b) => timeUs[a] - timeUs[b])
  const sorted = (values: number[]) => Float64Array.from(order, (at) => values[at])
  const events: EventColumns = { timeUs: sorted(timeUs) }
  for (const [field, name] of Object.entries(columnsOf[source] ?? {})) events[field] = sorted(column(name).map(Number))
  if (source === 'trades') {
    const sides = column('side') as (keyof typeof sideCodes)[]
    events.side = Uint8Array.from(order, (at) => sideCodes[sides[at]])
  }
  return events
}
