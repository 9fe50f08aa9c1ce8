import type { Migration } from './migration.ts'
import { release010 } from './release-0.1.0.ts'
import { release020 } from './release-0.2.0.ts'

/** Migrations of the coming release 0.3.0, in the order in which they run. */
const release030: readonly Migration[] = [
  {
    version: 310,
    apply: (database) =>
      database.exec(`
      -- Indexes of the columns whose statistics must not be used, with commas; null where they were not checked.
      ALTER TABLE files ADD COLUMN doubtful_columns TEXT;
      CREATE INDEX unchecked_files ON files (series_id, period) WHERE doubtful_columns IS NULL;
    `),
  },
]

/** All migrations in the order in which they run. */
export const migrations: readonly Migration[] = [...release010, ...release020, ...release030]
