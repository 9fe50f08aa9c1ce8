import { Notification, type BrowserWindow } from 'electron'

/** On the task bar or the dock; null takes it away. */
export function showProgress(window: BrowserWindow | null, fraction: number | null): void {
  if (!window || window.isDestroyed()) return
  window.setProgressBar(fraction === null ? -1 : Math.min(Math.max(fraction, 0), 1))
}

/** A notification of the system; choosing it brings the app forward. */
export function notify(title: string, body: string, onChosen: () => void): void {
  if (!Notification.isSupported()) return
  const notification = new Notification({ title, body })
  notification.on('click', onChosen)
  notification.show()
}
