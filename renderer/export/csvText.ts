import { csvLine } from '#shared/units/csvCell.ts'

const CELLS_AT_ONCE = 20_000

/** A table as CSV, in pieces between which the window can answer: header first, then each row. Times are texts already. */
export async function csvText(
  header: readonly string[],
  rows: number,
  cellsOf: (row: number) => (string | number | null)[],
): Promise<string> {
  const parts = [csvLine(header)]
  const rowsAtOnce = Math.max(1, Math.floor(CELLS_AT_ONCE / Math.max(1, header.length)))
  for (let row = 0; row < rows; row += 1) {
    parts.push(csvLine(cellsOf(row)))
    if (row % rowsAtOnce === rowsAtOnce - 1) await new Promise((resolve) => setTimeout(resolve))
  }
  return parts.join('')
}
