import { dialog } from 'electron'
import type { AppUpdater } from 'electron-updater'
import type { Client } from '#shared/contract/client.ts'
import type { Logger } from '#core/ports.ts'

const CHECK_EVERY_MS = 24 * 3_600_000

/** Part of the updater that the app uses. */
export type Updater = Pick<
  AppUpdater,
  'autoDownload' | 'autoInstallOnAppQuit' | 'setFeedURL' | 'checkForUpdates' | 'downloadUpdate' | 'quitAndInstall'
>

export interface UpdateDeps {
  core: Client
  /** The person's setting; empty for no updates. */
  feed(): string
  log: Logger
  loadUpdater(): Promise<Updater>
}

/** Loaded only where a feed is set. */
export const loadUpdater = async (): Promise<Updater> => (await import('electron-updater')).autoUpdater

/**
 * Looks for a newer version at the feed that the person named: at the start, after a change of the setting, and once a day.
 * Nothing is downloaded or installed without being asked for. Without a feed nothing happens at all.
 */
export function followUpdates({ core, feed, log, loadUpdater: load }: UpdateDeps): void {
  let lookingAt = ''
  let asking = false

  async function look(): Promise<void> {
    const url = feed()
    if (url === '' || asking) return
    asking = true
    try {
      await offer(await load(), url)
    } catch (thrown) {
      log.write(
        'warn',
        `looking for a newer version failed: ${thrown instanceof Error ? thrown.message : String(thrown)}`,
      )
    } finally {
      asking = false
    }
  }

  setInterval(() => void look(), CHECK_EVERY_MS).unref()
  core.on('settings.changed', ({ updateFeed }) => {
    if (updateFeed === lookingAt) return
    lookingAt = updateFeed
    void look()
  })
  lookingAt = feed()
  void look()
}

async function offer(updater: Updater, url: string): Promise<void> {
  updater.autoDownload = false
  updater.autoInstallOnAppQuit = false
  updater.setFeedURL({ provider: 'generic', url })
  const found = await updater.checkForUpdates()
  if (!found?.isUpdateAvailable) return
  const version = found.updateInfo.version
  if (!(await agreed(`Perpscope ${version} is there.`, 'Download'))) return
  await updater.downloadUpdate()
  if (await agreed(`Perpscope ${version} is downloaded. The queue goes on after the restart.`, 'Restart Now')) {
    updater.quitAndInstall()
  }
}

async function agreed(message: string, yes: string): Promise<boolean> {
  const options = { type: 'info' as const, message, buttons: [yes, 'Later'], defaultId: 0, cancelId: 1 }
  return (await dialog.showMessageBox(options)).response === 0
}
