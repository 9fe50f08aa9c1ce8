import type { Database } from './database.ts'
import type { Reads } from './sql.ts'
import { damagedError, isTextList, storedJsonOr } from './storedJson.ts'

/** One stored row of values. */
export interface StoredCells {
  /** Id of the row's list of column names. */
  columns_id: number
  /** Values as bytes; null if there are more bytes than any valid row has. */
  cells: Uint8Array | null
}

interface WholeCells {
  cells: Uint8Array
}

/** A row of values with its column names. */
interface NamedValues {
  columns: string[]
  values: Float64Array
}

/** Maximum number of values in a valid row; a response has one column per ticker. */
const MOST_COLUMNS = 100_000
const MOST_NAMES_BYTES = 16 * 2 ** 20
const BYTES_PER_CELL = Float64Array.BYTES_PER_ELEMENT

/**
 * SQL expression that reads the cells of a row; oversized cells, which another program must have written, are not
 * read.
 */
export const CELLS = `CASE WHEN octet_length(cells) <= ${MOST_COLUMNS * BYTES_PER_CELL} THEN cells END AS cells`

export const cellsOf = (values: Float64Array): Uint8Array =>
  new Uint8Array(values.buffer, values.byteOffset, values.byteLength)

/** Tells whether the bytes are a whole number of values. */
export const areCells = (cells: Uint8Array | null): cells is Uint8Array =>
  cells !== null && cells.byteLength % BYTES_PER_CELL === 0

/** Converts bytes to values, in a copy, because a blob may start anywhere in its buffer and values must be aligned. */
export const valuesOf = (cells: Uint8Array): Float64Array => new Float64Array(new Uint8Array(cells).buffer)

/** Lists of column names, each stored once. */
export interface ColumnLists {
  /** Returns the id of a list of names, and stores the list if it is new. Call inside a transaction. */
  idOf(names: readonly string[]): number
  /** Returns the names of a list; null if it is missing or damaged. */
  names(id: number): string[] | null
  /** Tells whether a row's names and cells are undamaged, without a copy of its values. */
  canRead<Row extends StoredCells>(row: Row): row is Row & WholeCells
  /** Reads a row; null if its names or cells are damaged. */
  read(row: StoredCells): NamedValues | null
  /** Reads a row; throws a `corrupt-file` error that says what is damaged. */
  readOrThrow(row: StoredCells, label: string): NamedValues
  /**
   * Tells whether two rows have equal values, where a column that a row lacks equals a missing value. A damaged row
   * equals none.
   */
  haveEqualValues(one: StoredCells, other: StoredCells): boolean
}

export function createColumnLists({ reads, writes }: Database): ColumnLists {
  const namesById = new Map<number, string[] | null>()

  /** @returns undefined if there is no such list, null if it is damaged */
  function readNames(source: Reads, id: number): string[] | null | undefined {
    const row = source.first<{ names: string | null }>(
      `SELECT CASE WHEN octet_length(names) <= ${MOST_NAMES_BYTES} THEN names END AS names
       FROM portfolio_columns WHERE id = ?`,
      id,
    )
    return row && storedJsonOr<string[] | null>(row.names, isNames, null)
  }

  function names(id: number): string[] | null {
    const found = namesById.has(id) ? namesById.get(id) : readNames(reads, id)
    // Rows of a running transaction are not cached, because it may be rolled back and the id reused.
    if (found === undefined) return readNames(writes, id) ?? null
    namesById.set(id, found)
    return found
  }

  function canRead<Row extends StoredCells>(row: Row): row is Row & WholeCells {
    const columns = names(row.columns_id)
    return columns !== null && row.cells !== null && row.cells.byteLength === columns.length * BYTES_PER_CELL
  }

  function read(row: StoredCells): NamedValues | null {
    return canRead(row) ? { columns: names(row.columns_id) ?? [], values: valuesOf(row.cells) } : null
  }

  return {
    idOf(list) {
      const text = JSON.stringify(list)
      writes.run('INSERT INTO portfolio_columns (names) VALUES (?) ON CONFLICT (names) DO NOTHING', text)
      return writes.first<{ id: number }>('SELECT id FROM portfolio_columns WHERE names = ?', text)!.id
    },
    names,
    canRead,
    read,
    readOrThrow(row, label) {
      const found = read(row)
      if (!found) throw damagedError(label, 'its names and values do not match. “Refresh” fetches it again')
      return found
    },
    haveEqualValues(one, other) {
      const row = read(one)
      const otherRow = read(other)
      if (row === null || otherRow === null) return false
      if (one.columns_id === other.columns_id && Buffer.compare(cellsOf(row.values), cellsOf(otherRow.values)) === 0)
        return true
      const values = byName(row)
      const otherValues = byName(otherRow)
      return values.size === otherValues.size && [...values].every(([name, value]) => otherValues.get(name) === value)
    },
  }
}

/** Tells whether a value is a list of distinct names; a table has no two columns of the same name. */
const isNames = (value: unknown): value is string[] | null =>
  isTextList(value) && value.length <= MOST_COLUMNS && new Set(value).size === value.length

function byName({ columns, values }: NamedValues): Map<string, number> {
  const valueByName = new Map<string, number>()
  columns.forEach((name, place) => {
    if (!Number.isNaN(values[place])) valueByName.set(name, values[place])
  })
  return valueByName
}
