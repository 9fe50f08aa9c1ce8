import type { Arrangement } from '#shared/tables/arrangement.ts'

/** A value of a table: null is missing. */
export type Cell = number | string | null

/** Identity of a row in any order, as a selection holds it. */
export type RowId = number | string

/** Rows in one arrangement. They are never sorted or filtered again, so that their count always fits their cells. */
export interface ArrangedRows {
  readonly count: number
  /** Number of rows without any filter. */
  readonly total: number
  /** Number that grows with every change of what `cell` or `count` say, as when a page is loaded. */
  readonly version: number
  /** Undefined while the row is not loaded. */
  cell(row: number, key: string): Cell | undefined
  /** Undefined while the row is not loaded, and beyond the last one: a place may outlive its row. */
  idOf(row: number): RowId | undefined
  /** Loads the rows `from` (inclusive) to `to` (exclusive); rejects where that fails or is aborted. */
  load(from: number, to: number, signal: AbortSignal): Promise<void>
  /** Calls the listener in the same turn as every change of `version`. @returns a function that ends the subscription */
  subscribe(listener: () => void): () => void
}

/** Source of the rows of a table. The table requests one arrangement after the other and swaps them as a whole. */
export interface RowSource {
  /** Scope in which an id names the same row: every source of the table, this source, or one arrangement of it. */
  readonly idScope: 'table' | 'source' | 'arrangement'
  arrange(arrangement: Arrangement, signal: AbortSignal): Promise<ArrangedRows>
}

/** A table shows these rows until its source has arranged some. */
export const NO_ROWS: ArrangedRows = {
  count: 0,
  total: 0,
  version: -1,
  cell: () => undefined,
  idOf: () => undefined,
  load: async () => {},
  subscribe: () => () => {},
}

/** Creates the version counter of a source with its subscribers. */
export function createVersion() {
  const listeners = new Set<() => void>()
  let version = 0
  return {
    get value() {
      return version
    },
    bump() {
      version += 1
      for (const listener of listeners) listener()
    },
    subscribe(listener: () => void) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}
