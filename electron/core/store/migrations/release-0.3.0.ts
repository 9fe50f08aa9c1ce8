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
    version: 370,
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
