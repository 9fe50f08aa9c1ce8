import type { Migration } from './migration.ts'

export const fileTimes: Migration = {
  version: 170,
  apply: (database) =>
    // Modification time of the file when it was validated; null for files that an earlier version validated.
    database.exec('ALTER TABLE files ADD COLUMN changed_at_ms REAL'),
}
