import type { Migration } from './migration.ts'

export const portfolioAnswers: Migration = {
  version: 60,
  apply: (database) =>
    database.exec(`
      -- One request in its canonical form, without a range of days. Days are counted from 1970-01-01.
      CREATE TABLE portfolio_requests (
        id            INTEGER PRIMARY KEY,
        connection_id TEXT NOT NULL,
        endpoint      TEXT NOT NULL,
        query         TEXT NOT NULL,
        -- The latest answer; of a history, the latest that reached its end.
        fetched_at_ms INTEGER NOT NULL,
        source        TEXT NOT NULL,
        problems      TEXT NOT NULL, -- JSON
        -- Of a history: the days that were asked for, end_day exclusive. A day among them without a row has no data.
        start_day     INTEGER,
        end_day       INTEGER,
        UNIQUE (connection_id, endpoint, query)
      ) STRICT;

      -- Names of columns, once for all rows that share them.
      CREATE TABLE portfolio_columns (
        id    INTEGER PRIMARY KEY,
        names TEXT NOT NULL UNIQUE -- JSON
      ) STRICT;

      -- One day of a history; cells are float64 in the order of the columns, NaN where there is no value.
      CREATE TABLE portfolio_days (
        request_id    INTEGER NOT NULL REFERENCES portfolio_requests (id),
        day           INTEGER NOT NULL,
        columns_id    INTEGER NOT NULL REFERENCES portfolio_columns (id),
        cells         BLOB NOT NULL,
        fetched_at_ms INTEGER NOT NULL,
        PRIMARY KEY (request_id, day)
      ) STRICT;

      -- Every live snapshot that was ever seen.
      CREATE TABLE portfolio_snapshots (
        request_id    INTEGER NOT NULL REFERENCES portfolio_requests (id),
        created_at_ms INTEGER NOT NULL,
        day           INTEGER NOT NULL,
        columns_id    INTEGER NOT NULL REFERENCES portfolio_columns (id),
        cells         BLOB NOT NULL,
        fetched_at_ms INTEGER NOT NULL,
        PRIMARY KEY (request_id, created_at_ms)
      ) STRICT;

      -- Every list of tickers that was ever the answer: the newest counts, the others are its revisions.
      CREATE TABLE portfolio_lists (
        id               INTEGER PRIMARY KEY,
        request_id       INTEGER NOT NULL REFERENCES portfolio_requests (id),
        tickers          TEXT NOT NULL, -- JSON
        first_seen_at_ms INTEGER NOT NULL
      ) STRICT;
      CREATE INDEX portfolio_lists_by_request ON portfolio_lists (request_id, id);

      -- What stood for a day (or for a snapshot of this creation time) before the service said otherwise.
      CREATE TABLE portfolio_revisions (
        id             INTEGER PRIMARY KEY,
        request_id     INTEGER NOT NULL REFERENCES portfolio_requests (id),
        day            INTEGER NOT NULL,
        created_at_ms  INTEGER,
        columns_id     INTEGER NOT NULL REFERENCES portfolio_columns (id),
        cells          BLOB NOT NULL,
        fetched_at_ms  INTEGER NOT NULL,
        replaced_at_ms INTEGER NOT NULL
      ) STRICT;
      CREATE INDEX portfolio_revisions_by_request ON portfolio_revisions (request_id, day);

      -- Identifiers that were used, to be offered again.
      CREATE TABLE portfolio_ids (
        connection_id TEXT NOT NULL,
        kind          TEXT NOT NULL,
        name          TEXT NOT NULL,
        used_at_ms    INTEGER NOT NULL,
        PRIMARY KEY (connection_id, kind, name)
      ) STRICT, WITHOUT ROWID;
    `),
}
