import type { Migration } from './migration.ts'

export const symbolLists: Migration = {
  version: 160,
  apply(database) {
    database.exec(`
      -- Named lists of symbols, in the order of their file.
      CREATE TABLE symbol_lists (
        list TEXT NOT NULL,
        position INTEGER NOT NULL,
        exchange TEXT NOT NULL,
        symbol TEXT NOT NULL,
        symbol_group TEXT,
        PRIMARY KEY (list, position)
      ) STRICT, WITHOUT ROWID;
    `)
  },
}
