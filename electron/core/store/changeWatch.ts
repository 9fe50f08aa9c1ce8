import type { Logger } from '#core/ports.ts'
import type { Database } from './database.ts'

const POLL_MS = 1000

/**
 * Notices what other processes of the data folder write (a command line changes a setting while a window is open).
 * @returns a function that ends it
 */
export function watchChanges(
  database: Database,
  log: Logger,
  onChange: () => Promise<void>,
  pollMs = POLL_MS,
): () => void {
  async function look(): Promise<void> {
    try {
      if (database.changedElsewhere()) await onChange()
    } catch (thrown) {
      log.write('warn', `looking for changes failed: ${thrown instanceof Error ? thrown.message : String(thrown)}`)
    }
  }
  const timer = setInterval(() => void look(), pollMs)
  timer.unref()
  return () => clearInterval(timer)
}
