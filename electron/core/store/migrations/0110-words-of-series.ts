import type { Migration } from './migration.ts'

export const wordsOfSeries: Migration = {
  version: 110,
  apply(database) {
    database.exec(`
      -- Words to find a series by, folded: jobs are found by those of their series, of which there are far fewer.
      ALTER TABLE series ADD COLUMN search TEXT NOT NULL DEFAULT '';
      ALTER TABLE jobs DROP COLUMN search;
      CREATE INDEX ended_jobs ON jobs (series_id, state, period) WHERE ended_at_ms IS NOT NULL;
      CREATE INDEX jobs_with_error ON jobs (id) WHERE error IS NOT NULL;
    `)
    const series = database.prepare(
      "SELECT id, dataset || ' ' || exchange || ' ' || symbol || ' ' || interval AS words FROM series",
    )
    const save = database.prepare('UPDATE series SET search = ? WHERE id = ?')
    for (const { id, words } of series.all() as { id: number; words: string }[]) {
      save.run(words.normalize('NFKC').toLowerCase(), id)
    }
  },
}
