import type { Ref } from 'vue'
import { isMenuKey } from './rowActions.ts'
import type { useSelection } from './selection.ts'

interface KeyDeps {
  current: Ref<CellPosition | null>
  bounds: () => TableBounds
  /** Returns the position at which keyboard navigation starts. */
  start: () => CellPosition
  selection: ReturnType<typeof useSelection>
  goTo: (position: CellPosition) => void
  press: (place: number, keepOthers: boolean) => void
  open: (row: number) => void
  openMenu: (position: CellPosition) => void
  resize: (place: number, byPx: number) => void
  move: (place: number, by: number) => void
}

const RESIZE_STEP_PX = 16

/** Handles the keys of a focused table; Ctrl+C is the browser's copy event. `tableKeys` in the texts lists the keys. */
export function useTableKeys(deps: KeyDeps) {
  const { current, selection } = deps

  /** Handles a key. @returns whether the table used it */
  function handle(event: KeyboardEvent): boolean {
    const position = current.value ?? deps.start()
    const isCommand = event.ctrlKey || event.metaKey
    if (position.row === HEADER && headerKey(event, position.column, isCommand)) return true
    if (event.altKey) return false
    if (isCommand && event.key.toLowerCase() === 'a') return (selection.chooseAll(), true)
    if (event.key === 'Escape') return (selection.chooseNone(), true)
    if (isMenuKey(event)) return (deps.openMenu(position), true)
    if (position.row !== HEADER && rowKey(event, position.row, isCommand)) return true
    const next = positionAfterKey({ key: event.key, isCommand }, position, deps.bounds())
    if (!next) return false
    // If no cell has the focus yet, an arrow key only focuses the first cell in view.
    deps.goTo(current.value || isCommand || !event.key.startsWith('Arrow') ? next : position)
    if (!event.shiftKey) selection.anchorAt(Math.max(0, current.value?.row ?? 0))
    else if (next.row !== position.row && next.row !== HEADER) void selection.chooseTo(next.row, false)
    return true
  }

  function rowKey(event: KeyboardEvent, row: number, isCommand: boolean): boolean {
    if (event.key === 'Enter') return (deps.open(row), true)
    if (event.key !== ' ') return false
    if (event.shiftKey) void selection.chooseTo(row, isCommand)
    else selection.toggleRow(row)
    return true
  }

  /** Handles keys on the header: Enter sorts, Alt with an arrow resizes, Ctrl+Shift with an arrow moves. */
  function headerKey(event: KeyboardEvent, place: number, isCommand: boolean): boolean {
    if (event.key === 'Enter' || event.key === ' ') return (deps.press(place, event.shiftKey), true)
    const by = event.key === 'ArrowLeft' ? -1 : event.key === 'ArrowRight' ? 1 : 0
    if (by === 0) return false
    if (event.altKey) return (deps.resize(place, by * RESIZE_STEP_PX), true)
    if (isCommand && event.shiftKey) return (deps.move(place, by), true)
    return false
  }

  return (event: KeyboardEvent) => {
    if (handle(event)) event.preventDefault()
  }
}

/** Cell with the keyboard focus; row -1 is the header. */
export interface CellPosition {
  row: number
  column: number
}

interface TableBounds {
  rows: number
  columns: number
  /** Number of rows that fit in the view. */
  pageRows: number
}

interface KeyStroke {
  key: string
  /** True if Ctrl (Cmd on a Mac) is held. */
  isCommand: boolean
}

export const HEADER = -1

/** Returns the position that a key moves to; null if the key does not move. */
export function positionAfterKey(stroke: KeyStroke, at: CellPosition, bounds: TableBounds): CellPosition | null {
  const next = unclampedTarget(stroke, at, bounds)
  return next && clampPosition(next, bounds)
}

function unclampedTarget(
  { key, isCommand }: KeyStroke,
  { row, column }: CellPosition,
  bounds: TableBounds,
): CellPosition | null {
  const [lastRow, lastColumn] = [bounds.rows - 1, bounds.columns - 1]
  switch (key) {
    case 'ArrowUp':
      return { row: isCommand ? 0 : row - 1, column }
    case 'ArrowDown':
      return { row: isCommand ? lastRow : row + 1, column }
    case 'ArrowLeft':
      return { row, column: isCommand ? 0 : column - 1 }
    case 'ArrowRight':
      return { row, column: isCommand ? lastColumn : column + 1 }
    case 'PageUp':
      return { row: Math.max(0, row - bounds.pageRows), column }
    case 'PageDown':
      return { row: row + bounds.pageRows, column }
    case 'Home':
      return { row: isCommand ? 0 : row, column: 0 }
    case 'End':
      return { row: isCommand ? lastRow : row, column: lastColumn }
    default:
      return null
  }
}

export function clampPosition({ row, column }: CellPosition, { rows, columns }: TableBounds): CellPosition {
  return {
    row: Math.max(HEADER, Math.min(rows - 1, row)),
    column: Math.max(0, Math.min(columns - 1, column)),
  }
}
