import { isRawDatasetId, rawDataset } from './rawDatasets.ts'
import type { Sizes, Venues } from './venues.ts'

/** Columns of raw events with sizes in the venue's own unit. */
const sizeColumns = new Set(['amount', 'bid_amount', 'ask_amount', 'open_interest'])

/** What a venue counts sizes in, in words. */
export const sizeWords: Readonly<Record<Sizes, string>> = { base: 'base asset', contracts: 'contracts' }

/** Returns the size unit of a raw column by venue (null if not known); null for columns that are not sizes. */
export function sizeUnitsOf(
  column: string,
  exchanges: readonly string[],
  venues: Pick<Venues, 'find'>,
): Record<string, string | null> | null {
  if (!sizeColumns.has(column)) return null
  return Object.fromEntries(
    exchanges.map((exchange) => {
      const { sizes } = venues.find(exchange)
      return [exchange, sizes && sizeWords[sizes]]
    }),
  )
}

/** Lists the notes of the raw-event catalog on the columns of a dataset. */
export function rawNotesOf(dataset: string, venues: Venues): string[] {
  const latencyNote = 'Rows whose local_timestamp_kind is modelled must not be used for latency research.'
  if (!isRawDatasetId(dataset) || !rawDataset(dataset).exchangeTimeModelled) return [latencyNote]
  const modelled = venues.list.filter(({ exchangeTimes }) => exchangeTimes === 'modelled')
  return [
    latencyNote,
    ...modelled.map(
      ({ id }) =>
        `On ${id} the feed carries no exchange time: exchange_timestamp is modelled there, and the additional column exchange_timestamp_kind says so.`,
    ),
  ]
}
