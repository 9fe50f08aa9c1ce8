import type { Migration } from './migration.ts'

export const leases: Migration = {
  version: 20,
  apply: (database) =>
    database.exec(`
      CREATE TABLE leases (
        name          TEXT PRIMARY KEY,
        holder        TEXT NOT NULL,
        machine       TEXT NOT NULL,
        pid           INTEGER NOT NULL,
        expires_at_ms INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
    `),
}
