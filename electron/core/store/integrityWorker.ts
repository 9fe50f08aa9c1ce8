/** Thread entry: looks through the whole index once, reports and ends. Large ones take seconds. */
import { parentPort, workerData } from 'node:worker_threads'
import Sqlite from 'better-sqlite3'

export type IntegrityAnswer = { problem: string | null }

function look(indexPath: string): string | null {
  try {
    const database = new Sqlite(indexPath, { readonly: true, timeout: 5000 })
    try {
      const found = database.pragma('quick_check(1)', { simple: true })
      return found === 'ok' ? null : String(found)
    } finally {
      database.close()
    }
  } catch (thrown) {
    // Anything else (locked, out of memory) says nothing of the index; it ends this thread and is told as it is.
    if (thrown instanceof Sqlite.SqliteError && /^SQLITE_(CORRUPT|NOTADB)/.test(thrown.code)) return thrown.message
    throw thrown
  }
}

const answer: IntegrityAnswer = { problem: look(String(workerData)) }
parentPort?.postMessage(answer)
