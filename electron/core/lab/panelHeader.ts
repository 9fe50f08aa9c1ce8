import { PanelError } from '#shared/lab/panel.ts'

/** Maximum number of columns of a panel, the same as for any Parquet file. */
const MOST_COLUMNS = 4096

/** Refuses a panel with too many columns, with duplicate column names, or without the columns time and symbol. */
export function checkHeader(names: readonly string[]): void {
  if (names.length > MOST_COLUMNS) throw new PanelError(`it has more than ${MOST_COLUMNS} columns.`)
  const seen = new Set<string>()
  const duplicate = names.find((name) => seen.size === seen.add(name).size)
  if (duplicate !== undefined) throw new PanelError(`the column ${duplicate} appears twice.`)
  for (const needed of ['time', 'symbol']) {
    if (names.includes(needed)) continue
    const similar = names.find((name) => name.trim().toLowerCase() === needed)
    throw new PanelError(
      `the column ${needed} is missing${similar === undefined ? '' : `; “${similar}” must be spelled ${needed}`}.`,
    )
  }
}

/** Columns that identify a row or its membership, so that formulas may not name them. */
export const keyColumns: readonly string[] = ['time', 'symbol', 'member']

/** Columns of a panel to read, besides the key columns. */
export type WantedColumns = readonly string[] | 'all'

/** Tells whether a column is to be read as values. */
export const isWanted = (name: string, wanted: WantedColumns): boolean =>
  isValueColumn(name) && (wanted === 'all' || wanted.includes(name))

/** Tells whether a formula may name this column. */
export const isValueColumn = (name: string): boolean => !keyColumns.includes(name)
