import { dialog, type ProxyConfig } from 'electron'
import type { AppUpdater } from 'electron-updater'
import type { Settings } from '#shared/contract/areas/settings.ts'
import { NO_PROXY } from '#shared/contract/settingFields.ts'
import type { Client } from '#shared/contract/client.ts'
import type { Logger } from '#core/ports.ts'
import type { SignedFeed, SignedFeedOptions } from './signedFeed.ts'

const CHECK_EVERY_MS = 24 * 3_600_000

/** Part of the updater that the app uses. */
export type Updater = Pick<
  AppUpdater,
  | 'allowDowngrade'
  | 'autoDownload'
  | 'autoInstallOnAppQuit'
  | 'netSession'
  | 'setFeedURL'
  | 'checkForUpdates'
  | 'downloadUpdate'
  | 'quitAndInstall'
>

type ProxySetting = Pick<Settings, 'proxy' | 'proxyExcept'>

interface UpdateDeps {
  core: Client
  /** Returns the feed in the settings; empty for no updates. */
  feed(): string
  /** The proxy of the settings, through which the updater reaches its feed. */
  proxy(): ProxySetting
  log: Logger
  /** Public key of the publisher; empty in a program built without one. */
  key: string
  loadUpdater(): Promise<LoadedUpdater>
}

interface LoadedUpdater {
  updater: Updater
  SignedFeed: typeof SignedFeed
}

/** Public key of the publisher; the release build replaces the environment variable with it. */
export const publisherKey = process.env.PERPSCOPE_UPDATE_KEY ?? ''

/** Loads the updater; called only if a feed is set. */
export async function loadUpdater(): Promise<LoadedUpdater> {
  const [{ autoUpdater }, feed] = await Promise.all([import('electron-updater'), import('./signedFeed.ts')])
  return { updater: autoUpdater, SignedFeed: feed.SignedFeed }
}

/**
 * Looks for a newer version at the user's feed: at the start, after a change of the setting, and once a day. Nothing is
 * downloaded or installed without the user's consent, and without a feed nothing happens at all.
 */
export function followUpdates({ core, feed, proxy, log, key, loadUpdater: load }: UpdateDeps): void {
  let checkedFeed = ''
  let isChecking = false

  async function check(): Promise<void> {
    const url = feed()
    if (url === '' || isChecking) return
    if (key === '')
      return log.write('warn', 'this program was built without a key to check updates with; it looks for none')
    isChecking = true
    try {
      await offerUpdate(await load(), url, key, proxy())
    } catch (thrown) {
      log.write(
        'warn',
        `looking for a newer version failed: ${thrown instanceof Error ? thrown.message : String(thrown)}`,
      )
    } finally {
      isChecking = false
    }
  }

  setInterval(() => void check(), CHECK_EVERY_MS).unref()
  core.on('settings.changed', ({ updateFeed }) => {
    if (updateFeed === checkedFeed) return
    checkedFeed = updateFeed
    if (updateFeed !== '' && key === '') void reportMissingKey()
    void check()
  })
  checkedFeed = feed()
  void check()
}

async function offerUpdate(
  { updater, SignedFeed }: LoadedUpdater,
  url: string,
  key: string,
  proxy: ProxySetting,
): Promise<void> {
  // The updater sends its requests through an Electron session of its own, which knows nothing of our settings.
  await updater.netSession.setProxy(proxyConfigOf(proxy))
  updater.allowDowngrade = false
  updater.autoDownload = false
  updater.autoInstallOnAppQuit = false
  const options: SignedFeedOptions = { provider: 'custom', updateProvider: SignedFeed, url, key }
  updater.setFeedURL(options as Parameters<Updater['setFeedURL']>[0])
  const found = await updater.checkForUpdates()
  if (!found?.isUpdateAvailable) return
  const version = found.updateInfo.version
  if (!(await askUser(`Perpscope ${version} is available.`, 'Download'))) return
  await updater.downloadUpdate()
  if (
    await askUser(`Perpscope ${version} has been downloaded. The queue continues after the restart.`, 'Restart now')
  ) {
    updater.quitAndInstall()
  }
}

/**
 * Converts the proxy of the settings to the form that Electron expects. Credentials are left out, because Electron does
 * not accept them.
 */
function proxyConfigOf({ proxy, proxyExcept }: ProxySetting): ProxyConfig {
  if (proxy === '') return { mode: 'system' }
  if (proxy === NO_PROXY) return { mode: 'direct' }
  const { protocol, host } = new URL(proxy)
  return { proxyRules: `${protocol}//${host}`, proxyBypassRules: proxyExcept }
}

async function reportMissingKey(): Promise<void> {
  const message = 'This build cannot verify updates, because it was built without a publisher key.'
  await dialog.showMessageBox({ type: 'info', message, buttons: ['OK'] })
}

async function askUser(message: string, acceptLabel: string): Promise<boolean> {
  const options = { type: 'info' as const, message, buttons: [acceptLabel, 'Later'], defaultId: 0, cancelId: 1 }
  return (await dialog.showMessageBox(options)).response === 0
}
