import type { Database } from './database.ts'
import type { Reads } from './sql.ts'

/** One row of values as it is stored: the id of its list of columns, and its values as bytes. */
export interface StoredCells {
  columns_id: number
  cells: Uint8Array
}

export const cellsOf = (values: Float64Array): Uint8Array =>
  new Uint8Array(values.buffer, values.byteOffset, values.byteLength)

/** A blob may start anywhere in its buffer; a copy is aligned. */
export const valuesOf = (cells: Uint8Array): Float64Array => new Float64Array(new Uint8Array(cells).buffer)

/** Lists of column names, each kept once. */
export interface ColumnLists {
  /** Inside a transaction. */
  idOf(names: readonly string[]): number
  names(id: number): string[]
  /** Tells whether two rows are equal; a column that one of them lacks counts as missing. */
  areAlike(one: StoredCells, other: StoredCells): boolean
}

export function createColumnLists({ reads, writes }: Database): ColumnLists {
  const known = new Map<number, string[]>()

  function readNames(source: Reads, id: number): string[] | undefined {
    const row = source.first<{ names: string }>('SELECT names FROM portfolio_columns WHERE id = ?', id)
    return row && (JSON.parse(row.names) as string[])
  }

  function names(id: number): string[] {
    const seen = known.get(id) ?? readNames(reads, id)
    // Rows that only the running transaction sees are not cached, because the transaction may be undone and the id used
    // again.
    if (!seen) return readNames(writes, id) ?? []
    known.set(id, seen)
    return seen
  }

  return {
    idOf(list) {
      const text = JSON.stringify(list)
      writes.run('INSERT INTO portfolio_columns (names) VALUES (?) ON CONFLICT (names) DO NOTHING', text)
      return writes.first<{ id: number }>('SELECT id FROM portfolio_columns WHERE names = ?', text)!.id
    },
    names,
    areAlike(one, other) {
      if (one.columns_id === other.columns_id && Buffer.compare(one.cells, other.cells) === 0) return true
      const values = byName(names(one.columns_id), valuesOf(one.cells))
      const others = byName(names(other.columns_id), valuesOf(other.cells))
      return values.size === others.size && [...values].every(([name, value]) => others.get(name) === value)
    },
  }
}

function byName(names: readonly string[], values: Float64Array): Map<string, number> {
  const present = new Map<string, number>()
  names.forEach((name, place) => {
    if (!Number.isNaN(values[place])) present.set(name, values[place])
  })
  return present
}
