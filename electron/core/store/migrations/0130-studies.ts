import type { Migration } from './migration.ts'

export const studies: Migration = {
  version: 130,
  apply: (database) =>
    database.exec(`
      CREATE TABLE studies (
        id            TEXT PRIMARY KEY, -- the first digits of the hash
        document_hash TEXT NOT NULL UNIQUE,
        name          TEXT,
        kind          TEXT NOT NULL,
        document      TEXT NOT NULL, -- JSON with every default filled in
        result        BLOB NOT NULL, -- JSON of the last run, compressed by gzip
        last_run_ms   INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
    `),
}
