import { setImmediate as immediate } from 'node:timers/promises'
import type { DayMatrix } from '#shared/portfolio/dailyMatrix.ts'
import type { DayNumber } from '#shared/time/periods.ts'
import type { Database } from './database.ts'
import { cellsOf, valuesOf, type ColumnLists, type StoredCells } from './portfolioCells.ts'
import type { DayRange } from '#shared/time/ranges.ts'

/** Changes that an answer brought to the stored days. */
export interface Merged {
  added: number
  /** Days that stood here with other values; those are kept as revisions. */
  changed: number
}

/** Histories, a row a day. */
export interface PortfolioDays {
  /** Inside a transaction: a day of the answer replaces the day that was here, as a whole. */
  merge(requestId: number, matrix: DayMatrix, fetchedAtMs: number): Merged
  /**
   * A slice of days at a time, so that nothing else waits for a long history.
   * @param first columns that come first, in this order; all others follow by name
   */
  read(requestId: number, range: DayRange, first: readonly string[]): Promise<DayMatrix>
  /** One day's values by column. */
  day(requestId: number, day: DayNumber): { columns: string[]; values: Float64Array } | undefined
  /** The last day before `end` that has a value. */
  lastDay(requestId: number, end: DayNumber): DayNumber | null
}

interface DayRow extends StoredCells {
  day: number
  fetched_at_ms: number
}

const SLICE = 256
const BYTES_PER_CELL = Float64Array.BYTES_PER_ELEMENT

const SELECT =
  'SELECT day, columns_id, cells, fetched_at_ms FROM portfolio_days WHERE request_id = ? AND day >= ? AND day < ?'

export function createPortfolioDays({ reads, writes }: Database, columnLists: ColumnLists): PortfolioDays {
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
      const before = new Map(writes.all<DayRow>(SELECT, requestId, ...range).map((row) => [row.day, row]))
      const columnsId = columnLists.idOf(columns)
      const width = columns.length
      days.forEach((day, at) => {
        const cells = cellsOf(values.subarray(at * width, (at + 1) * width))
        const known = before.get(day)
        if (known && columnLists.areAlike(known, { columns_id: columnsId, cells })) return
        if (known) keepRevision(requestId, known, fetchedAtMs)
        merged[known ? 'changed' : 'added']++
        writes.run(
          'INSERT OR REPLACE INTO portfolio_days (request_id, day, columns_id, cells, fetched_at_ms) VALUES (?, ?, ?, ?, ?)',
          requestId,
          day,
          columnsId,
          cells,
          fetchedAtMs,
        )
      })
      return merged
    },
    async read(requestId, { start, end }, first) {
      const slices: DayRow[][] = []
      for (let from = start; from < end;) {
        const slice = reads.all<DayRow>(`${SELECT} ORDER BY day LIMIT ?`, requestId, from, end, SLICE)
        slices.push(slice)
        await immediate()
        if (slice.length < SLICE) break
        from = slice[slice.length - 1].day + 1
      }
      const rows = slices.reduce((sum, { length }) => sum + length, 0)
      const lists = new Map(columnIds(slices).map((id) => [id, columnLists.names(id)]))
      const columns = unionOf([...lists.values()], first)
      const placeOf = new Map(columns.map((name, place) => [name, place]))
      const placesOf = new Map([...lists].map(([id, names]) => [id, names.map((name) => placeOf.get(name) ?? 0)]))
      const matrix = { days: new Int32Array(rows), columns, values: new Float64Array(rows * columns.length).fill(NaN) }
      let at = 0
      for (const slice of slices) {
        for (const row of slice) placeRow(matrix, at++, row, placesOf.get(row.columns_id) ?? [])
        await immediate()
      }
      return matrix
    },
    day(requestId, day) {
      const row = reads.first<DayRow>(SELECT, requestId, day, day + 1)
      return row && { columns: columnLists.names(row.columns_id), values: valuesOf(row.cells) }
    },
    lastDay(requestId, end) {
      for (let before = end; ;) {
        const rows = reads.all<Pick<DayRow, 'day' | 'cells'>>(
          'SELECT day, cells FROM portfolio_days WHERE request_id = ? AND day < ? ORDER BY day DESC LIMIT 32',
          requestId,
          before,
        )
        const found = rows.find(({ cells }) => valuesOf(cells).some((value) => !Number.isNaN(value)))
        const last = rows.at(-1)
        if (found || !last) return found?.day ?? null
        before = last.day
      }
    },
  }
}

const columnIds = (slices: readonly DayRow[][]) => [...new Set(slices.flat().map((row) => row.columns_id))]

function placeRow({ days, columns, values }: DayMatrix, at: number, row: DayRow, places: readonly number[]): void {
  days[at] = row.day
  const from = at * columns.length
  if (places.every((place, column) => place === column)) return cellsOf(values).set(row.cells, from * BYTES_PER_CELL)
  const cells = valuesOf(row.cells)
  for (let column = 0; column < cells.length; column++) values[from + places[column]] = cells[column]
}

function unionOf(lists: readonly string[][], first: readonly string[]): string[] {
  const all = new Set(lists.flat())
  const leading = first.filter((name) => all.delete(name))
  return [...leading, ...[...all].sort()]
}
