import {
  type ListedQuery,
  type QueryDocument,
  queryDocument,
  type RanQuery,
  type SavedQuery,
} from '#shared/contract/areas/sql.ts'
import type { Clock } from '#core/ports.ts'
import type { Database } from './database.ts'
import { createDocumentTable, type DocumentStore, rowParser } from './documentTable.ts'
import { isTextRecord, storedJsonOr } from './storedJson.ts'

/** Saved queries, and the history of the queries that were run. */
export interface QueryStore extends DocumentStore<ListedQuery, QueryDocument, SavedQuery> {
  /** Lists the queries that were run, newest first. */
  history(): RanQuery[]
  /** Adds a run to the history; the oldest runs are deleted. */
  remember(run: Omit<RanQuery, 'id'>): void
  clearHistory(): void
}

/** Maximum number of runs in the history. */
const MOST_RUNS = 500

interface RunRow {
  id: number
  ran_at_ms: number
  sql: string
  parameters: string
  duration_ms: number
  rows: number | null
  problem: string | null
}

export function createQueryStore(database: Database, clock: Clock): QueryStore {
  const { writes } = database
  const documents = createDocumentTable<ListedQuery, QueryDocument, SavedQuery>(database, clock, {
    table: 'sql_queries',
    noun: 'query',
    derived: { column: 'length', compute: ({ sql }) => sql.length },
    open: rowParser(queryDocument),
  })
  return {
    ...documents,
    // Reads through the writer, because the reader may not see a run that was just added.
    history: () =>
      writes
        .all<RunRow>('SELECT * FROM sql_history ORDER BY id DESC')
        .map(({ ran_at_ms: ranAt, duration_ms: durationMs, ...row }) => ({
          ...row,
          ranAt,
          durationMs,
          parameters: storedJsonOr(row.parameters, isTextRecord, {}),
        })),
    remember: ({ ranAt, sql, parameters, durationMs, rows, problem }) =>
      writes.inTransaction(() => {
        writes.run(
          'INSERT INTO sql_history (ran_at_ms, sql, parameters, duration_ms, rows, problem) VALUES (?, ?, ?, ?, ?, ?)',
          ranAt,
          sql,
          JSON.stringify(parameters),
          durationMs,
          rows,
          problem,
        )
        writes.run('DELETE FROM sql_history WHERE id <= (SELECT max(id) FROM sql_history) - ?', MOST_RUNS)
      }),
    clearHistory: () => void writes.run('DELETE FROM sql_history'),
  }
}
