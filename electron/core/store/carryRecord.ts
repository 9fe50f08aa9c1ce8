import { existsSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'

/** Tables with the arrivals of cached files, which a backup keeps packed. */
export const ARRIVAL_TABLES = ['arrival_series', 'first_arrivals'] as const
/** Tables that say more of what other tables hold: the scored days of recorded runs, and when rows came. */
export const RECORD_TABLES = ['forward_scores', 'row_arrivals', 'row_changes'] as const
type CarriedTable = (typeof ARRIVAL_TABLES | typeof RECORD_TABLES)[number]

/**
 * Takes what an index knows about the past of this machine into the index that replaces it: when files first came, and
 * the scores of days. So a restore makes no file later than it was, and no scored day another one.
 */
export function carryRecord(fromFolder: string, toFolder: string): void {
  const [fromPath, toPath] = [fromFolder, toFolder].map((folder) => join(folder, 'perpscope.sqlite'))
  if (!existsSync(fromPath) || !existsSync(toPath)) return
  const database = new Sqlite(toPath)
  try {
    database.prepare('ATTACH ? AS earlier').run(fromPath)
    // An index of an earlier version may lack some tables.
    const tables = (Object.keys(carried) as CarriedTable[]).filter((table) => hasTable(database, table))
    database.transaction(() => tables.forEach((table) => database.exec(carried[table]))).immediate()
  } catch {
    // An index that cannot be read has nothing to carry over.
  } finally {
    database.close()
  }
}

const hasTable = (database: Sqlite.Database, table: string): boolean =>
  database.prepare('SELECT 1 FROM earlier.sqlite_schema WHERE name = ?').get(table) !== undefined

/** An arrival that either index does not know stays unknown; of two scores of a run the one with more days stays. */
const carried: Record<CarriedTable, string> = {
  arrival_series: `INSERT INTO main.arrival_series (kind, dataset, exchange, symbol, interval, timestamp)
    SELECT kind, dataset, exchange, symbol, interval, timestamp FROM earlier.arrival_series WHERE true
    ON CONFLICT DO NOTHING`,
  first_arrivals: `INSERT INTO main.first_arrivals
    SELECT own.id, start_day, end_day, arrived_at_ms
    FROM earlier.first_arrivals JOIN earlier.arrival_series AS other ON other.id = series_id
      JOIN main.arrival_series AS own USING (kind, dataset, exchange, symbol, interval, timestamp) WHERE true
    ON CONFLICT DO UPDATE SET arrived_at_ms = min(arrived_at_ms, excluded.arrived_at_ms)`,
  forward_scores: `INSERT INTO main.forward_scores SELECT * FROM earlier.forward_scores WHERE true
    ON CONFLICT DO UPDATE SET days = excluded.days, ics = excluded.ics, facts = excluded.facts
      WHERE length(excluded.days) > length(days)`,
  row_arrivals: `INSERT INTO main.row_arrivals SELECT * FROM earlier.row_arrivals WHERE true
    ON CONFLICT DO UPDATE SET arrived_at_ms = min(arrived_at_ms, excluded.arrived_at_ms)`,
  row_changes: `INSERT INTO main.row_changes SELECT * FROM earlier.row_changes WHERE true
    ON CONFLICT DO UPDATE SET changes = max(changes, excluded.changes)`,
}
