import type { ErrorShape } from '#shared/contract/errors.ts'
import type { Database } from './database.ts'
import { errorFromText, errorToText } from './jobTable.ts'

/** A pause of a connection's jobs, for a reason that concerns all of them. */
export interface ConnectionPause {
  /** Id of the paused connection; empty if all connections are paused because of this machine. */
  connectionId: string
  error: ErrorShape
  /** Time at which the pause ends; null if only the user can end it. */
  untilMs: number | null
}

/** Stores pauses. The process that runs the queue writes them; all processes read them. */
export interface PauseStore {
  list(): ConnectionPause[]
  set(pause: ConnectionPause): void
  clear(connectionId: string): void
  clearAll(): void
}

interface PauseRow {
  connection_id: string
  error: string
  until_ms: number | null
}

export function createPauseStore({ reads, writes }: Database): PauseStore {
  return {
    list: () =>
      reads.all<PauseRow>('SELECT connection_id, error, until_ms FROM holds ORDER BY connection_id').map((row) => ({
        connectionId: row.connection_id,
        error: errorFromText(row.error),
        untilMs: row.until_ms,
      })),
    set: ({ connectionId, error, untilMs }) =>
      void writes.run(
        'INSERT OR REPLACE INTO holds (connection_id, error, until_ms) VALUES (?, ?, ?)',
        connectionId,
        errorToText(error),
        untilMs,
      ),
    clear: (connectionId) => void writes.run('DELETE FROM holds WHERE connection_id = ?', connectionId),
    clearAll: () => void writes.run('DELETE FROM holds'),
  }
}
