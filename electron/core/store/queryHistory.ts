import type { RanQuery } from '#shared/contract/areas/sql.ts'
import type { Database } from './database.ts'
import { isTextRecord, storedJsonOr } from './storedJson.ts'

/** The queries that were run. */
export interface QueryHistory {
  /** Lists the runs, newest first. */
  list(): RanQuery[]
  /** Adds a run; the oldest runs are deleted. */
  remember(run: Omit<RanQuery, 'id'>): void
  clear(): void
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

export const createQueryHistory = ({ writes }: Database): QueryHistory => ({
  // Reads through the writer, because the reader may not see a run that was just added.
  list: () =>
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
  clear: () => void writes.run('DELETE FROM sql_history'),
})
