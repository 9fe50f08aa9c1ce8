import type { Migration } from './migration.ts'

export const pinnedFiles: Migration = {
  version: 90,
  // Few files are pinned, so a partial index counts them without reading the rest.
  apply: (database) => database.exec('CREATE INDEX files_pinned ON files (series_id) WHERE pinned = 1'),
}
