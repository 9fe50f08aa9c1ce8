import type { DayNumber } from '#shared/time/periods.ts'
import type { Database } from './database.ts'

/** When the rows of a source came. */
export interface Arrivals {
  /** At each of these times the rows of all days up to `toDay` were here; null: not known. */
  steps: readonly { toDay: DayNumber; arrivedAtMs: number | null }[]
  /** How often rows of a day came with other content. */
  changes: ReadonlyMap<DayNumber, number>
}

/**
 * When rows that are in no files of a service first came: those of own datasets, named `own_NAME`, and of histories of
 * the portfolio service. Kept when the rows are removed.
 */
export interface RowArrivals {
  read(source: string): Arrivals
  /** Notes that rows up to a day are here, and which days came with other content; call inside a transaction. */
  note(source: string, rows: { toDay: DayNumber; changedDays: readonly DayNumber[] }, nowMs: number): void
}

/** Names a history of the portfolio service, whatever the connection. */
export const historySource = ({ endpoint, query }: { endpoint: string; query: string }): string =>
  `${endpoint} ${query}`

export const createRowArrivals = ({ reads, writes }: Database): RowArrivals => ({
  read: (source) => ({
    steps: reads.all(
      'SELECT to_day AS toDay, arrived_at_ms AS arrivedAtMs FROM row_arrivals WHERE source = ? ORDER BY to_day',
      source,
    ),
    changes: new Map(
      reads
        .all<{ day: number; changes: number }>('SELECT day, changes FROM row_changes WHERE source = ?', source)
        .map(({ day, changes }) => [day, changes]),
    ),
  }),
  note(source, { toDay, changedDays }, nowMs) {
    writes.run(
      `INSERT INTO row_arrivals (source, to_day, arrived_at_ms) VALUES (?, ?, ?)
       ON CONFLICT DO UPDATE SET arrived_at_ms = min(arrived_at_ms, excluded.arrived_at_ms)`,
      ...[source, toDay, nowMs],
    )
    writes.run(
      `INSERT INTO row_changes (source, day, changes) SELECT ?, value, 1 FROM json_each(?) WHERE true
       ON CONFLICT DO UPDATE SET changes = changes + 1`,
      ...[source, JSON.stringify(changedDays)],
    )
  },
})
