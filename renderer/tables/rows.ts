import type { Cell } from '#shared/sheet/columns.ts'
import type { Arrangement } from '#shared/tables/arrangement.ts'

/** Identity of a row, which is independent of the order; selections store it. */
export type RowId = number | string

/** Rows in one arrangement; another arrangement gets new rows, so that `count` always matches the cells. */
export interface ArrangedRows {
  readonly count: number
  /** Number of rows without any filter. */
  readonly total: number
  /** Version that increases whenever `cell` or `count` change, for example when a page is loaded. */
  readonly version: number
  /** Returns a cell; undefined while the row is not loaded. */
  cell(row: number, key: string): Cell | undefined
  /**
   * Returns the id of a row; undefined while the row is not loaded, and beyond the last row, because rows may have been
   * removed since the caller got its position.
   */
  idOf(row: number): RowId | undefined
  /** Loads the rows `from` (inclusive) to `to` (exclusive); rejects if that fails or is aborted. */
  load(from: number, to: number, signal: AbortSignal): Promise<void>
  /**
   * Calls the listener synchronously on every change of `version`.
   * @returns a function that unsubscribes
   */
  subscribe(listener: () => void): () => void
}

/** Source of a table's rows. The table requests an arrangement and replaces all its rows when that is ready. */
export interface RowSource {
  /** Scope in which an id names the same row: all sources of the table, this source, or one arrangement of it. */
  readonly idScope: 'table' | 'source' | 'arrangement'
  /** What the rows are made of: sources of the same contents have the same rows, in whatever order. */
  readonly contents?: object
  arrange(arrangement: Arrangement, signal: AbortSignal): Promise<ArrangedRows>
}

/** Rows of an empty table, shown until the source has arranged some. */
export const NO_ROWS: ArrangedRows = {
  count: 0,
  total: 0,
  version: -1,
  cell: () => undefined,
  idOf: () => undefined,
  load: async () => {},
  subscribe: () => () => {},
}

/** Creates a version counter, which calls its subscribers on every change. */
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
