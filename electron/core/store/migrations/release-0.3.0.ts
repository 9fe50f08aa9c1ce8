import type { Migration } from './migration.ts'

/** Migrations of the coming release 0.3.0, in the order in which they run. */
export const release030: readonly Migration[] = [
  {
    version: 310,
    apply: (database) =>
      database.exec(`
      -- Indexes of the columns whose statistics must not be used, with commas; null where they were not checked.
      ALTER TABLE files ADD COLUMN doubtful_columns TEXT;
      CREATE INDEX unchecked_files ON files (series_id, period) WHERE doubtful_columns IS NULL;
    `),
  },
  {
    version: 320,
    apply: (database) =>
      database.exec(`
      -- Venues that the person typed: JSON array of {id, short, sizes, exchangeTimes}, null for what was not said.
      ALTER TABLE connections ADD COLUMN venues TEXT NOT NULL DEFAULT '[]';
    `),
  },
  {
    version: 340,
    apply: (database) =>
      database.exec(`
      -- 1 if the connection gets only the slice that the raw-event catalog names as its preview.
      ALTER TABLE connections ADD COLUMN preview INTEGER NOT NULL DEFAULT 0;

      -- Days without data, where the catalog names them: JSON array of [first, day after the last]; null where it does not.
      ALTER TABLE raw_coverage ADD COLUMN missing_days TEXT;
      -- Size of all files of the series; null where the catalog does not say.
      ALTER TABLE raw_coverage ADD COLUMN size_bytes INTEGER;

      -- What a connection's key does not open; dataset and interval are empty for all of them.
      ALTER TABLE refusals RENAME TO refusals_before;
      CREATE TABLE refusals (
        connection_id TEXT NOT NULL,
        kind          TEXT NOT NULL,
        dataset       TEXT NOT NULL,
        interval      TEXT NOT NULL,
        words         TEXT,
        at_ms         INTEGER NOT NULL,
        PRIMARY KEY (connection_id, kind, dataset, interval)
      ) STRICT, WITHOUT ROWID;
      -- Both kinds have a dataset open_interest; a refusal of it is taken for the metric files.
      INSERT INTO refusals
        SELECT connection_id,
          iif(dataset IN ('trades', 'quotes', 'mark_price', 'index_price', 'funding_rate'), 'raw', 'metrics'),
          dataset, interval, words, at_ms
        FROM refusals_before;
      DROP TABLE refusals_before;
    `),
  },
]
