import { BOARD_COLUMNS, LEAST_COLUMNS, MOST_ROWS_HIGH, type BoardPart } from '#shared/contract/areas/boards.ts'

/** Height of a row of the grid, and the gap between parts. */
export const ROW_PX = 72
export const GAP_PX = 8

const between = (value: number, least: number, most: number) => Math.min(most, Math.max(least, value))

/** Returns the part in a size that the grid has. */
export const sized = (part: BoardPart, columns: number, rows: number): BoardPart => ({
  ...part,
  columns: between(Math.round(columns), LEAST_COLUMNS, BOARD_COLUMNS),
  rows: between(Math.round(rows), 1, MOST_ROWS_HIGH),
})

/** Follows the pointer from the corner of a part until it is released. @param settle takes the size on release */
export function followCorner(
  event: PointerEvent,
  { part, gridPx }: { part: BoardPart; gridPx: number },
  preview: (part: BoardPart | null) => void,
  settle: (part: BoardPart) => void,
): void {
  const handle = event.currentTarget as HTMLElement
  const { clientX, clientY } = event
  const columnPx = (gridPx + GAP_PX) / BOARD_COLUMNS
  let shown = part
  handle.setPointerCapture(event.pointerId)
  const move = (at: PointerEvent) => {
    const columns = part.columns + (at.clientX - clientX) / columnPx
    shown = sized(part, columns, part.rows + (at.clientY - clientY) / (ROW_PX + GAP_PX))
    preview(shown)
  }
  const end = ({ type }: PointerEvent) => {
    handle.removeEventListener('pointermove', move)
    handle.removeEventListener('pointerup', end)
    handle.removeEventListener('pointercancel', end)
    preview(null)
    if (type === 'pointerup') settle(shown)
  }
  handle.addEventListener('pointermove', move)
  handle.addEventListener('pointerup', end)
  handle.addEventListener('pointercancel', end)
}
