import type { TableColumn } from '#shared/sheet/columns.ts'
import { hasModelledTime, rawColumns, isRawDatasetId } from '#shared/catalog/rawDatasets.ts'
import { sizeWords } from '#shared/catalog/rawNotes.ts'
import { exactNumber } from '#shared/units/numbers.ts'
import type { Venues } from '#shared/catalog/venues.ts'
import type { Frame } from '#shared/contract/frame.ts'
import { rawRowsText } from '../../text/raw.ts'

const sizeColumns = /amount|open_interest/

/** Returns the size unit of a venue (contracts or base assets), or a text that says it is unknown. */
export function sizeUnit(exchange: string, venues: Venues): string {
  const { sizes } = venues.find(exchange)
  return sizes === null ? rawRowsText.unknownUnit : sizeWords[sizes]
}

const placeColumn: TableColumn = {
  ...{ key: 'row', title: rawRowsText.row, kind: 'count', sortable: false, widthPx: 90 },
}
const TIME_PX = 214
const textPx = (name: string) => (name === 'id' ? 130 : name.endsWith('_kind') ? 176 : 90)

/** Builds the columns of a table of events that no document describes, from some of its rows. */
export function foundEventColumns({ columns }: Frame, listed: readonly { name: string; description: string }[]) {
  const found = columns.filter(({ name }) => name !== placeColumn.key)
  return [
    placeColumn,
    ...found.map(({ name, kind }): TableColumn => {
      const hint = listed.find((column) => column.name === name)?.description ?? ''
      const commonFields = { key: name, title: name, hint, sortable: false }
      if (kind === 'time') return { ...commonFields, kind: 'time', widthPx: TIME_PX }
      if (kind === 'text') return { ...commonFields, kind: 'text', widthPx: Math.max(130, textPx(name)) }
      return { ...commonFields, kind: 'ratio', widthPx: 150, format: (value) => exactNumber(Number(value)) }
    }),
  ]
}

/** Builds the columns of an event table, wide enough for times to the microsecond; sizes are in the venue's unit. */
export function eventTableColumns(dataset: string, exchange: string, venues: Venues): TableColumn[] {
  if (!isRawDatasetId(dataset)) return []
  const declared = rawColumns(dataset, hasModelledTime(dataset, exchange, venues))
  const columns = declared.map(({ name, type, description }): TableColumn => {
    const commonFields = { key: name, title: name, hint: description, sortable: false }
    if (type === 'timestamp') return { ...commonFields, kind: 'time', widthPx: TIME_PX }
    if (type === 'string') return { ...commonFields, kind: 'text', widthPx: textPx(name) }
    if (sizeColumns.test(name))
      return { ...commonFields, kind: 'volume', unit: sizeUnit(exchange, venues), widthPx: 168 }
    return { ...commonFields, kind: name === 'funding_rate' ? 'rate' : 'price' }
  })
  return [placeColumn, ...columns]
}
