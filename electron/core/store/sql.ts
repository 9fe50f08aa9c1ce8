import type { Database as SqliteDatabase, Statement } from 'better-sqlite3'

export type SqlValue = string | number | bigint | null | Uint8Array

/** Read-only queries, for code that must not change the store. */
export interface Reads {
  all<Row>(sql: string, ...values: SqlValue[]): Row[]
  first<Row>(sql: string, ...values: SqlValue[]): Row | undefined
}

export interface Writes extends Reads {
  /** @returns how many rows changed */
  run(sql: string, ...values: SqlValue[]): number
  /** All or nothing; what is thrown inside rolls back. Takes the write lock at once, so it never fails half-way as busy. */
  inTransaction<Result>(work: () => Result): Result
}

export interface QueryWatch {
  nowMs(): number
  slowMs: number
  /** Receives the text of a slow statement, never its values. */
  onSlow(sql: string, durationMs: number): void
  /** Turns what SQLite threw into what is thrown on. */
  onError(thrown: unknown): unknown
}

/** The store's two doors onto one SQLite connection: statements are prepared once, timed, and their errors get words. */
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
