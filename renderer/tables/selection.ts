import type { RowId } from './rows.ts'

/** Counts of the rows that a table shows, as its toolbar tells them. */
export interface TableCounts {
  shown: number
  total: number
  selected: number
  /** False until the first rows are here: the other counts say nothing yet. */
  isKnown: boolean
}

export const NO_COUNTS: TableCounts = { shown: 0, total: 0, selected: 0, isKnown: false }

/**
 * Chosen rows by their ids, so that sorting and filtering do not change what is chosen. `everything` means all rows of
 * the present arrangement but the ids: a hundred thousand rows need not be here to be chosen.
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
