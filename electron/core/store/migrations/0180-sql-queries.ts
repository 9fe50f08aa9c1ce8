import type { Migration } from './migration.ts'

export const sqlQueries: Migration = {
  version: 180,
  apply: (database) =>
    database.exec(`
      CREATE TABLE sql_queries (
        id            TEXT PRIMARY KEY,
        name          TEXT NOT NULL UNIQUE COLLATE NOCASE,
        length        INTEGER NOT NULL, -- characters of the text
        document      TEXT NOT NULL, -- JSON as the person wrote it
        revision      INTEGER NOT NULL,
        changed_at_ms INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE TABLE sql_history (
        id          INTEGER PRIMARY KEY,
        ran_at_ms   INTEGER NOT NULL,
        sql         TEXT NOT NULL,
        parameters  TEXT NOT NULL, -- JSON
        duration_ms REAL NOT NULL,
        rows        INTEGER, -- null where it failed
        problem     TEXT
      ) STRICT;
    `),
}
