import type { Migration } from './migration.ts'

export const runnableJobs: Migration = {
  version: 100,
  apply: (database) =>
    database.exec(`
      -- What may run next of each connection, found at once however many others stand still.
      CREATE INDEX jobs_runnable ON jobs (connection_id, priority DESC, position, id) WHERE state IN ('queued', 'waiting');
    `),
}
