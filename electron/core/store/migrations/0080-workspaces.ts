import type { Migration } from './migration.ts'

export const workspaces: Migration = {
  version: 80,
  apply: (database) =>
    database.exec(`
      CREATE TABLE workspaces (
        id            TEXT PRIMARY KEY,
        name          TEXT NOT NULL UNIQUE COLLATE NOCASE,
        document      TEXT NOT NULL, -- JSON with a version of its own
        series        INTEGER NOT NULL,
        revision      INTEGER NOT NULL,
        changed_at_ms INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
    `),
}
