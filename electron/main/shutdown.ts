import { app } from 'electron'
import type { Logger } from '#core/ports.ts'

const PATIENCE_MS = 5000

/** Closes the core before the process ends, and ends it in any case. */
export function closeBeforeQuit(close: () => Promise<void>, log: Logger): void {
  let state: 'running' | 'closing' | 'closed' = 'running'
  app.on('window-all-closed', () => {
    if (process.platform !== 'darwin') app.quit()
  })
  app.on('will-quit', (event) => {
    if (state === 'closed') return
    event.preventDefault()
    if (state === 'closing') return
    state = 'closing'
    const { promise: tooLong, reject } = Promise.withResolvers<void>()
    const timer = setTimeout(reject, PATIENCE_MS, new Error('it took too long'))
    Promise.race([close(), tooLong])
      .catch((thrown: unknown) => log.write('error', `closing failed: ${String(thrown)}`))
      .finally(() => {
        clearTimeout(timer)
        state = 'closed'
        app.quit()
      })
  })
}
