import { setImmediate as immediate } from 'node:timers/promises'
import { AppError } from '#shared/contract/errors.ts'
import type { HistoryMatrix } from '#shared/portfolio/dailySeries.ts'
import type { DayNumber } from '#shared/time/periods.ts'
import type { Database } from './database.ts'
import { historySource, type RowArrivals } from './rowArrivals.ts'
import {
  areCells,
  CELLS,
  cellsOf,
  valuesOf,
  type ColumnLists,
  type StoredCells,
  type WholeCells,
} from './portfolioCells.ts'
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

type ReadableRow = DayRow & WholeCells

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
    async read(requestId, { start, end }, firstColumns, onDamaged = () => {}) {
      const rows: ReadableRow[] = []
      const damagedDays: DayNumber[] = []
      let cells = 0
      for (let from = start; from < end;) {
        const slice = reads.all<DayRow>(`${SELECT} ORDER BY day LIMIT ?`, requestId, from, end, SLICE_ROWS)
        for (const row of slice) {
          if (columnLists.canRead(row)) rows.push(row)
          else damagedDays.push(row.day)
          cells += (row.cells?.byteLength ?? 0) / Float64Array.BYTES_PER_ELEMENT
        }
        if (cells > MOST_CELLS) throw tooManyCellsError()
        await immediate()
        if (slice.length < SLICE_ROWS) break
        from = slice[slice.length - 1].day + 1
      }
      if (damagedDays.length > 0) onDamaged(damagedDays)
      return tableOf(rows, columnLists, firstColumns)
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

/** Arranges rows in one table; pauses after every slice of rows, so that other work can run in between. */
async function tableOf(
  rows: readonly ReadableRow[],
  columnLists: ColumnLists,
  firstColumns: readonly string[],
): Promise<HistoryMatrix> {
  const ids = [...new Set(rows.map((row) => row.columns_id))]
  const namesByListId = new Map(ids.map((id) => [id, columnLists.names(id) ?? []]))
  const columns = unionOf([...namesByListId.values()], firstColumns)
  if (rows.length * columns.length > MOST_CELLS) throw tooManyCellsError()
  const indexByName = new Map(columns.map((name, place) => [name, place]))
  const placesByListId = new Map([...namesByListId].map(([id, names]) => [id, placesOf(names, indexByName)]))
  const matrix = {
    days: Int32Array.from(rows, ({ day }) => day),
    columns,
    values: new Float64Array(rows.length * columns.length).fill(NaN),
  }
  // Values are read through an array that all rows share, because allocating one for each row would make up a quarter
  // of the time.
  const row = new Float64Array(columns.length)
  const [rowBytes, bytes, bytesPerCell] = [cellsOf(row), cellsOf(matrix.values), row.BYTES_PER_ELEMENT]
  for (const [at, { columns_id: id, cells }] of rows.entries()) {
    if (at % SLICE_ROWS === SLICE_ROWS - 1) await immediate()
    const places = placesByListId.get(id) ?? null
    const from = at * columns.length
    if (places === null) bytes.set(cells, from * bytesPerCell)
    else {
      rowBytes.set(cells)
      for (let column = 0; column < places.length; column++) matrix.values[from + places[column]] = row[column]
    }
  }
  return matrix
}

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
