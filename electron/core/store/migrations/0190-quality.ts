import type { Migration } from './migration.ts'

export const quality: Migration = {
  version: 190,
  apply(database) {
    database.exec(`
      -- Results of checks of cached files, by a hash of the check and of the bytes that it read.
      CREATE TABLE quality_results (
        key TEXT PRIMARY KEY,
        result TEXT NOT NULL,
        checked_at_ms INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
      -- Findings that the person accepted, with their note.
      CREATE TABLE quality_accepted (
        finding TEXT PRIMARY KEY,
        note TEXT NOT NULL,
        accepted_at_ms INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
    `)
  },
}
