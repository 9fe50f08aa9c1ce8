import type { Database as SqliteDatabase } from 'better-sqlite3'
import { AppError } from '#shared/contract/errors.ts'

/** One step of the schema. Numbers go up by ten; a step that shipped never changes. */
export interface Migration {
  version: number
  /** Runs inside the transaction that also sets the new version. */
  apply(database: SqliteDatabase): void
}

export const versionOf = (database: SqliteDatabase) => database.pragma('user_version', { simple: true }) as number

/**
 * Brings the schema up to date. All steps are one transaction: the disk commits once, where one commit a step took most of a first
 * start, and a step that fails leaves the index as it was.
 */
export function migrate(database: SqliteDatabase, migrations: readonly Migration[]): void {
  const newest = Math.max(0, ...migrations.map((migration) => migration.version))
  const found = versionOf(database)
  if (found > newest) {
    throw new AppError(
      'database-newer',
      `Its index has version ${found}; this Perpscope knows versions up to ${newest}.`,
    )
  }
  if (found === newest) return
  database
    .transaction(() => {
      // Another process may have taken steps while we waited for the lock.
      const reached = versionOf(database)
      for (const { version, apply } of migrations) if (version > reached) apply(database)
      if (newest > reached) database.pragma(`user_version = ${newest}`)
    })
    .immediate()
}
