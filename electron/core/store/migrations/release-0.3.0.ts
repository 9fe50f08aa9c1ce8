import type { Migration } from './migration.ts'
import { moveDocuments, movedTables } from './movedDocuments.ts'

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
  {
    version: 370,
    apply(database) {
      database.exec(`
      -- What a person names and keeps, of every kind.
      CREATE TABLE user_documents (
        kind          TEXT NOT NULL,
        id            TEXT NOT NULL,
        key           TEXT NOT NULL, -- what no other document of the kind has: the name in lower case, or the id
        name          TEXT NOT NULL COLLATE NOCASE,
        body          TEXT NOT NULL, -- JSON as the kind defines it
        facts         TEXT NOT NULL, -- JSON of what a list shows of the body
        state         TEXT NOT NULL, -- JSON of what a list shows besides
        revision      INTEGER NOT NULL,
        changed_at_ms INTEGER NOT NULL,
        PRIMARY KEY (kind, id),
        UNIQUE (kind, key)
      ) STRICT, WITHOUT ROWID;
      CREATE TABLE study_answers (
        id     TEXT PRIMARY KEY, -- of the study
        answer BLOB NOT NULL -- JSON of the last run, compressed by gzip
      ) STRICT, WITHOUT ROWID;
      CREATE TRIGGER forget_study_answer AFTER DELETE ON user_documents WHEN OLD.kind = 'study' BEGIN
        DELETE FROM study_answers WHERE id = OLD.id;
      END;
    `)
      moveDocuments(database, movedTables)
      database.exec(`
      -- Tables of earlier versions, for who reads the index.
      CREATE VIEW workspaces AS
        SELECT id, name, body AS document, facts ->> '$.series' AS series, revision, changed_at_ms
        FROM user_documents WHERE kind = 'workspace';
      CREATE VIEW download_sets AS
        SELECT facts ->> '$.connectionId' AS connection_id, name, body AS fields, changed_at_ms AS saved_at_ms,
          state ->> '$.enqueuedAt' AS enqueued_at_ms
        FROM user_documents WHERE kind = 'set';
    `)
    },
  },
  {
    version: 380,
    apply: (database) =>
      database.exec(`
      -- Files of the user that are datasets, by the name that they have in formulas.
      CREATE TABLE own_datasets (
        name          TEXT PRIMARY KEY,
        record        TEXT NOT NULL, -- JSON: paths, sizes and hashes of the files, every choice, and what was found
        changed_at_ms INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
      -- Their converted rows: one file a month, under files/own/NAME.
      CREATE TABLE own_parts (
        name         TEXT NOT NULL REFERENCES own_datasets (name) ON DELETE CASCADE,
        month        TEXT NOT NULL,
        sha256       TEXT NOT NULL,
        bytes        INTEGER NOT NULL,
        rows         INTEGER NOT NULL,
        owners       BLOB NOT NULL, -- pairs of 32-bit numbers: an owner of the record, and its number of rows
        PRIMARY KEY (name, month)
      ) STRICT, WITHOUT ROWID;
    `),
  },
  {
    version: 390,
    apply: (database) =>
      database.exec(`
      -- Weights by day of a tested portfolio: JSON, compressed by gzip; null for other studies and earlier runs.
      ALTER TABLE studies ADD COLUMN weights BLOB;
      -- returns, weights or prices; null for a file of returns or weights that was opened before there were prices.
      ALTER TABLE own_returns ADD COLUMN kind TEXT;
    `),
  },
  {
    version: 400,
    apply: (database) =>
      database.exec(`
      -- Every trial of a study keeps its answer; the one that was kept before is the first trial.
      CREATE TABLE study_trials (
        id           TEXT NOT NULL, -- of the study
        trial        INTEGER NOT NULL, -- from 1
        ran_at_ms    INTEGER NOT NULL, -- 0 for a run of an earlier version, whose answer names it
        is_automatic INTEGER NOT NULL, -- 1 if it ran while the user typed; the next such run replaces it
        document     TEXT, -- JSON; null for a run of an earlier version, whose answer has it
        answer       BLOB NOT NULL, -- JSON, compressed by gzip
        PRIMARY KEY (id, trial)
      ) STRICT, WITHOUT ROWID;
      INSERT INTO study_trials SELECT id, 1, 0, 0, NULL, answer FROM study_answers;
      DROP TRIGGER forget_study_answer;
      DROP TABLE study_answers;
      ALTER TABLE study_trials RENAME TO study_answers;
      CREATE TRIGGER forget_study_answer AFTER DELETE ON user_documents WHEN OLD.kind = 'study' BEGIN
        DELETE FROM study_answers WHERE id = OLD.id;
      END;
      `),
  },
  {
    version: 410,
    apply: (database) =>
      database.exec(`
      -- Series of which a file ever came, whatever the connection.
      CREATE TABLE arrival_series (
        id        INTEGER PRIMARY KEY,
        kind      TEXT NOT NULL,
        dataset   TEXT NOT NULL,
        exchange  TEXT NOT NULL,
        symbol    TEXT NOT NULL,
        interval  TEXT NOT NULL,
        timestamp TEXT NOT NULL,
        UNIQUE (kind, dataset, exchange, symbol, interval, timestamp)
      ) STRICT;
      -- When the first version of each file came; kept when the file is removed, replaced or moved.
      CREATE TABLE first_arrivals (
        series_id     INTEGER NOT NULL REFERENCES arrival_series (id),
        start_day     INTEGER NOT NULL,
        end_day       INTEGER NOT NULL,
        arrived_at_ms INTEGER, -- null if it is not known
        PRIMARY KEY (series_id, start_day, end_day)
      ) STRICT, WITHOUT ROWID;
      -- Of the files that are here only the last version is known.
      INSERT INTO arrival_series (kind, dataset, exchange, symbol, interval, timestamp)
        SELECT DISTINCT kind, dataset, exchange, symbol, interval, timestamp FROM series WHERE files > 0;
      INSERT OR IGNORE INTO first_arrivals
        SELECT arrival_series.id, start_day, end_day, NULL FROM files JOIN series ON series.id = files.series_id
          JOIN arrival_series USING (kind, dataset, exchange, symbol, interval, timestamp);
      -- Days of recorded runs that came after them, each scored once.
      CREATE TABLE forward_scores (
        entry TEXT PRIMARY KEY, -- hash of the entry in the ledger
        days  BLOB NOT NULL, -- four numbers a day: the day, its net return, the number of its files and a hash of them
        ics   TEXT NOT NULL, -- JSON: rank ICs of a signal study by the day on which their samples ended
        facts TEXT NOT NULL -- JSON: what the inbox was told of the run, and what is said beside its score
      ) STRICT, WITHOUT ROWID;
    `),
  },
  {
    version: 430,
    apply: (database) =>
      database.exec(`
      -- Rows of a source up to a day were here at a time: of own data, and of histories of the portfolio service; kept
      -- when the rows are removed.
      CREATE TABLE row_arrivals (
        source        TEXT NOT NULL, -- own_NAME, or endpoint and query
        to_day        INTEGER NOT NULL, -- of own data the day at whose end the last row is known
        arrived_at_ms INTEGER, -- null if it is not known
        PRIMARY KEY (source, to_day)
      ) STRICT, WITHOUT ROWID;
      -- How often rows of a day came with other content.
      CREATE TABLE row_changes (
        source  TEXT NOT NULL,
        day     INTEGER NOT NULL,
        changes INTEGER NOT NULL,
        PRIMARY KEY (source, day)
      ) STRICT, WITHOUT ROWID;
      -- Of the rows that are here nobody knows when they first came.
      INSERT INTO row_arrivals SELECT 'own_' || name, CAST(known_us / 86400000000 AS INTEGER) + 1, NULL FROM (
        SELECT name, (record ->> '$.lastTimeUs')
          + 1000 * (coalesce(record ->> '$.intervalMs', 0) + coalesce(record ->> '$.knownAfterMs', 0)) AS known_us
        FROM own_datasets) WHERE known_us IS NOT NULL;
      INSERT INTO row_arrivals SELECT endpoint || ' ' || query, max(day), NULL
        FROM portfolio_days JOIN portfolio_requests ON id = request_id GROUP BY 1;
    `),
  },
  {
    version: 460,
    apply: (database) =>
      database.exec(`
      -- Typed rules for the orders of a plan, by the symbol of positions and orders; null is what was not typed.
      CREATE TABLE order_rules (
        symbol     TEXT PRIMARY KEY,
        ticker     TEXT UNIQUE, -- the symbol itself if null
        multiplier REAL CHECK (multiplier > 0), -- units of the ticker in one unit of the symbol
        lot        REAL CHECK (lot > 0),
        min_units  REAL CHECK (min_units > 0),
        min_order  REAL CHECK (min_order > 0) -- in quote currency
      ) STRICT, WITHOUT ROWID;
    `),
  },
  {
    version: 470,
    apply: (database) =>
      database.exec(`
      -- Last run of each check, of which the inbox keeps only hits.
      CREATE TABLE check_runs (
        name      TEXT PRIMARY KEY,
        rule      TEXT NOT NULL, -- JSON: the rule that ran
        ran_at_ms INTEGER NOT NULL,
        outcome   TEXT NOT NULL -- JSON
      ) STRICT, WITHOUT ROWID;
    `),
  },
]
