/** This file is the entry of a thread that checks a whole index. Large ones take seconds. */
import Sqlite from 'better-sqlite3'
import { answerTasks } from '#core/threads/answerTasks.ts'

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

answerTasks<string, string | null>(look)
