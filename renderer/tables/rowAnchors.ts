import { watch, type Ref } from 'vue'
import type { CellPosition } from './useKeys.ts'
import { HEADER } from './useKeys.ts'
import type { ArrangedRows, RowId } from './rows.ts'

interface AnchorDeps {
  shown: Ref<ArrangedRows>
  version: Ref<number>
  current: Ref<CellPosition | null>
  topPx: Ref<number>
  rowPx: Ref<number>
  scrollTo: (topPx: number) => void
  /** Tells whether the ids of the rows shown before still name the same rows, in the same order. */
  isSameOrder: () => boolean
}

/** Number of rows above and below its old position in which a moved row is looked for. */
const SEARCH_ROWS = 1000

/** Finds the row with this id by searching outward from a position; null if it is not loaded, gone or too far away. */
export function rowOfId(rows: ArrangedRows, id: RowId, near: number): number | null {
  for (let distance = 0; distance <= SEARCH_ROWS; distance += 1) {
    if (near - distance >= 0 && rows.idOf(near - distance) === id) return near - distance
    if (near + distance < rows.count && rows.idOf(near + distance) === id) return near + distance
  }
  return null
}

/**
 * Keeps the focus on its row and the topmost row at the top of the view, while rows above are added or removed. A view
 * that is scrolled to the very top stays there, so that new rows are seen.
 */
export function useRowAnchors({ shown, version, current, topPx, rowPx, scrollTo, isSameOrder }: AnchorDeps): void {
  let focusedAnchor: { id: RowId; row: number } | null = null
  let topAnchor: { id: RowId; row: number } | null = null

  const anchorAt = (row: number) => {
    const id = row === HEADER ? undefined : shown.value.idOf(row)
    return id === undefined ? null : { id, row }
  }
  function remember(): void {
    focusedAnchor = current.value && anchorAt(current.value.row)
    topAnchor = topPx.value > 0 ? anchorAt(Math.floor(topPx.value / rowPx.value)) : null
  }
  function follow(): void {
    const topRow = topAnchor && rowOfId(shown.value, topAnchor.id, topAnchor.row)
    if (topAnchor && topRow !== null) {
      const rowsMoved = topRow - topAnchor.row
      if (rowsMoved !== 0) scrollTo(topPx.value + rowsMoved * rowPx.value)
    }
    const focusedRow = focusedAnchor && rowOfId(shown.value, focusedAnchor.id, focusedAnchor.row)
    if (current.value && focusedAnchor && focusedRow !== null && focusedRow !== current.value.row) {
      current.value = { ...current.value, row: focusedRow }
    }
  }

  watch([version, shown], () => {
    if (isSameOrder()) follow()
    remember()
  })
  watch([current, topPx], remember)
}
