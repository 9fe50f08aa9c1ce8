import { app, dialog, type BrowserWindow, type RenderProcessGoneDetails } from 'electron'
import type { Clock, Logger } from '#core/ports.ts'
import { relaunch } from './relaunch.ts'

const GIVE_UP_AFTER = 3
const WITHIN_MS = 60_000

export interface CrashDeps {
  log: Logger
  clock: Clock
}

/** Counts failures; says when trying again has become a loop. */
export function createCrashLimit({ nowMs }: Clock): { exhausted(): boolean } {
  let failures: number[] = []
  return {
    exhausted() {
      const now = nowMs()
      failures = [...failures.filter((at) => now - at < WITHIN_MS), now]
      return failures.length >= GIVE_UP_AFTER
    },
  }
}

/**
 * Logs the failures of this process. The queue and the cache are safe against a crash, so the person may well go on.
 */
export function watchProcess({ log, clock }: CrashDeps): void {
  const crashLimit = createCrashLimit(clock)
  let asking = false

  async function onException(thrown: unknown): Promise<void> {
    log.write('error', `uncaught exception: ${describe(thrown)}`)
    if (crashLimit.exhausted()) {
      dialog.showErrorBox('Perpscope has to stop', 'It failed several times in a minute. What is in the cache is safe.')
      return app.exit(1)
    }
    if (asking) return
    asking = true
    const message = 'Something failed inside Perpscope. Your cache and downloads are safe.'
    const buttons = ['Continue', 'Restart']
    const { response } = await dialog.showMessageBox({ type: 'error', message, buttons, cancelId: 0 })
    asking = false
    if (response !== 1) return
    relaunch()
    app.quit()
  }

  process.on('uncaughtException', (thrown: unknown) => void onException(thrown))
  // A rejection that nobody handles is logged without asking the person.
  process.on('unhandledRejection', (thrown) => log.write('error', `unhandled rejection: ${describe(thrown)}`))
  app.on('child-process-gone', (_event, { type, reason, exitCode }) => {
    if (reason !== 'clean-exit') log.write('error', `a ${type} process ended: ${reason} (${exitCode})`)
  })
}

const describe = (thrown: unknown) => (thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown))

/** Failures of a window's page: the person decides, and after three in a minute reloading is no longer offered. */
export function watchWindow(window: BrowserWindow, { log, clock }: CrashDeps): void {
  const crashLimit = createCrashLimit(clock)
  let asking = false
  let endedByUs = false

  async function ask(message: string, buttons: string[]): Promise<number> {
    asking = true
    const options = { type: 'error' as const, message, buttons, defaultId: 0, cancelId: buttons.length - 1 }
    const { response } = await dialog.showMessageBox(window, options).finally(() => (asking = false))
    return window.isDestroyed() ? -1 : response
  }

  async function onGone({ reason, exitCode }: RenderProcessGoneDetails): Promise<void> {
    if (reason === 'clean-exit' || window.isDestroyed()) return
    if (endedByUs) {
      endedByUs = false
      return window.webContents.reload()
    }
    log.write('error', `the window's page ended: ${reason} (${exitCode})`)
    if (crashLimit.exhausted()) {
      await ask('This window keeps failing. Your cache is safe; start Perpscope again.', ['Close'])
      return window.destroy()
    }
    const answer = await ask('This window failed. Your cache and downloads are safe.', ['Reload', 'Close'])
    if (answer === 0) window.webContents.reload()
    if (answer === 1) window.destroy()
  }

  async function onUnresponsive(): Promise<void> {
    if (asking) return
    log.write('warn', 'the window does not answer')
    const answer = await ask('This window does not answer.', ['Wait', 'Reload', 'Close'])
    if (answer === 1) {
      endedByUs = true
      window.webContents.forcefullyCrashRenderer()
    }
    if (answer === 2) window.destroy()
  }

  window.webContents.on('render-process-gone', (_event, details) => void onGone(details))
  window.on('unresponsive', () => void onUnresponsive())
}
