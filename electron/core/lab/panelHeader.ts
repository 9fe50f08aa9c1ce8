import { PanelError } from '#shared/lab/panel.ts'

/** Columns of a panel at most; a Parquet file has no more either. */
const MOST_COLUMNS = 4096

/** Refuses a panel whose columns are named twice or that has no time or symbol. */
export function checkHeader(names: readonly string[]): void {
  if (names.length > MOST_COLUMNS) throw new PanelError(`it has more than ${MOST_COLUMNS} columns.`)
  const seen = new Set<string>()
  const twice = names.find((name) => seen.size === seen.add(name).size)
  if (twice !== undefined) throw new PanelError(`the column ${twice} appears twice.`)
  for (const needed of ['time', 'symbol']) {
    if (names.includes(needed)) continue
    const similar = names.find((name) => name.trim().toLowerCase() === needed)
    throw new PanelError(
      `the column ${needed} is missing${similar === undefined ? '' : `; “${similar}” must be spelled ${needed}`}.`,
    )
  }
}

/** Columns that say what a row is about. */
export const keyColumns: readonly string[] = ['time', 'symbol', 'member']

/** Tells whether a formula may name this column. */
export const isValueColumn = (name: string): boolean => !keyColumns.includes(name)
