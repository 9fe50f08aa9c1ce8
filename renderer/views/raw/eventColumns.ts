import { rawColumns, isRawDatasetId } from '#shared/catalog/rawDatasets.ts'
import { amountUnits, isVenue } from '#shared/catalog/venues.ts'
import type { TableColumn } from '../../tables/columns.ts'
import { rawRowsText } from '../../text/raw.ts'

const sizeColumns = /amount|open_interest/

/** Returns the size unit of a venue (contracts or base assets), or a text that says it is unknown. */
export const sizeUnit = (exchange: string): string =>
  isVenue(exchange) ? amountUnits[exchange] : rawRowsText.unknownUnit

/** Builds the columns of an event table, wide enough for times to the microsecond; sizes are in the venue's unit. */
export function eventTableColumns(dataset: string, exchange: string): TableColumn[] {
  if (!isRawDatasetId(dataset)) return []
  const declared = rawColumns(dataset, isVenue(exchange) ? exchange : 'venuea-futures')
  const columns = declared.map(({ name, type, description }): TableColumn => {
    const commonFields = { key: name, title: name, hint: description, sortable: false }
    if (type === 'timestamp') return { ...commonFields, kind: 'time', widthPx: 214 }
    if (type === 'string')
      return { ...commonFields, kind: 'text', widthPx: name === 'id' ? 130 : name.endsWith('_kind') ? 176 : 90 }
    if (sizeColumns.test(name)) return { ...commonFields, kind: 'volume', unit: sizeUnit(exchange), widthPx: 168 }
    return { ...commonFields, kind: name === 'funding_rate' ? 'rate' : 'price' }
  })
  return [{ key: 'row', title: rawRowsText.row, kind: 'count', sortable: false, widthPx: 90 }, ...columns]
}
