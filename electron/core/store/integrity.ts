import { threadEntry } from '#core/threads/threadEntry.ts'
import { createThreadPool } from '#core/threads/threadPool.ts'

/** Looks through the whole index in a thread of its own. @returns what is wrong with it, or null */
export async function indexProblem(indexPath: string, signal: AbortSignal): Promise<string | null> {
  const pool = createThreadPool<string, string | null>(threadEntry('integrityWorker', import.meta.url), 1)
  try {
    return await pool.run(indexPath, signal)
  } finally {
    void pool.close()
  }
}
