import { setImmediate as immediate } from 'node:timers/promises'
import { AppError } from '#shared/contract/errors.ts'
import type { HistoryMatrix } from '#shared/portfolio/dailySeries.ts'
import type { DayNumber } from '#shared/time/periods.ts'
import type { Database } from './database.ts'
import { historySource, type RowArrivals } from './rowArrivals.ts'
import { areCells, CELLS, cellsOf, valuesOf, type ColumnLists, type StoredCells } from './portfolioCells.ts'
import type { DayRange } from '#shared/time/ranges.ts'

/** Changes that a response made to the stored days. */
export interface MergeResult {
  /** Number of new days. */
  added: number
  /** Number of days that had other values before; the old values are kept as revisions. */
  changed: number
}

/** A stored history: its canonical request, and the columns of its first and last day. */
export interface StoredHistory {
  query: string
  columns: string[]
}

/** Histories of the portfolio service, stored with one row per day. */
export interface PortfolioDays {
  /** Merges a response; each of its days replaces the stored day completely. Call inside a transaction. */
  merge(requestId: number, matrix: HistoryMatrix, fetchedAtMs: number): MergeResult
  /**
   * Reads days in slices, so that other work can run in between.
   * @param firstColumns columns to put first, in this order; all others follow by name
   * @param onDamaged called with the days that are left out because their stored rows cannot be read
   */
  read(
    requestId: number,
    range: DayRange,
    firstColumns: readonly string[],
    onDamaged?: (days: DayNumber[]) => void,
  ): Promise<HistoryMatrix>
  /** Returns one day's values by column. */
  day(requestId: number, day: DayNumber): { columns: string[]; values: Float64Array } | undefined
  /** Returns the last day before `end` that has a value; null if there is none. */
  lastDay(requestId: number, end: DayNumber): DayNumber | null
  /** Lists the histories of an endpoint that have days, most recently fetched first. */
  list(connectionId: string, endpoint: string): StoredHistory[]
}

interface DayRow extends StoredCells {
  day: number
  fetched_at_ms: number
}

interface EmptyTable {
  rows: number
  columns: string[]
  /** The column of each value of a row, by the id of the row's list of columns; null for the first columns in order. */
  placesByListId: ReadonlyMap<number, number[] | null>
}

const SLICE_ROWS = 256
const MOST_LISTED = 500
/** Maximum number of values in a valid history, enough for a thousand tickers over decades. */
const MOST_CELLS = 32_000_000

const SELECT = `SELECT day, columns_id, ${CELLS}, fetched_at_ms FROM portfolio_days WHERE request_id = ? AND day >= ? AND day < ?`

