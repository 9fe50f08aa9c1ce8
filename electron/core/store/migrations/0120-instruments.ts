import type { Migration } from './migration.ts'

export const instruments: Migration = {
  version: 120,
  apply(database) {
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
    `)
  },
}
