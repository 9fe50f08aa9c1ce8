/** A value of a table: null is missing. */
export type Cell = number | string | null

/** Names a row whatever the order: a selection holds these. */
export type RowId = number | string

export interface SortKey {
  key: string
  descending: boolean
}

/** What a column must say; `from` is inclusive, `to` is not. */
export type Condition = { key: string; oneOf: readonly string[] } | { key: string; from?: number; to?: number }

export interface Filter {
  /** Words that must all occur in the row's text columns, in any case. */
  text: string
  conditions: readonly Condition[]
}

/** Which rows in which order. Missing values come last both ways, NaN right before them. */
export interface Arrangement extends Filter {
  sort: readonly SortKey[]
}

export const AS_IT_IS: Arrangement = { sort: [], text: '', conditions: [] }

/** Where a table's rows come from. The table asks for what is in view and knows nothing else of them. */
export interface RowSource {
  /** Rows of the present arrangement. */
  readonly count: number
  /** Rows without any filter. */
  readonly total: number
  /** Grows with every change of what `cell` or `count` say. */
  readonly version: number
  /** Undefined: not here yet. */
  cell(row: number, key: string): Cell | undefined
  idOf(row: number): RowId | undefined
  /** Brings the rows `from` (inclusive) to `to` (exclusive); rejects where that fails or is no longer wanted. */
  load(from: number, to: number, signal: AbortSignal): Promise<void>
  arrange(arrangement: Arrangement, signal: AbortSignal): Promise<void>
  /** Calls after every change of `version`. @returns a function that ends it */
  subscribe(listener: () => void): () => void
}

/** The version of a source and who wants to know of it. */
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
