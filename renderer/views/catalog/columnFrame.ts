import { largeText, resampleText } from '#shared/catalog/columnText.ts'
import type { KnownColumn } from '#shared/catalog/knownDatasets.ts'
import { textColumn, type Frame } from '#shared/contract/frame.ts'
import { unitOnVenues } from '#shared/units/measureUnits.ts'
import type { TableColumn } from '../../tables/columns.ts'

const base: readonly TableColumn[] = [
  { key: 'label', title: 'Column', kind: 'text', widthPx: 190 },
  { key: 'name', title: 'Name', kind: 'text', widthPx: 246, hint: 'As it stands in the files' },
  { key: 'unit', title: 'Unit', kind: 'text', widthPx: 96 },
  { key: 'kind', title: 'Kind', kind: 'text', widthPx: 76 },
  { key: 'formula', title: 'What it is', kind: 'text', widthPx: 420, widestPx: 720 },
  { key: 'nullRule', title: 'When it is missing', kind: 'text', widthPx: 260 },
  { key: 'large', title: 'High when', kind: 'text', widthPx: 150 },
  { key: 'resample', title: 'In a longer interval', kind: 'text', widthPx: 220 },
]
const said: TableColumn = { key: 'said', title: 'The service says', kind: 'text', widthPx: 260 }

/** The service's own words have a place of their own only where they differ anywhere. */
export const columnsOf = (known: readonly KnownColumn[]): readonly TableColumn[] =>
  known.some((column) => column.said !== null) ? [...base, said] : base

/** Turns the columns of a dataset into a table keyed by `name`. */
export function columnFrame(known: readonly KnownColumn[]): Frame {
  const text = (name: string, cellOf: (column: KnownColumn) => string | null) => textColumn(name, known.map(cellOf))
  return {
    rows: known.length,
    columns: [
      text('label', ({ label }) => label),
      text('name', ({ name }) => name),
      text('unit', ({ meaning }) => (meaning ? (meaning.unit === 'none' ? '' : unitOnVenues(meaning.unit)) : null)),
      text('kind', ({ meaning }) => meaning?.kind ?? null),
      text('formula', ({ formula }) => formula || null),
      text('nullRule', ({ meaning }) => meaning?.nullRule ?? null),
      text('large', ({ meaning }) => (meaning ? largeText[meaning.large] : null)),
      text('resample', ({ meaning }) => (meaning ? resampleText(meaning.resample) : null)),
      text('said', (column) => (column.said ? saidWords(column.said) : null)),
    ],
  }
}

export const saidWords = ({ label, description }: { label: string; description: string }): string =>
  [label, description].filter(Boolean).join(': ')
