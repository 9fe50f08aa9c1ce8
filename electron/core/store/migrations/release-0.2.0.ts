import type { Migration } from './migration.ts'

/** Migrations of the coming release 0.2.0, in the order in which they run. */
export const release020: readonly Migration[] = [
  {
    version: 120,
    apply: (database) =>
      database.exec(`
      -- Facts about instruments that only the person can give; none by default.
      CREATE TABLE instruments (
        exchange TEXT NOT NULL,
        symbol TEXT NOT NULL,
        contract_size REAL CHECK (contract_size > 0),
        quote TEXT,
        tick REAL CHECK (tick > 0),
        funding_every TEXT,
        renamed_from TEXT,
        PRIMARY KEY (exchange, symbol)
      ) STRICT, WITHOUT ROWID;
    `),
  },
  {
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
  },
  {
    version: 140,
    apply: (database) =>
      // The column is 1 if the user allows a public service to refer to files at private addresses.
      database.exec('ALTER TABLE connections ADD COLUMN private_storage INTEGER NOT NULL DEFAULT 0'),
  },
  {
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
  },
  {
    version: 160,
    apply: (database) =>
      database.exec(`
      -- Named lists of symbols, in the order of their file.
      CREATE TABLE symbol_lists (
        list TEXT NOT NULL,
        position INTEGER NOT NULL,
        exchange TEXT NOT NULL,
        symbol TEXT NOT NULL,
        symbol_group TEXT,
        PRIMARY KEY (list, position)
      ) STRICT, WITHOUT ROWID;
    `),
  },
  {
    version: 170,
    apply: (database) =>
      // Modification time of the file when it was validated; null for files that an earlier version validated.
      database.exec('ALTER TABLE files ADD COLUMN changed_at_ms REAL'),
  },
  {
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
  },
  {
    version: 190,
    apply: (database) =>
      database.exec(`
      -- Results of checks of cached files, by a hash of the check and of the bytes that it read.
      CREATE TABLE quality_results (
        key TEXT PRIMARY KEY,
        result TEXT NOT NULL,
        checked_at_ms INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
      -- Findings that the person accepted, with their note.
      CREATE TABLE quality_accepted (
        finding TEXT PRIMARY KEY,
        note TEXT NOT NULL,
        accepted_at_ms INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
    `),
  },
  {
    version: 200,
    apply: (database) =>
      database.exec(`
      -- Figures of watched pairs, as long as the files stay that they were computed from.
      CREATE TABLE watch_figures (
        connection_id TEXT NOT NULL,
        name TEXT NOT NULL, -- market, quality, or a formula
        exchange TEXT NOT NULL,
        symbol TEXT NOT NULL,
        fingerprint TEXT NOT NULL, -- differs once a file of the pair came, went or changed
        figures TEXT NOT NULL, -- JSON
        PRIMARY KEY (connection_id, name, exchange, symbol)
      ) STRICT, WITHOUT ROWID;
    `),
  },
  {
    version: 210,
    apply: (database) =>
      database.exec(`
      -- Queries whose results are stored as series, which are made again when the files have changed.
      CREATE TABLE sql_series (
        owner       TEXT NOT NULL, -- connection of the series, as computed here
        symbol      TEXT NOT NULL,
        interval    TEXT NOT NULL,
        name        TEXT NOT NULL,
        sql         TEXT NOT NULL,
        parameters  TEXT NOT NULL, -- JSON
        fingerprint TEXT NOT NULL, -- changes with the files that the query reads
        sources     TEXT NOT NULL, -- JSON: path and sha256 of each file
        ran_at_ms   REAL NOT NULL,
        PRIMARY KEY (owner, symbol)
      ) STRICT, WITHOUT ROWID;
    `),
  },
  {
    version: 220,
    apply: (database) =>
      database.exec(`
      -- Rules that are looked at after a refresh.
      CREATE TABLE checks (
        name          TEXT PRIMARY KEY,
        connection_id TEXT NOT NULL,
        rule          TEXT NOT NULL -- JSON
      ) STRICT, WITHOUT ROWID;
      -- Hits of checks, and checks that could not be evaluated.
      CREATE TABLE inbox (
        id               INTEGER PRIMARY KEY,
        name             TEXT NOT NULL, -- of the check, which may be gone
        created_at_ms    INTEGER NOT NULL,
        outcome          TEXT NOT NULL, -- JSON
        read_at_ms       INTEGER,
        snoozed_until_ms INTEGER
      ) STRICT;
    `),
  },
  {
    version: 230,
    apply: (database) =>
      database.exec(`
      -- The ClickHouse server of a connection; its password is in the keychain.
      CREATE TABLE engine_servers (
        connection_id TEXT PRIMARY KEY,
        url           TEXT NOT NULL,
        user_name     TEXT NOT NULL,
        cluster       TEXT NOT NULL, -- empty for none
        plain_http    INTEGER NOT NULL CHECK (plain_http IN (0, 1)) -- confirmed by the person
      ) STRICT, WITHOUT ROWID;
    `),
  },
  {
    version: 240,
    apply: (database) =>
      database.exec(`
      -- Files of returns or weights of the person's own, with their text as it was read last.
      CREATE TABLE own_returns (
        id         TEXT PRIMARY KEY,
        name       TEXT NOT NULL UNIQUE,
        path       TEXT UNIQUE, -- null for a copy that came through a browser
        text       TEXT NOT NULL,
        stamp      TEXT NOT NULL, -- size and modification time of the file that the text was read from
        unit       TEXT CHECK (unit IN ('percent', 'fraction')), -- null until the person says it
        cost       TEXT, -- basis points as they were typed
        read_at_ms REAL NOT NULL
      ) STRICT, WITHOUT ROWID;
    `),
  },
  {
    version: 250,
    apply: (database) =>
      database.exec(`
      -- Pages of parts that are computed whenever they show.
      CREATE TABLE boards (
        id            TEXT PRIMARY KEY,
        name          TEXT NOT NULL UNIQUE COLLATE NOCASE,
        document      TEXT NOT NULL, -- JSON
        parts         INTEGER NOT NULL, -- of the document
        revision      INTEGER NOT NULL,
        changed_at_ms INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
    `),
  },
  {
    version: 260,
    apply: (database) =>
      database.exec(`
      -- What a file says about the engine that computed it; JSON, null where it says nothing.
      ALTER TABLE file_facts ADD COLUMN provenance TEXT;
    `),
  },
  {
    version: 270,
    apply: (database) =>
      database.exec(`
      -- Shared store of a connection, in which files are looked for before the service is asked.
      ALTER TABLE connections ADD COLUMN store TEXT NOT NULL DEFAULT ''; -- folder or s3:// address; empty for none
      ALTER TABLE connections ADD COLUMN store_endpoint TEXT NOT NULL DEFAULT ''; -- empty for Amazon S3
      ALTER TABLE connections ADD COLUMN store_plain_http INTEGER NOT NULL DEFAULT 0; -- 1 where the person confirmed it
    `),
  },
  {
    version: 280,
    apply: (database) =>
      database.exec(`
      -- Folder in which the person keeps documents as files; one row at most.
      CREATE TABLE documents_folder (
        id   INTEGER PRIMARY KEY CHECK (id = 1),
        path TEXT NOT NULL
      ) STRICT;
      -- Files of documents in that folder, with the hash of each side when both were last brought together.
      CREATE TABLE document_files (
        kind      TEXT NOT NULL,
        id        TEXT NOT NULL,
        path      TEXT NOT NULL, -- within the folder
        mine_hash TEXT NOT NULL, -- empty: decided by the person to differ
        file_hash TEXT NOT NULL,
        PRIMARY KEY (kind, id)
      ) STRICT, WITHOUT ROWID;
    `),
  },
  {
    version: 290,
    apply: (database) =>
      database.exec(`
      ALTER TABLE jobs ADD COLUMN store_only INTEGER NOT NULL DEFAULT 0; -- 1: from the shared store or not at all
      ALTER TABLE jobs ADD COLUMN store TEXT; -- shared store that the file was copied from
      ALTER TABLE jobs ADD COLUMN store_problem TEXT; -- what was wrong with the store before the service was asked
    `),
  },
  {
    version: 300,
    apply: (database) =>
      database.exec(`
      -- Columns that were compared between engines; an engine is not offered for a dataset with one that differs.
      CREATE TABLE engine_checks (
        connection_id TEXT NOT NULL,
        engine        TEXT NOT NULL,
        dataset       TEXT NOT NULL,
        column_name   TEXT NOT NULL,
        version       TEXT, -- of the engine; null where it is the program's
        agrees        INTEGER NOT NULL CHECK (agrees IN (0, 1)),
        largest       REAL NOT NULL, -- relative difference
        worst         TEXT, -- JSON: the symbol-day that differs; null where the column agrees
        checked_at_ms REAL NOT NULL,
        PRIMARY KEY (connection_id, engine, dataset, column_name)
      ) STRICT, WITHOUT ROWID;
    `),
  },
]
