/** Entry of the thread that checks a whole index, which takes seconds if it is large. */
import Sqlite from 'better-sqlite3'
import { answerTasks } from '#core/threads/answerTasks.ts'

function checkIndex(indexPath: string): string | null {
  try {
    const database = new Sqlite(indexPath, { readonly: true, timeout: 5000 })
    try {
      const found = database.pragma('quick_check(1)', { simple: true })
      return found === 'ok' ? null : String(found)
    } finally {
      database.close()
    }
  } catch (thrown) {
    // Any other error (locked, out of memory) does not mean damage; it ends this thread and is reported.
    if (thrown instanceof Sqlite.SqliteError && /^SQLITE_(CORRUPT|NOTADB)/.test(thrown.code)) return thrown.message
    throw thrown
  }
}

answerTasks<string, string | null>(checkIndex)
