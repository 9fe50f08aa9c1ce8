import { cellOf, type Column, type Frame, numberColumn, textColumn, timeColumn } from '#shared/contract/frame.ts'

/** Joins parts of a result whose columns are the same. */
export function joinFrames(parts: readonly Frame[]): Frame {
  if (parts.length === 1) return parts[0]
  const rows = parts.reduce((sum, part) => sum + part.rows, 0)
  return { rows, columns: parts[0].columns.map((column, at) => joined(column, parts, at)) }
}

function joined({ name, kind }: Column, parts: readonly Frame[], at: number): Column {
  const cells = parts.flatMap(({ rows, columns }) => Array.from({ length: rows }, (_, row) => cellOf(columns[at], row)))
  if (kind === 'text') return textColumn(name, cells as (string | null)[])
  return kind === 'time' ? timeColumn(name, cells as (number | null)[]) : numberColumn(name, cells as (number | null)[])
}
