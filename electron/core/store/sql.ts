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
   * Runs work in a transaction, which an exception rolls back. The transaction takes the write lock at its start, so it
   * cannot fail midway because another process is writing.
   */
  inTransaction<Result>(work: () => Result): Result
}

export interface QueryWatch {
  nowMs(): number
  slowMs: number
  /** Called with the text of a slow statement, without its values. */
  onSlow(sql: string, durationMs: number): void
  /** Turns an error from SQLite into the error to throw. */
  onError(thrown: unknown): unknown
}

/** Wraps a SQLite connection: statements are prepared once and timed, and errors get a readable message. */
export function openSql(database: SqliteDatabase, watch: QueryWatch): Writes {
  const statements = new Map<string, Statement>()

  function prepare(sql: string): Statement {
    const cached = statements.get(sql)
    if (cached) return cached
    const statement = database.prepare(sql)
    statements.set(sql, statement)
    return statement
  }

  function runTimed<Result>(sql: string, work: () => Result): Result {
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
    all: <Row>(sql: string, ...values: SqlValue[]) => runTimed(sql, () => prepare(sql).all(...values) as Row[]),
    first: <Row>(sql: string, ...values: SqlValue[]) =>
      runTimed(sql, () => prepare(sql).get(...values) as Row | undefined),
    run: (sql, ...values) => runTimed(sql, () => prepare(sql).run(...values).changes),
    inTransaction: (work) => runTimed('transaction', () => database.transaction(work).immediate()),
  }
}
