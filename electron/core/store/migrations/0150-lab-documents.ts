import type { Migration } from './migration.ts'

export const labDocuments: Migration = {
  version: 150,
  apply: (database) =>
    database.exec(`
      CREATE TABLE lab_documents (
        id            TEXT PRIMARY KEY,
        name          TEXT NOT NULL UNIQUE COLLATE NOCASE,
        kind          TEXT, -- null while the study says none
        document      TEXT NOT NULL, -- JSON as the person wrote it
        revision      INTEGER NOT NULL,
        changed_at_ms INTEGER NOT NULL,
        answer        BLOB, -- JSON of the last run, compressed by gzip
        ran_at_ms     INTEGER
      ) STRICT, WITHOUT ROWID;
    `),
}
