import type { Ref } from 'vue'
import type { ArrangedRows, RowId } from './rows.ts'

/** Row counts that the toolbar of a table shows. */
export interface TableCounts {
  shown: number
  total: number
  selected: number
  /** False until the first rows are loaded; the other counts are meaningless until then. */
  isKnown: boolean
}

export const NO_COUNTS: TableCounts = { shown: 0, total: 0, selected: 0, isKnown: false }

/**
 * Selected rows by id, so that sorting and filtering do not change the selection. With `everything`, all rows of the
 * arrangement except `ids` are selected, so that selecting all rows does not have to load them.
 */
export interface Selection {
  everything: boolean
  ids: ReadonlySet<RowId>
}

export const NOTHING: Selection = { everything: false, ids: new Set() }
export const EVERYTHING: Selection = { everything: true, ids: new Set() }

export const isSelected = ({ everything, ids }: Selection, id: RowId | undefined): boolean =>
  id !== undefined && ids.has(id) !== everything

export const selectedCount = ({ everything, ids }: Selection, rows: number): number =>
  everything ? Math.max(0, rows - ids.size) : ids.size

/**
 * Lists the ids of the selected rows: the loaded ones in table order, then the others. With `everything`, rows that are
 * not loaded are left out, because their ids are unknown.
 */
export function selectedIds(rows: ArrangedRows, selection: Selection): RowId[] {
  const selected = new Set<RowId>()
  for (let row = 0; row < rows.count; row += 1) {
    const id = rows.idOf(row)
    if (id !== undefined && isSelected(selection, id)) selected.add(id)
  }
  if (!selection.everything) for (const id of selection.ids) selected.add(id)
  return [...selected]
}

export const selectOnly = (ids: Iterable<RowId>): Selection => ({ everything: false, ids: new Set(ids) })

export function selectAlso({ everything, ids }: Selection, more: Iterable<RowId>): Selection {
  const next = new Set(ids)
  for (const id of more) {
    if (everything) next.delete(id)
    else next.add(id)
  }
  return { everything, ids: next }
}

export function toggle({ everything, ids }: Selection, id: RowId): Selection {
  const next = new Set(ids)
  if (!next.delete(id)) next.add(id)
  return { everything, ids: next }
}

/** Number of rows that are loaded at a time when a range is selected. */
const ROWS_PER_LOAD = 2000

/** Creates the functions that change the selection. A range extends from the anchor, the row chosen or toggled last. */
export function useSelection(selection: Ref<Selection>, shown: Ref<ArrangedRows>) {
  let anchorRow = 0
  let rangeController = new AbortController()

  function anchorOn(row: number): RowId | undefined {
    rangeController.abort()
    anchorRow = row
    return shown.value.idOf(row)
  }

  function choose(row: number): void {
    const id = anchorOn(row)
    selection.value = id === undefined ? NOTHING : selectOnly([id])
  }

  function toggleRow(row: number): void {
    const id = anchorOn(row)
    if (id !== undefined) selection.value = toggle(selection.value, id)
  }

  /** Selects from the anchor to the row, both inclusive, after loading the rows between. */
  async function chooseTo(row: number, keepOthers: boolean): Promise<void> {
    rangeController.abort()
    const { signal } = (rangeController = new AbortController())
    const from = Math.min(anchorRow, row)
    const rows = shown.value
    const to = Math.min(Math.max(anchorRow, row) + 1, rows.count)
    try {
      const ids = loadedIds(rows, from, to) ?? (await idsBetween(rows, from, to, signal))
      selection.value = keepOthers ? selectAlso(selection.value, ids) : selectOnly(ids)
    } catch {
      // The selection is unchanged if the load fails or is superseded.
    }
  }

  /** Sets the anchor of the next range. */
  const anchorAt = (row: number) => (anchorRow = row)

  function chooseAll(): void {
    rangeController.abort()
    selection.value = EVERYTHING
  }

  function chooseNone(): void {
    rangeController.abort()
    selection.value = NOTHING
  }

  /**
   * Clears what is invalid for new rows: `everything`, the anchor, a range that is still loading, and the ids unless
   * they name the same rows as before.
   */
  function clearForNewRows(areIdsStable: boolean): void {
    rangeController.abort()
    if (selection.value.everything || (!areIdsStable && selection.value.ids.size > 0)) selection.value = NOTHING
    anchorRow = 0
  }

  return { choose, toggleRow, anchorAt, chooseTo, chooseAll, chooseNone, clearForNewRows }
}

/** Lists the ids of rows; null if one of them is not loaded. */
function loadedIds(rows: ArrangedRows, from: number, to: number): RowId[] | null {
  const ids: RowId[] = []
  for (let row = from; row < to; row += 1) {
    const id = rows.idOf(row)
    if (id === undefined) return null
    ids.push(id)
  }
  return ids
}

async function idsBetween(rows: ArrangedRows, from: number, to: number, signal: AbortSignal): Promise<RowId[]> {
  const ids: RowId[] = []
  for (let start = from; start < to; start += ROWS_PER_LOAD) {
    const end = Math.min(start + ROWS_PER_LOAD, to)
    await rows.load(start, end, signal)
    ids.push(...(loadedIds(rows, start, end) ?? []))
  }
  return ids
}
