import type { Database as SqliteDatabase } from 'better-sqlite3'

/** One step of the schema. Numbers go up by ten; a step that shipped never changes. */
export interface Migration {
  version: number
  /** Runs inside the transaction that also sets the new version. */
  apply(database: SqliteDatabase): void
}
