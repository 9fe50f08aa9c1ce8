import { isRawDatasetId, rawDataset } from './rawDatasets.ts'
import { amountUnits, isVenue } from './venues.ts'

/** Columns of raw events with sizes in the venue's own unit. */
const sizeColumns = new Set(['amount', 'bid_amount', 'ask_amount', 'open_interest'])

/** Returns the size unit of a raw column by venue (null for unknown venues); null for columns that are not sizes. */
export function sizeUnitsOf(column: string, exchanges: readonly string[]): Record<string, string | null> | null {
  if (!sizeColumns.has(column)) return null
  return Object.fromEntries(exchanges.map((venue) => [venue, isVenue(venue) ? amountUnits[venue] : null]))
}

/** Lists the notes of the raw-event catalog on the columns of a dataset. */
export function rawNotesOf(dataset: string): string[] {
  const latencyNote = 'Rows whose local_timestamp_kind is modelled must not be used for latency research.'
  if (!isRawDatasetId(dataset) || !rawDataset(dataset).exchangeTimeModelled) return [latencyNote]
  return [
    latencyNote,
    'On venuec-perps the feed carries no exchange time: exchange_timestamp is modelled there, and the additional column exchange_timestamp_kind says so.',
  ]
}
