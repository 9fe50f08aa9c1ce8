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
]
