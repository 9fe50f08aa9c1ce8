import type { Database as SqliteDatabase } from 'better-sqlite3'
import { AppError } from '#shared/contract/errors.ts'

/** One step of the schema. Numbers go up by ten; a released step never changes. */
export interface Migration {
  version: number
  /** Changes the schema, inside the transaction that also sets the new version. */
  apply(database: SqliteDatabase): void
}

export const versionOf = (database: SqliteDatabase) => database.pragma('user_version', { simple: true }) as number

/**
 * Migrates the schema. All steps run in one transaction, because a commit per step would take most of the time of a
 * first start; if a step fails, the index stays unchanged.
 */
export function migrate(database: SqliteDatabase, migrations: readonly Migration[]): void {
  const newestVersion = Math.max(0, ...migrations.map((migration) => migration.version))
  const found = versionOf(database)
  if (found > newestVersion) {
    throw new AppError(
      'database-newer',
      `Its index has version ${found}; this Perpscope knows versions up to ${newestVersion}.`,
    )
  }
  if (found === newestVersion) return
  database
    .transaction(() => {
      // Another process may have run steps while this one waited for the lock.
      const reachedVersion = versionOf(database)
      for (const { version, apply } of migrations) if (version > reachedVersion) apply(database)
      if (newestVersion > reachedVersion) database.pragma(`user_version = ${newestVersion}`)
    })
    .immediate()
}
