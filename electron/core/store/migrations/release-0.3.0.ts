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
    version: 330,
    apply: (database) =>
      database.exec(`
      -- Facts about instruments hold from a date on: UTC day or instant, empty for always.
      CREATE TABLE dated_instruments (
        exchange TEXT NOT NULL,
        symbol TEXT NOT NULL,
        valid_from TEXT NOT NULL DEFAULT '',
        contract_size REAL CHECK (contract_size > 0),
        quote TEXT,
        tick REAL CHECK (tick > 0),
        funding_every TEXT,
        funding_offset TEXT,
        funding_rate_per TEXT,
        native TEXT,
        listed TEXT,
        delisted TEXT,
        renamed_from TEXT,
        PRIMARY KEY (exchange, symbol, valid_from)
      ) STRICT, WITHOUT ROWID;
      INSERT INTO dated_instruments (exchange, symbol, contract_size, quote, tick, funding_every, renamed_from)
        SELECT exchange, symbol, contract_size, quote, tick, funding_every, renamed_from FROM instruments;
      DROP TABLE instruments;
      ALTER TABLE dated_instruments RENAME TO instruments;
      -- Typed funding periods; the symbol is empty for all symbols of a venue.
      CREATE TABLE funding_defaults (
        exchange TEXT NOT NULL,
        symbol TEXT NOT NULL,
        every TEXT NOT NULL,
        PRIMARY KEY (exchange, symbol)
      ) STRICT, WITHOUT ROWID;
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
        dataset       TEXT NOT NULL,
        interval      TEXT NOT NULL,
        kind          TEXT NOT NULL,
        words         TEXT,
        at_ms         INTEGER NOT NULL,
        PRIMARY KEY (connection_id, dataset, interval, kind)
      ) STRICT, WITHOUT ROWID;
      -- Both kinds have a dataset open_interest; a refusal of it is taken for the metric files.
      INSERT INTO refusals
        SELECT connection_id, dataset, interval,
          iif(dataset IN ('trades', 'quotes', 'mark_price', 'index_price', 'funding_rate'), 'raw', 'metrics'),
          words, at_ms
        FROM refusals_before;
      DROP TABLE refusals_before;
    `),
  },
  {
    version: 350,
    apply: (database) =>
      database.exec(`
      -- 0 where the service did not say when it generated the snapshot; created_at_ms is then when it was first fetched.
      ALTER TABLE portfolio_snapshots ADD COLUMN is_created_said INTEGER NOT NULL DEFAULT 1;

      -- Portfolio services that know an overlay's portfolio only without its universe size.
      CREATE TABLE bare_overlays (
        connection_id TEXT NOT NULL,
        url           TEXT NOT NULL,
        PRIMARY KEY (connection_id, url)
      ) STRICT;
    `),
  },
  {
    version: 360,
    apply: (database) =>
      database.exec(`
      -- What the content of a file tells about funding periods: doubles, as packed by the reading thread.
      CREATE TABLE funding_evidence (
        sha256   BLOB PRIMARY KEY,
        evidence BLOB NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE TRIGGER forget_funding_evidence AFTER DELETE ON files BEGIN
        DELETE FROM funding_evidence WHERE sha256 = OLD.sha256;
      END;
    `),
  },
]
