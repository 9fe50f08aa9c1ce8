/** The cell that the keyboard is at; row -1 is the header. */
export interface Position {
  row: number
  column: number
}

export interface Bounds {
  rows: number
  columns: number
  /** Rows that fit in the view. */
  pageRows: number
}

export interface Stroke {
  key: string
  /** Ctrl, or Cmd where that is the custom. */
  command: boolean
}

export const HEADER = -1

/** Where a key leads, null where it leads nowhere. */
export function moved(stroke: Stroke, at: Position, bounds: Bounds): Position | null {
  const next = target(stroke, at, bounds)
  return next && clamped(next, bounds)
}

function target({ key, command }: Stroke, { row, column }: Position, bounds: Bounds): Position | null {
  const [lastRow, lastColumn] = [bounds.rows - 1, bounds.columns - 1]
  switch (key) {
    case 'ArrowUp':
      return { row: command ? 0 : row - 1, column }
    case 'ArrowDown':
      return { row: command ? lastRow : row + 1, column }
    case 'ArrowLeft':
      return { row, column: command ? 0 : column - 1 }
    case 'ArrowRight':
      return { row, column: command ? lastColumn : column + 1 }
    case 'PageUp':
      return { row: Math.max(0, row - bounds.pageRows), column }
    case 'PageDown':
      return { row: row + bounds.pageRows, column }
    case 'Home':
      return { row: command ? 0 : row, column: 0 }
    case 'End':
      return { row: command ? lastRow : row, column: lastColumn }
    default:
      return null
  }
}

export function clamped({ row, column }: Position, { rows, columns }: Bounds): Position {
  return {
    row: Math.max(HEADER, Math.min(rows - 1, row)),
    column: Math.max(0, Math.min(columns - 1, column)),
  }
}
