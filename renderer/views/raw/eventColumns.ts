import { hasModelledTime, rawColumns, isRawDatasetId } from '#shared/catalog/rawDatasets.ts'
import { sizeWords } from '#shared/catalog/rawNotes.ts'
import type { Venues } from '#shared/catalog/venues.ts'
import type { TableColumn } from '../../tables/columns.ts'
import { rawRowsText } from '../../text/raw.ts'

const sizeColumns = /amount|open_interest/

/** Returns the size unit of a venue (contracts or base assets), or a text that says it is unknown. */
export function sizeUnit(exchange: string, venues: Venues): string {
  const { sizes } = venues.find(exchange)
  return sizes === null ? rawRowsText.unknownUnit : sizeWords[sizes]
}

/** Builds the columns of an event table, wide enough for times to the microsecond; sizes are in the venue's unit. */
export function eventTableColumns(dataset: string, exchange: string, venues: Venues): TableColumn[] {
  if (!isRawDatasetId(dataset)) return []
  const declared = rawColumns(dataset, hasModelledTime(dataset, exchange, venues))
  const columns = declared.map(({ name, type, description }): TableColumn => {
    const commonFields = { key: name, title: name, hint: description, sortable: false }
    if (type === 'timestamp') return { ...commonFields, kind: 'time', widthPx: 214 }
    if (type === 'string')
      return { ...commonFields, kind: 'text', widthPx: name === 'id' ? 130 : name.endsWith('_kind') ? 176 : 90 }
    if (sizeColumns.test(name))
      return { ...commonFields, kind: 'volume', unit: sizeUnit(exchange, venues), widthPx: 168 }
    return { ...commonFields, kind: name === 'funding_rate' ? 'rate' : 'price' }
  })
  return [{ key: 'row', title: rawRowsText.row, kind: 'count', sortable: false, widthPx: 90 }, ...columns]
}
