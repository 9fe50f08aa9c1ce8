import type { Migration } from './migration.ts'

export const pinnedFiles: Migration = {
  version: 90,
  // What is pinned is little: counting it must not read the rest.
  apply: (database) => database.exec('CREATE INDEX files_pinned ON files (series_id) WHERE pinned = 1'),
}
