import { downloadSetFields, type DownloadSet, type DownloadSetFields } from '#shared/contract/areas/downloads.ts'
import { AppError } from '#shared/contract/errors.ts'
import type { Database } from './database.ts'
import { damagedError, readStoredJson } from './storedJson.ts'

/** Download sets of each connection. Their names must differ by more than case. */
export interface SetStore {
  list(connectionId: string): DownloadSet[]
  find(connectionId: string, name: string): DownloadSet
  save(set: DownloadSetFields, nowMs: number): DownloadSet
  remove(connectionId: string, name: string): void
  noteEnqueued(connectionId: string, name: string, nowMs: number): void
  /** Returns a text that changes whenever sets are saved, removed or queued. */
  revision(): string
}

interface SetRow {
  name: string
  fields: string
  saved_at_ms: number
  enqueued_at_ms: number | null
}

export function createSetStore({ reads, writes }: Database): SetStore {
  const select = 'SELECT name, fields, saved_at_ms, enqueued_at_ms FROM download_sets WHERE connection_id = ?'

  function find(connectionId: string, name: string): DownloadSet {
    // Reads through the writer, because the reader may not see a set that was just saved.
    const row = writes.first<SetRow>(`${select} AND name = ?`, connectionId, name)
    if (!row) throw new AppError('not-found', `There is no download set “${name}”.`)
    return setOf(row)
  }

  return {
    list: (connectionId) => reads.all<SetRow>(`${select} ORDER BY name`, connectionId).map(setOf),
    find,
    save(set, nowMs) {
      writes.run(
        `INSERT INTO download_sets (connection_id, name, fields, saved_at_ms) VALUES (?, ?, ?, ?)
         ON CONFLICT (connection_id, name) DO UPDATE SET name = excluded.name, fields = excluded.fields,
           saved_at_ms = excluded.saved_at_ms`,
        set.connectionId,
        set.name,
        JSON.stringify(set),
        nowMs,
      )
      return find(set.connectionId, set.name)
    },
    remove(connectionId, name) {
      find(connectionId, name)
      writes.run('DELETE FROM download_sets WHERE connection_id = ? AND name = ?', connectionId, name)
    },
    noteEnqueued: (connectionId, name, nowMs) =>
      void writes.run(
        'UPDATE download_sets SET enqueued_at_ms = ? WHERE connection_id = ? AND name = ?',
        nowMs,
        connectionId,
        name,
      ),
    revision: () => JSON.stringify(reads.all('SELECT * FROM download_sets ORDER BY connection_id, name')),
  }
}

const setOf = ({ name, fields, saved_at_ms: savedAt, enqueued_at_ms: enqueuedAt }: SetRow): DownloadSet => ({
  ...readFields(fields),
  // Earlier versions stored names of several lines, which parsing would change; the set is found by its stored name.
  name,
  savedAt,
  enqueuedAt,
})

function readFields(text: string): DownloadSetFields {
  const label = 'A saved download set'
  const parsed = downloadSetFields.safeParse(readStoredJson(text, label))
  if (!parsed.success) throw damagedError(label, 'a field is missing or unknown')
  return parsed.data
}
