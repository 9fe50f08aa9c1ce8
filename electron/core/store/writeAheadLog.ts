import { performance } from 'node:perf_hooks'
import type { Database as SqliteDatabase } from 'better-sqlite3'

const PAUSE_MS = 5
const waitCell = new Int32Array(new SharedArrayBuffer(4))

/**
 * Switches a database to its write-ahead log. While another process writes to a new database or switches it too, SQLite
 * refuses immediately, whatever its timeout, so this function retries until the timeout has passed.
 */
export function useWriteAheadLog(database: SqliteDatabase, timeoutMs: number): void {
  const endMs = performance.now() + timeoutMs
  for (;;) {
    try {
      database.pragma('journal_mode = WAL')
      return
    } catch (thrown) {
      const isBusy = thrown instanceof Error && 'code' in thrown && String(thrown.code).startsWith('SQLITE_BUSY')
      if (!isBusy || performance.now() > endMs) throw thrown
      Atomics.wait(waitCell, 0, 0, PAUSE_MS)
    }
  }
}
