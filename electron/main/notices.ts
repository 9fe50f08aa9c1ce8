import { plural } from '#shared/units/plurals.ts'
import { type BrowserWindow, Notification, powerSaveBlocker } from 'electron'
import type { DownloadProgress } from '#shared/contract/areas/downloads.ts'
import type { Logger } from '#core/ports.ts'
import type { Client } from '#shared/contract/client.ts'

/** True if progress is also shown in the window title, because few task bars on Linux show it. */
const isShownInTitle = process.platform === 'linux'

/** Shows the progress on the task bar or the dock, and on Linux also in the window's title; null removes it. */
export function showProgress(window: BrowserWindow | null, fraction: number | null): void {
  if (!window || window.isDestroyed()) return
  const clamped = fraction === null ? null : Math.min(Math.max(fraction, 0), 1)
  window.setProgressBar(clamped ?? -1)
  if (isShownInTitle) showInTitle(window, clamped)
}

const percentInFront = /^\d+ % · /

function showInTitle(window: BrowserWindow, fraction: number | null): void {
  const withPercent = (title: string) =>
    fraction === null
      ? title.replace(percentInFront, '')
      : `${Math.floor(fraction * 100)} % · ${title.replace(percentInFront, '')}`
  window.setTitle(withPercent(window.getTitle()))
  // A newly opened screen sets a new title, so the percentage has to be put in front again.
  window.removeAllListeners('page-title-updated')
  if (fraction === null) return
  window.on('page-title-updated', (event, title) => {
    event.preventDefault()
    window.setTitle(withPercent(title))
  })
}

/** Open notifications; an unreferenced one would lose its click handler. */
const openNotifications = new Set<Notification>()

/** Shows a system notification; a click on it calls `onChosen`. */
export function notify(title: string, body: string, onChosen: () => void, log: Logger): void {
  if (!Notification.isSupported()) return
  const notification = new Notification({ title, body })
  openNotifications.add(notification)
  const forget = () => void openNotifications.delete(notification)
  notification.on('click', () => {
    forget()
    onChosen()
  })
  notification.on('close', forget)
  notification.on('failed', (_event, error) => {
    forget()
    log.write('warn', `a notification could not be shown: ${error}`)
  })
  notification.show()
}

interface DownloadNoticeDeps {
  core: Client
  window(): BrowserWindow | null
  wantsNotices(): boolean
  /** Tells whether the computer must stay awake while downloads run. */
  keepsAwake(): boolean
  log: Logger
  /** Brings the window to the front and opens this route. */
  show(route: string): void
}

/** Keeps the computer from sleeping while there is work; the screen may still turn off. */
function createSleepBlocker(): { keep(mustStayAwake: boolean): void } {
  let blocker: number | null = null
  return {
    keep(mustStayAwake) {
      if (mustStayAwake) blocker ??= powerSaveBlocker.start('prevent-app-suspension')
      else if (blocker !== null) {
        powerSaveBlocker.stop(blocker)
        blocker = null
      }
    },
  }
}

/**
 * Shows the download queue outside the window: its progress in the task bar, and a notification when it ends or cannot
 * continue.
 */
export function followDownloads({ core, window, wantsNotices, keepsAwake, show, log }: DownloadNoticeDeps): void {
  const sleepBlocker = createSleepBlocker()
  let endedCountBefore: number | null = null
  core.on('downloads.progressed', ({ counts, here }) => {
    const endedCount = counts.done + counts.failed + counts.cancelled
    const openCount = countUnfinished(counts)
    sleepBlocker.keep(keepsAwake() && here && openCount > 0)
    if (openCount > 0) endedCountBefore ??= endedCount
    else endedCountBefore = null
    showProgress(
      window(),
      endedCountBefore === null ? null : (endedCount - endedCountBefore) / (endedCount - endedCountBefore + openCount),
    )
  })
  const notifyIfUnfocused = (title: string, body: string) => {
    if (wantsNotices() && !window()?.isFocused()) notify(title, body, () => show('/downloads'), log)
  }
  core.on('downloads.finished', ({ done, failed }) => {
    if (done + failed === 0) return
    const failures = failed > 0 ? `, ${failed} failed` : ''
    notifyIfUnfocused(
      failed > 0 ? 'Downloads finished with errors' : 'Downloads finished',
      `${plural(done, 'file')} downloaded${failures}.`,
    )
  })
  core.on('downloads.held', ({ message }) => notifyIfUnfocused('Downloads paused', message))
}

const countUnfinished = ({ queued, running, waiting }: DownloadProgress['counts']) => queued + running + waiting
