import type { TableColumn } from '#shared/sheet/columns.ts'
import { largeText, resampleText } from '#shared/catalog/columnText.ts'
import type { KnownColumn } from '#shared/catalog/knownDatasets.ts'
import type { ServedQuantity } from '#shared/catalog/servedUnits.ts'
import { textColumn, type Frame } from '#shared/contract/frame.ts'
import type { Venues } from '#shared/catalog/venues.ts'
import { unitOnVenues } from '#shared/units/measureUnits.ts'
import { unitLabel } from '#shared/units/numberKinds.ts'
import { catalogText } from '../../text/catalog.ts'

const { columns: titles } = catalogText
const baseColumns: readonly TableColumn[] = [
  { key: 'label', ...titles.label, kind: 'text', widthPx: 190 },
  { key: 'name', ...titles.name, kind: 'text', widthPx: 246 },
  { key: 'unit', ...titles.unit, kind: 'text', widthPx: 264 },
  { key: 'kind', ...titles.kind, kind: 'text', widthPx: 76 },
  { key: 'formula', ...titles.formula, kind: 'text', widthPx: 420, widestPx: 720 },
  { key: 'nullRule', ...titles.nullRule, kind: 'text', widthPx: 260 },
  { key: 'large', ...titles.large, kind: 'text', widthPx: 150 },
  { key: 'resample', ...titles.resample, kind: 'text', widthPx: 220 },
]
const serviceColumn: TableColumn = { key: 'said', ...titles.said, kind: 'text', widthPx: 260 }

/** Returns the table's columns, including one for the service's descriptions if any of these differs from ours. */
export const tableColumnsFor = (known: readonly KnownColumn[]): readonly TableColumn[] =>
  known.some((column) => column.serviceTexts !== null) ? [...baseColumns, serviceColumn] : baseColumns

/** Converts the columns of a dataset to a table with one row per column, identified by its `name`. */
export function columnFrame(known: readonly KnownColumn[], venues: Venues): Frame {
  const text = (name: string, cellOf: (column: KnownColumn) => string | null) => textColumn(name, known.map(cellOf))
  return {
    rows: known.length,
    columns: [
      text('label', ({ label }) => label),
      text('name', ({ name }) => name),
      text('unit', ({ meaning, served }) => {
        if (meaning?.unit === 'none') return unitLabel(meaning.kind, 'none')
        return meaning ? unitOnVenues(meaning.unit, venues) : served ? servedUnitLabel(served) : null
      }),
      text('kind', ({ meaning, served }) => (meaning ?? served)?.kind ?? null),
      text('formula', ({ formula }) => formula || null),
      text('nullRule', ({ meaning }) => meaning?.nullRule ?? null),
      text('large', ({ meaning }) => (meaning ? largeText[meaning.large] : null)),
      text('resample', ({ meaning }) => (meaning ? resampleText(meaning.resample) : null)),
      text('said', (column) => (column.serviceTexts ? serviceText(column.serviceTexts) : null)),
    ],
  }
}

/** Names the unit that a service gives to a column of its own. */
export const servedUnitLabel = ({ unit, kind }: ServedQuantity): string => unitLabel(kind ?? 'statistic', unit)

export const serviceText = ({ label, description }: { label: string; description: string }): string =>
  [label, description].filter(Boolean).join(': ')
