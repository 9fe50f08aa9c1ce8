import { exactTime, type Zone } from '#shared/units/instants.ts'
import { exactNumber } from '#shared/units/numbers.ts'
import { unitOf, type TableColumn } from './columns.ts'
import type { Cell } from './rows.ts'

/** Spreadsheets run such text as a formula; the apostrophe keeps it text. */
const runsAsFormula = /^[=+\-@]/

/** A value for other programs: whole numbers of digits, times with their offset, missing as nothing. */
export function tsvCell(value: Cell | undefined, column: TableColumn, zone: Zone): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number') return column.kind === 'time' ? exactTime(value, zone) : exactNumber(value)
  const line = value.replace(/[\t\r\n]+/g, ' ')
  return runsAsFormula.test(line) ? `'${line}` : line
}

export function tsvHeader(columns: readonly TableColumn[], zone: Zone): string {
  const titles = columns.map((column) => {
    // Copied shares are fractions, copied times carry their offset: the header's unit would be wrong for them.
    const unit = column.kind === 'share' || column.kind === 'time' ? '' : unitOf(column, zone)
    return unit ? `${column.title} (${unit})` : column.title
  })
  return titles.join('\t')
}

/** Rows as lines. */
export function tsvOf(
  rows: Iterable<number>,
  columns: readonly TableColumn[],
  cell: (row: number, key: string) => Cell | undefined,
  zone: Zone,
  withHeader = true,
): string {
  const lines = withHeader ? [tsvHeader(columns, zone)] : []
  for (const row of rows) {
    lines.push(columns.map((column) => tsvCell(cell(row, column.key), column, zone)).join('\t'))
  }
  return lines.join('\n')
}
