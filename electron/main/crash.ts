import { app, dialog, type BrowserWindow, type Details, type RenderProcessGoneDetails } from 'electron'
import { type Crash, stackOf } from '#core/diagnosis/crashReports.ts'
import type { Clock, Logger } from '#core/ports.ts'
import { relaunch } from './relaunch.ts'

const GIVE_UP_AFTER = 3
const FAILURE_PERIOD_MS = 60_000

export interface CrashDeps {
  log: Logger
  clock: Clock
  /** Writes a report that the user can read and delete. */
  report(crash: Crash): void
  /** Tells the page that a helper process failed and how it recovers. */
  tell(message: string): void
}

/** Creates a counter of failures; `countFailure` counts one, and returns true if there were three within a minute. */
export function createCrashLimit({ nowMs }: Clock): { countFailure(): boolean } {
  let failureTimesMs: number[] = []
  return {
    countFailure() {
      const now = nowMs()
      failureTimesMs = [...failureTimesMs.filter((failedMs) => now - failedMs < FAILURE_PERIOD_MS), now]
      return failureTimesMs.length >= GIVE_UP_AFTER
    },
  }
}

/**
 * Logs and reports failures of this process and its helper processes. After an uncaught exception, the user may
 * continue, because the queue and the cache are safe against a crash; after three within a minute, the app ends.
 */
export function watchProcess({ log, clock, report, tell }: CrashDeps): void {
  const crashLimit = createCrashLimit(clock)
  let isAsking = false

  async function onException(thrown: unknown): Promise<void> {
    log.write('error', `uncaught exception: ${describe(thrown)}`)
    report({ process: 'main process', reason: 'uncaught exception', detail: stackOf(thrown) })
    if (crashLimit.countFailure()) {
      dialog.showErrorBox(
        'Perpscope has to stop',
        `It failed several times in a minute. What is in the cache is safe. ${REPORTS_HINT}`,
      )
      return app.exit(1)
    }
    if (isAsking) return
    isAsking = true
    const message = `Something failed inside Perpscope. Your cache and downloads are safe. ${REPORTS_HINT}`
    const buttons = ['Continue', 'Restart']
    const { response } = await dialog.showMessageBox({ type: 'error', message, buttons, cancelId: 0 })
    isAsking = false
    if (response !== 1) return
    relaunch()
    app.quit()
  }

  process.on('uncaughtException', (thrown: unknown) => void onException(thrown))
  // An unhandled rejection is logged without asking the user.
  process.on('unhandledRejection', (thrown) => log.write('error', `unhandled rejection: ${describe(thrown)}`))
  app.on('child-process-gone', (_event, details) => {
    if (isExpectedEnd(details)) return
    const { type, reason, exitCode } = details
    log.write('error', `a ${type} process ended: ${reason} (${exitCode})`)
    report({ process: processName(details), reason: reasonOf(details), detail: '' })
    tell(recoveryText(details))
  })
}

const REPORTS_HINT = 'A report is under Settings → About.'

/**
 * Tells whether a helper process ended as expected; ours are ended when they are idle, exceed a limit or are no longer
 * needed.
 */
const isExpectedEnd = ({ type, name, reason }: Details) =>
  reason === 'clean-exit' || (type === 'Utility' && reason === 'killed' && isOwn(name))

/** Descriptions, for reports, of the reasons that Electron names by a code. */
const reasonText: Partial<Record<Details['reason'], string>> = {
  oom: 'out of memory',
  'abnormal-exit': 'ended with an error',
  'launch-failed': 'could not be started',
  'integrity-failure': 'its code was changed',
  'memory-eviction': 'ended by the system, which needed its memory',
}

const reasonOf = ({ reason, exitCode }: Pick<Details, 'reason' | 'exitCode'>) =>
  `${reasonText[reason] ?? reason} (${exitCode})`

const isOwn = (name: string | undefined) => name?.startsWith('Perpscope ') ?? false

const processName = ({ type, name }: Details) => (name ? `${type} process (${name})` : `${type} process`)

/** Describes the recovery: Chromium restarts its own helpers; ours start with the next task. */
function recoveryText(details: Details): string {
  if (details.type === 'GPU') return 'The graphics process failed and was started again. Nothing was lost.'
  const failureText = `The helper “${details.name ?? details.type}” failed`
  return isOwn(details.name)
    ? `${failureText}, and so did its task. It starts again with the next task.`
    : `${failureText} and was started again. Nothing was lost.`
}

const describe = (thrown: unknown) => (thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown))

/**
 * Handles failures of a window's page: the user decides whether to reload it. After three failures within a minute,
 * reloading is no longer offered.
 */
export function watchWindow(window: BrowserWindow, { log, clock, report }: CrashDeps): void {
  const crashLimit = createCrashLimit(clock)
  let isAsking = false
  let isEndedByUs = false

  async function ask(message: string, buttons: string[]): Promise<number> {
    isAsking = true
    const options = { type: 'error' as const, message, buttons, defaultId: 0, cancelId: buttons.length - 1 }
    const { response } = await dialog.showMessageBox(window, options).finally(() => (isAsking = false))
    return window.isDestroyed() ? -1 : response
  }

  async function onGone({ reason, exitCode }: RenderProcessGoneDetails): Promise<void> {
    if (reason === 'clean-exit' || window.isDestroyed()) return
    if (isEndedByUs) {
      isEndedByUs = false
      return window.webContents.reload()
    }
    log.write('error', `the window's page ended: ${reason} (${exitCode})`)
    report({ process: 'window', reason: reasonOf({ reason, exitCode }), detail: '' })
    if (crashLimit.countFailure()) {
      await ask('This window keeps failing. Your cache is safe; start Perpscope again.', ['Close'])
      return window.destroy()
    }
    const answer = await ask('This window failed. Your cache and downloads are safe.', ['Reload', 'Close'])
    if (answer === 0) window.webContents.reload()
    if (answer === 1) window.destroy()
  }

  async function onUnresponsive(): Promise<void> {
    if (isAsking) return
    log.write('warn', 'the window does not answer')
    report({ process: 'window', reason: 'not responding', detail: '' })
    const answer = await ask('This window is not responding.', ['Wait', 'Reload', 'Close'])
    if (answer === 1) {
      isEndedByUs = true
      window.webContents.forcefullyCrashRenderer()
    }
    if (answer === 2) window.destroy()
  }

  window.webContents.on('render-process-gone', (_event, details) => void onGone(details))
  window.on('unresponsive', () => void onUnresponsive())
}
