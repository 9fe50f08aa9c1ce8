import { cellOf, type Column, type Frame } from '#shared/contract/frame.ts'
import { csvLine, type CsvTextMode } from '#shared/units/csvCell.ts'
import { exactTime, formatTime, precisionOf } from '#shared/units/instants.ts'

/** Number of cells that are written before the window may handle events. */
const CELLS_PER_SLICE = 20_000

/** Writes a table as CSV, with pauses so that the window stays responsive; `cellsOf` has to return times as text. */
export async function csvText(
  header: readonly string[],
  rows: number,
  cellsOf: (row: number) => (string | number | null)[],
  textMode: CsvTextMode,
): Promise<string> {
  const lines = [csvLine(header, textMode)]
  const rowsPerSlice = Math.max(1, Math.floor(CELLS_PER_SLICE / Math.max(1, header.length)))
  for (let row = 0; row < rows; row += 1) {
    lines.push(csvLine(cellsOf(row), textMode))
    if (row % rowsPerSlice === rowsPerSlice - 1) await new Promise((resolve) => setTimeout(resolve))
  }
  return lines.join('')
}

/**
 * Writes a frame as CSV: numbers with all digits, missing values empty, and times in UTC. A column whose times are all
 * starts of days contains only dates.
 */
export const frameCsv = (frame: Frame, textMode: CsvTextMode): Promise<string> => {
  const writers = frame.columns.map(writerOf)
  return csvText(
    frame.columns.map(({ name }) => name),
    frame.rows,
    (row) => writers.map((write) => write(row)),
    textMode,
  )
}

function writerOf(column: Column): (row: number) => string | number | null {
  if (column.kind !== 'time') return (row) => cellOf(column, row)
  const isDaily = precisionOf(column.values) === 'day'
  return (row) => {
    const value = cellOf(column, row)
    if (typeof value !== 'number') return null
    return isDaily ? formatTime(value, 'utc', 'day') : exactTime(value, 'utc')
  }
}
