import { gibText, PanelError } from '#shared/lab/panel.ts'

/** Columns of a panel at most; a Parquet file has no more either. */
const MOST_COLUMNS = 4096
/** Rows of a panel at most, and memory that its rows may take before they are put on the grid of a study. */
const MOST_ROWS = 100_000_000
const MOST_BYTES = 4 * 2 ** 30
const BYTES_PER_VALUE = 8

/** Refuses a panel whose rows do not fit into memory; each has a time and a symbol beside its columns. */
export function refuseTooManyRows(rows: number, columns: number): void {
  const bytes = rows * (columns + 2) * BYTES_PER_VALUE
  if (rows <= MOST_ROWS && bytes <= MOST_BYTES) return
  throw new PanelError(
    `its ${rows} rows are too many: they need ${gibText(bytes)} of memory, and a panel may have ${MOST_ROWS} rows of ${gibText(MOST_BYTES)}. Leave out symbols, days or columns.`,
  )
}

/** Refuses a panel whose columns are named twice or that has no time or symbol. */
export function checkHeader(names: readonly string[]): void {
  if (names.length > MOST_COLUMNS) throw new PanelError(`it has more than ${MOST_COLUMNS} columns.`)
  const seen = new Set<string>()
  const twice = names.find((name) => seen.size === seen.add(name).size)
  if (twice !== undefined) throw new PanelError(`the column ${twice} is there twice.`)
  for (const needed of ['time', 'symbol']) {
    if (!names.includes(needed)) throw new PanelError(`the column ${needed} is missing.`)
  }
}

/** Columns that say what a row is about. */
export const keyColumns: readonly string[] = ['time', 'symbol', 'member']

/** Tells whether a formula may name this column. */
export const isValueColumn = (name: string): boolean => !keyColumns.includes(name)
