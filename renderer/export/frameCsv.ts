import { cellOf, type Column, type Frame } from '#shared/contract/frame.ts'
import { exactTime, formatTime, precisionOf } from '#shared/units/instants.ts'
import { csvText } from './csvText.ts'

/** A frame as CSV: whole digits, missing as nothing, days as days and other times in full, all UTC. */
export const frameCsv = (frame: Frame): Promise<string> => {
  const writers = frame.columns.map(writerOf)
  return csvText(
    frame.columns.map(({ name }) => name),
    frame.rows,
    (row) => writers.map((write) => write(row)),
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
