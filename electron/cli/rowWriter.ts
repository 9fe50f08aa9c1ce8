import { createCsvRows } from '#core/export/csvRows.ts'
import { cellOf, type Column, type Frame } from '#shared/contract/frame.ts'
import { type CsvTextMode, csvCellOf } from '#shared/units/csvCell.ts'
import { exactJson } from '#shared/units/exactJson.ts'
import { exactTime } from '#shared/units/instants.ts'
import { exactNumber, roundToDigits } from '#shared/units/numbers.ts'
import { terminalCell } from '#shared/units/terminalText.ts'
import type { Output } from './print.ts'

export const rowFormats = ['table', 'csv', 'json'] as const
export type RowFormat = (typeof rowFormats)[number]

/** Writes rows as text on stdout, several at a time. */
export interface RowWriter {
  write(rows: Frame): void
  end(): void
}

const ROWS_PER_WRITE = 2000
const CELL_WIDTH = 14

type Cell = number | string | null

interface RowLayout {
  format: RowFormat
  /** CSV style for texts: guarded against spreadsheet formulas, or exact. */
  text: CsvTextMode
  /** Columns after `time`. */
  names: readonly string[]
  /** Characters that the first columns of a table have at least. */
  leastWidths?: readonly number[]
  /** True for raw events, whose times have microseconds. */
  isEvents: boolean
}

export function createRowWriter(
  { format, text, names, leastWidths = [], isEvents }: RowLayout,
  out: Output,
): RowWriter {
  let recordCount = 0
  const csvCell = csvCellOf(text)
  const timeWidth = isEvents ? 27 : 24

  const widths = names.map((name, at) => Math.max(name.length, CELL_WIDTH, leastWidths.at(at) ?? 0))
  const tableRow = (time: string, cells: readonly string[]) =>
    `${time.padEnd(timeWidth)}  ${cells.map((cell, i) => cell.padStart(widths[i])).join('  ')}`.trimEnd()
  const writeHead = () => {
    if (format === 'table') out.line(tableRow('TIME', names.map(terminalCell)))
    if (format === 'csv') out.data(`${['time', ...names].map(csvCell).join(',')}\n`)
    if (format === 'json') out.data('[')
  }

  function lineOf(timeMs: number, cells: readonly Cell[]): string {
    if (format === 'json') {
      const record = { time: timeMs, ...Object.fromEntries(names.map((name, i) => [name, cells[i]])) }
      return `${recordCount++ === 0 ? '\n' : ',\n'}${exactJson(record)}`
    }
    const time = exactTime(timeMs, 'utc')
    if (format === 'csv') return `${[time, ...cells.map(csvCell)].join(',')}\n`
    return tableRow(time, cells.map(tableCell))
  }

  writeHead()
  // CSV is encoded to bytes only for pipes and files; text for a terminal must first be cleared of control characters.
  const cellTime = (timeMs: number) => csvCell(exactTime(timeMs, 'utc'))
  const csvRows = format === 'csv' && !out.isTerminal ? createCsvRows({ time: null, text: csvCell }, cellTime) : null
  return {
    write(rows) {
      if (csvRows) {
        for (const { buffer, byteOffset, byteLength } of csvRows.encode(rows))
          out.bytes(Buffer.from(buffer, byteOffset, byteLength))
        return
      }
      const [times, ...columns] = rows.columns
      for (let from = 0; from < rows.rows; from += ROWS_PER_WRITE) {
        const lines: string[] = []
        for (let row = from; row < Math.min(rows.rows, from + ROWS_PER_WRITE); row++) {
          lines.push(
            lineOf(
              Number(cellOf(times, row)),
              columns.map((column) => valueOf(column, row)),
            ),
          )
        }
        if (format === 'table') lines.forEach(out.line)
        else out.data(lines.join(''))
      }
    },
    end() {
      if (format === 'json') out.data(recordCount === 0 ? ']\n' : '\n]\n')
    },
  }
}

/** Returns the value of a cell: a time as text, anything else unchanged. */
function valueOf(column: Column, row: number): Cell {
  const cell = cellOf(column, row)
  return column.kind === 'time' && typeof cell === 'number' ? exactTime(cell, 'utc') : cell
}

const TABLE_DIGITS = 10

function tableCell(cell: Cell): string {
  if (cell === null) return '–'
  if (typeof cell !== 'number' || !Number.isFinite(cell)) return terminalCell(String(cell))
  // Counts and ids are exact, and rounding through text would lose the sign of −0.
  return exactNumber(Number.isSafeInteger(cell) ? cell : roundToDigits(cell, TABLE_DIGITS))
}