export function createPortfolioDays(
  { reads, writes }: Database,
  columnLists: ColumnLists,
  arrivals: RowArrivals,
): PortfolioDays {
  function keepRevision(requestId: number, row: DayRow, replacedAtMs: number): void {
    writes.run(
      `INSERT INTO portfolio_revisions (request_id, day, columns_id, cells, fetched_at_ms, replaced_at_ms)
       VALUES (?, ?, ?, ?, ?, ?)`,
      requestId,
      row.day,
      row.columns_id,
      row.cells,
      row.fetched_at_ms,
      replacedAtMs,
    )
  }

  /** Finds the size of a table, and the place of each list of columns in it, without reading the values. */
  function emptyTable(requestId: number, { start, end }: DayRange, firstColumns: readonly string[]): EmptyTable {
    const sizes = reads.all<{ columns_id: number; bytes: number; rows: number }>(
      `SELECT columns_id, octet_length(cells) AS bytes, count(*) AS rows FROM portfolio_days
       WHERE request_id = ? AND day >= ? AND day < ? GROUP BY columns_id, bytes`,
      requestId,
      start,
      end,
    )
    const namesByListId = new Map<number, string[]>()
    let rows = 0
    for (const { columns_id: id, bytes, rows: count } of sizes) {
      const names = columnLists.names(id)
      if (names === null || bytes !== names.length * Float64Array.BYTES_PER_ELEMENT) continue
      namesByListId.set(id, names)
      rows += count
    }
    const columns = unionOf([...namesByListId.values()], firstColumns)
    if (rows * columns.length > MOST_CELLS) throw tooManyCellsError()
    const indexByName = new Map(columns.map((name, place) => [name, place]))
    return {
      rows,
      columns,
      placesByListId: new Map([...namesByListId].map(([id, names]) => [id, placesOf(names, indexByName)])),
    }
  }

  /**
   * Reads days slice by slice into one table, because the table and all rows together would take twice the memory.
   * @param damagedDays receives the days that cannot be read
   * @returns null if rows were added or changed meanwhile that do not fit into the table
   */
  async function readDays(
    requestId: number,
    range: DayRange,
    firstColumns: readonly string[],
    damagedDays: DayNumber[],
  ): Promise<HistoryMatrix | null> {
    const { rows, columns, placesByListId } = emptyTable(requestId, range, firstColumns)
    const width = columns.length
    const days = new Int32Array(rows)
    const values = new Float64Array(rows * width).fill(NaN)
    // Values are read through an array that all rows share, because allocating one for each row would make up a quarter
    // of the time.
    const row = new Float64Array(width)
    const [rowBytes, bytes] = [cellsOf(row), cellsOf(values)]
    let count = 0
    for (let from = range.start; from < range.end;) {
      const slice = reads.all<DayRow>(`${SELECT} ORDER BY day LIMIT ?`, requestId, from, range.end, SLICE_ROWS)
      for (const each of slice) {
        if (!columnLists.canRead(each)) {
          damagedDays.push(each.day)
          continue
        }
        const places = placesByListId.get(each.columns_id)
        if (places === undefined || count === rows) return null
        if (places === null) bytes.set(each.cells, count * row.byteLength)
        else {
          rowBytes.set(each.cells)
          for (let column = 0; column < places.length; column++) values[count * width + places[column]] = row[column]
        }
        days[count++] = each.day
      }
      await immediate()
      if (slice.length < SLICE_ROWS) break
      from = slice[slice.length - 1].day + 1
    }
    return { days: days.subarray(0, count), columns, values: values.subarray(0, count * width) }
  }

  return {
    merge(requestId, { days, columns, values }, fetchedAtMs) {
      const merged = { added: 0, changed: 0 }
      if (days.length === 0) return merged
      const range = [days[0], days[days.length - 1] + 1] as const
      const rowByDay = new Map(writes.all<DayRow>(SELECT, requestId, ...range).map((row) => [row.day, row]))
      const columnsId = columnLists.idOf(columns)
      const width = columns.length
      const changedDays: DayNumber[] = []
      days.forEach((day, at) => {
        const cells = cellsOf(values.subarray(at * width, (at + 1) * width))
        const storedRow = rowByDay.get(day)
        if (storedRow && columnLists.haveEqualValues(storedRow, { columns_id: columnsId, cells })) return
        // A damaged row has no values that could be kept as a revision.
        if (storedRow && columnLists.canRead(storedRow)) keepRevision(requestId, storedRow, fetchedAtMs)
        merged[storedRow ? 'changed' : 'added']++
        if (storedRow) changedDays.push(day)
        writes.run(
          'INSERT OR REPLACE INTO portfolio_days (request_id, day, columns_id, cells, fetched_at_ms) VALUES (?, ?, ?, ?, ?)',
          requestId,
          day,
          columnsId,
          cells,
          fetchedAtMs,
        )
      })
      const key = writes.first<{ endpoint: string; query: string }>(
        'SELECT endpoint, query FROM portfolio_requests WHERE id = ?',
        requestId,
      )
      if (key && merged.added + merged.changed > 0)
        arrivals.note(historySource(key), { toDay: days[days.length - 1], changedDays }, fetchedAtMs)
      return merged
    },
    async read(requestId, range, firstColumns, onDamaged = () => {}) {
      for (;;) {
        const damagedDays: DayNumber[] = []
        const matrix = await readDays(requestId, range, firstColumns, damagedDays)
        if (!matrix) continue
        if (damagedDays.length > 0) onDamaged(damagedDays)
        return matrix
      }
    },
    day(requestId, day) {
      const row = reads.first<DayRow>(SELECT, requestId, day, day + 1)
      return (row && columnLists.read(row)) ?? undefined
    },
    list: (connectionId, endpoint) =>
      reads
        .all<{ query: string; first_columns: number | null; last_columns: number | null }>(
          `SELECT query,
             (SELECT columns_id FROM portfolio_days WHERE request_id = requests.id ORDER BY day LIMIT 1) AS first_columns,
             (SELECT columns_id FROM portfolio_days WHERE request_id = requests.id ORDER BY day DESC LIMIT 1) AS last_columns
           FROM portfolio_requests requests WHERE connection_id = ? AND endpoint = ?
           ORDER BY fetched_at_ms DESC LIMIT ?`,
          connectionId,
          endpoint,
          MOST_LISTED,
        )
        .flatMap(({ query, first_columns: first, last_columns: last }) => {
          if (first === null || last === null) return []
          const names = [first, last].flatMap((id) => columnLists.names(id) ?? [])
          return [{ query, columns: [...new Set(names)] }]
        }),
    lastDay(requestId, end) {
      for (let before = end; ;) {
        const rows = reads.all<Pick<DayRow, 'day' | 'cells'>>(
          `SELECT day, ${CELLS} FROM portfolio_days WHERE request_id = ? AND day < ? ORDER BY day DESC LIMIT 32`,
          requestId,
          before,
        )
        const found = rows.find(({ cells }) => areCells(cells) && valuesOf(cells).some((value) => !Number.isNaN(value)))
        const last = rows.at(-1)
        if (found || !last) return found?.day ?? null
        before = last.day
      }
    },
  }
}

const tooManyCellsError = () =>
  new AppError('too-large', `This stored history has more than ${MOST_CELLS} values; choose fewer days.`)

/** Returns the place of each name among all columns; null if they are the first columns in the same order. */
function placesOf(names: readonly string[], indexByName: ReadonlyMap<string, number>): number[] | null {
  const places = names.map((name) => indexByName.get(name) ?? 0)
  return places.every((place, column) => place === column) ? null : places
}

function unionOf(lists: readonly string[][], firstColumns: readonly string[]): string[] {
  const all = new Set(lists.flat())
  const leading = firstColumns.filter((name) => all.delete(name))
  return [...leading, ...[...all].sort()]
}
