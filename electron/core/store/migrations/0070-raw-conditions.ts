import type { Migration } from './migration.ts'

export const rawConditions: Migration = {
  version: 70,
  apply: (database) =>
    database.exec(`
      -- What a file of raw events is like, found by reading all of it; goes when its file does or another takes its place.
      CREATE TABLE raw_conditions (
        series_id  INTEGER NOT NULL,
        period     TEXT NOT NULL,
        conditions TEXT NOT NULL, -- JSON
        PRIMARY KEY (series_id, period),
        FOREIGN KEY (series_id, period) REFERENCES files (series_id, period) ON DELETE CASCADE
      ) STRICT, WITHOUT ROWID;
    `),
}
