/** A record of a CSV and the number of the physical line that it begins on, the first being 1. */
export interface CsvRow {
  line: number
  cells: string[]
}

/** Reads CSV (RFC 4180): quoted cells may hold commas, quotes and line breaks. Empty lines are left out. */
export function csvRows(text: string): CsvRow[] {
  const rows: CsvRow[] = []
  const cell = /(?:"((?:[^"]|"")*)"([^,\r\n]*)|([^,\r\n]*))(,|\r\n|\n|\r|$)/y
  let line = 1
  let row: CsvRow = { line, cells: [] }
  const end = () => {
    if (row.cells.length > 1 || row.cells[0] !== '') rows.push(row)
    row = { line, cells: [] }
  }
  cell.lastIndex = text.startsWith('\uFEFF') ? 1 : 0
  while (cell.lastIndex < text.length || row.cells.length > 0) {
    const [, quoted, rest = '', plain = '', stop] = cell.exec(text)!
    row.cells.push(quoted === undefined ? plain : quoted.replaceAll('""', '"') + rest)
    line += (quoted?.match(/\r\n|\n|\r/g) ?? []).length
    if (stop === ',') continue
    if (stop !== '') line += 1
    end()
  }
  return rows
}
