import type { Migration } from './migration.ts'

export const coverage: Migration = {
  version: 40,
  apply: (database) =>
    database.exec(`
      CREATE TABLE documents (
        connection_id   TEXT NOT NULL,
        name            TEXT NOT NULL,
        body            TEXT NOT NULL, -- JSON
        fetched_at_ms   INTEGER NOT NULL,
        generated_at_ms INTEGER,
        source          TEXT NOT NULL,
        PRIMARY KEY (connection_id, name)
      ) STRICT, WITHOUT ROWID;

      CREATE TABLE symbols (
        connection_id TEXT NOT NULL,
        exchange      TEXT NOT NULL,
        symbol        TEXT NOT NULL,
        -- NFKC and lower case, for search.
        folded        TEXT NOT NULL,
        PRIMARY KEY (connection_id, exchange, symbol)
      ) STRICT, WITHOUT ROWID;

      -- Days are counted from 1970-01-01, both inclusive, as the catalog states them.
      CREATE TABLE raw_coverage (
        connection_id TEXT NOT NULL,
        dataset       TEXT NOT NULL,
        exchange      TEXT NOT NULL,
        symbol        TEXT NOT NULL,
        first_day     INTEGER NOT NULL,
        last_day      INTEGER NOT NULL,
        days          INTEGER NOT NULL,
        PRIMARY KEY (connection_id, dataset, exchange, symbol)
      ) STRICT, WITHOUT ROWID;
    `),
}
