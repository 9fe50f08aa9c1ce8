import type { Migration } from './migration.ts'

/** Migrations of the coming release 0.3.0, in the order in which they run. */
export const release030: readonly Migration[] = [
  {
    version: 400,
    apply: (database) =>
      database.exec(`
      -- Venues that the person typed: JSON array of {id, short, sizes, exchangeTimes}, null for what was not said.
      ALTER TABLE connections ADD COLUMN venues TEXT NOT NULL DEFAULT '[]';
    `),
  },
]
