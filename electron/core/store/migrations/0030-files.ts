import type { Migration } from './migration.ts'

export const files: Migration = {
  version: 30,
  apply: (database) =>
    database.exec(`
      -- One series of one connection; interval and timestamp are empty for raw events.
      CREATE TABLE series (
        id            INTEGER PRIMARY KEY,
        connection_id TEXT NOT NULL,
        kind          TEXT NOT NULL CHECK (kind IN ('metrics', 'raw')),
        dataset       TEXT NOT NULL,
        exchange      TEXT NOT NULL,
        symbol        TEXT NOT NULL,
        interval      TEXT NOT NULL,
        timestamp     TEXT NOT NULL,
        -- Kept with every change of its files, so that totals need no scan.
        files         INTEGER NOT NULL DEFAULT 0,
        size_bytes    INTEGER NOT NULL DEFAULT 0,
        UNIQUE (connection_id, kind, dataset, exchange, symbol, interval, timestamp)
      ) STRICT;

      -- Days are counted from 1970-01-01; end_day is exclusive. The path follows from series and period.
      CREATE TABLE files (
        series_id              INTEGER NOT NULL REFERENCES series (id),
        period                 TEXT NOT NULL,
        start_day              INTEGER NOT NULL,
        end_day                INTEGER NOT NULL,
        state                  TEXT NOT NULL CHECK (state IN ('final', 'partial')),
        origin                 TEXT NOT NULL CHECK (origin IN ('service', 'import', 'computed')),
        size_bytes             INTEGER NOT NULL,
        sha256                 BLOB NOT NULL,
        etag                   TEXT,
        fetched_at_ms          INTEGER NOT NULL,
        used_at_ms             INTEGER NOT NULL,
        pinned                 INTEGER NOT NULL DEFAULT 0,
        changed_upstream_at_ms INTEGER,
        PRIMARY KEY (series_id, period)
      ) STRICT, WITHOUT ROWID;

      -- Holds all that a plan asks, so that it never reads the rows.
      CREATE INDEX files_by_day ON files (series_id, start_day, end_day, state);
      CREATE INDEX files_by_use ON files (used_at_ms) WHERE pinned = 0;

      -- Names and types of columns, once for all files that share them.
      CREATE TABLE column_lists (
        id      INTEGER PRIMARY KEY,
        columns TEXT NOT NULL UNIQUE -- JSON: [[name, type], …]
      ) STRICT;

      -- What was found when a file was proven whole. Apart from the files, so that plans read little.
      CREATE TABLE file_facts (
        series_id       INTEGER NOT NULL,
        period          TEXT NOT NULL,
        rows            INTEGER NOT NULL,
        first_time_ms   REAL,
        last_time_ms    REAL,
        step_ms         REAL,
        duplicate_times INTEGER NOT NULL,
        column_list_id  INTEGER NOT NULL REFERENCES column_lists (id),
        -- Per column nulls, min, max as float64; NaN where there is none.
        column_values   BLOB NOT NULL,
        PRIMARY KEY (series_id, period),
        FOREIGN KEY (series_id, period) REFERENCES files (series_id, period) ON DELETE CASCADE
      ) STRICT, WITHOUT ROWID;

      -- Bytes a file usually has, learned from what was fetched.
      CREATE TABLE usual_sizes (
        dataset    TEXT NOT NULL,
        interval   TEXT NOT NULL,
        monthly    INTEGER NOT NULL,
        files      INTEGER NOT NULL,
        size_bytes INTEGER NOT NULL,
        PRIMARY KEY (dataset, interval, monthly)
      ) STRICT, WITHOUT ROWID;

      -- Periods for which a service said that it has nothing.
      CREATE TABLE absences (
        series_id  INTEGER NOT NULL REFERENCES series (id),
        period     TEXT NOT NULL,
        start_day  INTEGER NOT NULL,
        end_day    INTEGER NOT NULL,
        seen_at_ms INTEGER NOT NULL,
        PRIMARY KEY (series_id, period)
      ) STRICT, WITHOUT ROWID;

      -- What a connection's key does not open; interval is empty for a whole dataset.
      CREATE TABLE refusals (
        connection_id TEXT NOT NULL,
        dataset       TEXT NOT NULL,
        interval      TEXT NOT NULL,
        words         TEXT,
        at_ms         INTEGER NOT NULL,
        PRIMARY KEY (connection_id, dataset, interval)
      ) STRICT, WITHOUT ROWID;
    `),
}
