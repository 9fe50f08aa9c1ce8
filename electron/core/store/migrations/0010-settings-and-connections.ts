import type { Migration } from './migration.ts'

export const settingsAndConnections: Migration = {
  version: 10,
  apply: (database) =>
    database.exec(`
      CREATE TABLE settings (
        key   TEXT PRIMARY KEY,
        value TEXT NOT NULL -- JSON
      ) STRICT, WITHOUT ROWID;

      CREATE TABLE connections (
        id               TEXT PRIMARY KEY,
        name             TEXT NOT NULL UNIQUE COLLATE NOCASE,
        metrics_url      TEXT NOT NULL,
        portfolio_url    TEXT NOT NULL,
        catalog_location TEXT NOT NULL,
        tier             INTEGER CHECK (tier BETWEEN 0 AND 3),
        active           INTEGER NOT NULL CHECK (active IN (0, 1)),
        built_in         INTEGER NOT NULL CHECK (built_in IN (0, 1)),
        -- Goes up when a key of this connection is set or removed, so that other processes look again.
        key_changes      INTEGER NOT NULL DEFAULT 0
      ) STRICT, WITHOUT ROWID;

      CREATE UNIQUE INDEX one_active_connection ON connections (active) WHERE active = 1;

      -- Its addresses are known only while a host runs the sandbox; tier 3 opens everything.
      INSERT INTO connections (id, name, metrics_url, portfolio_url, catalog_location, tier, active, built_in)
      VALUES ('sandbox', 'Sandbox', '', '', '', 3, 1, 1);
    `),
}
