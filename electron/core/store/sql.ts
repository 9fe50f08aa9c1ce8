import type { Database as SqliteDatabase, Statement } from 'better-sqlite3'

export type SqlValue = string | number | bigint | null | Uint8Array

/** Read-only queries, for code that must not change the store. */
export interface Reads {
  all<Row>(sql: string, ...values: SqlValue[]): Row[]
  first<Row>(sql: string, ...values: SqlValue[]): Row | undefined
}

export interface Writes extends Reads {
  /** @returns number of changed rows */
  run(sql: string, ...values: SqlValue[]): number
  /**
   * Runs work in a transaction, which an exception rolls back. Takes the write lock at the start, so it cannot fail
   * midway as busy.
   */
  inTransaction<Result>(work: () => Result): Result
}

export interface QueryWatch {
  nowMs(): number
  slowMs: number
  /** Called with the text of a slow statement, without its values. */
  onSlow(sql: string, durationMs: number): void
  /** Turns an error of SQLite into the error to throw. */
  onError(thrown: unknown): unknown
}

/** Wraps a SQLite connection: statements are prepared once and timed, and errors get a readable message. */
export function openSql(database: SqliteDatabase, watch: QueryWatch): Writes {
  const statements = new Map<string, Statement>()

  function prepared(sql: string): Statement {
    const known = statements.get(sql)
    if (known) return known
    const statement = database.prepare(sql)
    statements.set(sql, statement)
    return statement
  }

  function watched<Result>(sql: string, work: () => Result): Result {
    const startedMs = watch.nowMs()
    try {
      return work()
    } catch (thrown) {
      throw watch.onError(thrown)
    } finally {
      const durationMs = watch.nowMs() - startedMs
      if (durationMs >= watch.slowMs) watch.onSlow(sql.replace(/\s+/g, ' ').trim(), durationMs)
    }
  }

  return {
    all: <Row>(sql: string, ...values: SqlValue[]) => watched(sql, () => prepared(sql).all(...values) as Row[]),
    first: <Row>(sql: string, ...values: SqlValue[]) =>
      watched(sql, () => prepared(sql).get(...values) as Row | undefined),
    run: (sql, ...values) => watched(sql, () => prepared(sql).run(...values).changes),
    inTransaction: (work) => watched('transaction', () => database.transaction(work).immediate()),
  }
}
