import { join } from 'node:path'
import { app, BrowserWindow, dialog, nativeTheme, session } from 'electron'
import { type App, createApp } from '#core/app.ts'
import { createFileLog } from '#core/log/fileLog.ts'
import { readPolicy } from '#core/policy.ts'
import { type Logger, ownAppImage, type Ports, systemClock, type WindowHost } from '#core/ports.ts'
import type { Settings } from '#shared/contract/areas/settings.ts'
import type { Client } from '#shared/contract/client.ts'
import { toAppError } from '#shared/contract/errors.ts'
import { followLocalApiSetting } from '../localApi/followSetting.ts'
import { startSandbox } from '../sandbox/server.ts'
import { createDesktopVault } from '../vault/desktopVault.ts'
import { createEncryptedVault, keyFolder } from '../vault/encryptedVault.ts'
import { createKeytarVault } from '../vault/keytarVault.ts'
import { saveCompanions, desktopHost } from './saveDialogs.ts'
import { type CrashDeps, watchProcess, watchWindow } from './crash.ts'
import { relaunch } from './relaunch.ts'
import { requestedDataDir, settleDataDir } from './launchOptions.ts'
import {
  claimLinks,
  listenForOpenings,
  type Opening,
  openingArgs,
  openingOf,
  type Openings,
  routeOfLink,
} from './openings.ts'
import { takeEnvironmentSecrets } from '#core/environmentSecrets.ts'
import { createIntents, type Intent } from './intents.ts'
import { serveIpc } from './ipc.ts'
import { osEncryption } from './osEncryption.ts'
import { startUtilityProcess } from './utilityProcess.ts'
import { createMainWindow } from './mainWindow.ts'
import { installMenu } from './menu.ts'
import { createPaneWindows } from './paneWindows.ts'
import { followDownloads } from './notices.ts'
import { registerAppScheme, serveAppScheme } from './appProtocol.ts'
import { restrictAllPages, restrictSession } from './security.ts'
import { readProxy } from './systemProxy.ts'
import { followUpdates, loadUpdater, publisherKey } from './updates.ts'

/** Resolves a path within the build; this file runs from one of the build's folders. */
const buildPath = (path: string) => join(import.meta.dirname, '..', path)

/** Starts the desktop app step by step. Everything before the first await must run before Electron is ready. */
export async function startDesktop(): Promise<void> {
  try {
    const secrets = takeEnvironmentSecrets()
    const dataDir = settleDataDir(requestedDataDir(process.argv))
    if (!app.requestSingleInstanceLock()) return app.quit()
    registerAppScheme()
    app.enableSandbox()
    // Id under which Windows groups windows and shows notifications; it must equal the one in electron-builder.yml.
    if (process.platform === 'win32') app.setAppUserModelId('org.perpscope.desktop')
    restrictAllPages()
    const openings = listenForOpenings()
    await app.whenReady()
    if (!(await maySkipSandbox())) return app.quit()

    const ports = desktopPorts(dataDir)
    const core = createApp(ports, {
      version: app.getVersion(),
      dataDir,
      ...secrets,
      proxy: await readProxy(session.defaultSession, process.env),
      environmentCaFile: process.env.NODE_EXTRA_CA_CERTS,
      policy: readPolicy(),
    })
    const crashDeps: CrashDeps = {
      ...ports,
      report: core.crashes.write,
      tell: (message) => core.bus.emit('app.recovered', { message }),
    }
    watchProcess(crashDeps)
    const localApi = followLocalApiSetting({
      app: core,
      version: app.getVersion(),
      dataDir,
      onFault: (message, thrown) => ports.log.write('error', `${message}: ${String(thrown)}`),
    })
    const close = async () => {
      await localApi.close()
      await core.close()
    }
    closeBeforeQuit(close, ports.log, openings)
    await openDesktop(core, { ...ports, ...crashDeps }, dataDir, openings)
  } catch (thrown) {
    await showStartFailure(thrown)
  }
}

async function openDesktop(core: App, ports: Ports & CrashDeps, dataDir: string, openings: Openings): Promise<void> {
  const window = createMainWindow({
    preload: buildPath('preload/index.cjs'),
    placeFile: join(dataDir, 'window.json'),
    log: ports.log,
    zoom: () => settings().zoom,
    onCreated(created) {
      watchWindow(created, ports)
      // Pane windows close together with the main window, so that the app ends; on macOS the app runs on.
      if (process.platform !== 'darwin') created.on('closed', () => panes.closeAll())
    },
  })
  const panes = createPaneWindows({
    preload: buildPath('preload/index.cjs'),
    placeFile: join(dataDir, 'panes.json'),
    log: ports.log,
    zoom: () => settings().zoom,
    onCreated: (created) => watchWindow(created, ports),
    onClosed: (pane) => core.bus.emit('app.paneClosed', pane),
  })
  const settings = await followSettings(core.clientFor(hostWithoutWindow), () => [
    ...[window.current() ?? []].flat(),
    ...panes.all(),
  ])

  const intents = createIntents((intent) => carryOut(core, intent))
  const showAt = (address: string) => {
    if (!window.show(address)) intents.add({ kind: 'address', address })
  }

  restrictSession(session.defaultSession)
  saveCompanions(session.defaultSession)
  serveAppScheme(buildPath('renderer'))
  serveIpc({
    app: core,
    log: ports.log,
    isOwnWindow: (contents) => window.owns(contents) || panes.owns(contents),
    hostOf: (contents) => {
      const owner = BrowserWindow.fromWebContents(contents)
      return owner ? { ...desktopHost(owner), openPane: panes.open } : hostWithoutWindow
    },
    onPageLeft: (contents) => window.owns(contents) && intents.pageLeft(),
    onPageShown: (contents) => window.owns(contents) && intents.pageShown(),
  })
  followDownloads({
    core: core.clientFor(hostWithoutWindow),
    window: window.current,
    wantsNotices: () => settings().notifyWhenDone,
    keepsAwake: () => settings().keepAwake,
    log: ports.log,
    show: showAt,
  })
  core.runDownloads()
  core.watchDocuments()
  if (app.isPackaged)
    followUpdates({
      core: core.clientFor(hostWithoutWindow),
      feed: () => settings().updateFeed,
      proxy: settings,
      log: ports.log,
      key: publisherKey,
      loadUpdater,
    })
  void core.firstScreen.then(core.fetchSampleOnce)
  claimLinks()
  installMenu((command) => {
    window.show(null)
    intents.add({ kind: 'command', command })
  })

  const open = ({ files, link }: Opening) => {
    const route = link && routeOfLink(link)
    if (route) showAt(route)
    else window.show(null)
    if (files.length > 0) intents.add({ kind: 'files', files })
  }
  open(openingOf(process.argv.slice(1), process.cwd()))
  openings.deliverTo(open)
}

/** Carries out an intent in a page that listens. */
function carryOut(core: App, intent: Intent): void {
  if (intent.kind === 'files') void core.receiveFiles(intent.files)
  else if (intent.kind === 'address') core.bus.emit('links.opened', { address: intent.address })
  else core.bus.emit('menu.chosen', { command: intent.command })
}

/**
 * Asks the user before pages run outside the system's sandbox; returns false if the user declines. The launcher of an
 * AppImage adds `--no-sandbox` by itself if the system allows no user namespaces.
 */
async function maySkipSandbox(): Promise<boolean> {
  if (ownAppImage() === null || hasPageSandbox()) return true
  const { response } = await dialog.showMessageBox({
    type: 'warning',
    message: 'This system does not allow the sandbox that Perpscope’s pages run in.',
    detail:
      'Without it, a fault in the page engine could reach your files. Allow user namespaces for Perpscope, for example with an AppArmor profile, or install the deb package, which includes one.',
    buttons: ['Quit', 'Start Without Sandbox'],
    defaultId: 0,
    cancelId: 0,
  })
  return response === 1
}

const hasPageSandbox = () => !app.commandLine.hasSwitch('no-sandbox')

/** Host for the calls that the desktop app itself makes to the core. */
const hostWithoutWindow: WindowHost = { kind: 'desktop', save: async () => null, pickFiles: null }

/** Returns the ports that the desktop app gives the core. */
export const desktopPorts = (dataDir: string): Ports => ({
  vault: createDesktopVault(createKeytarVault(), createEncryptedVault(keyFolder(dataDir), osEncryption)),
  log: createFileLog(dataDir),
  clock: systemClock,
  startSandbox: () => startSandbox({}),
  startProcess: startUtilityProcess,
  hasPageSandbox,
})

/** Applies the user's settings to native parts of the app and to the page zoom, whoever changes them. */
export async function followSettings(client: Client, windows: () => readonly BrowserWindow[]): Promise<() => Settings> {
  let settings = await client.call('settings.read', {})
  const apply = () => {
    nativeTheme.themeSource = settings.theme
    for (const { webContents } of windows()) webContents.setZoomFactor(settings.zoom)
  }
  client.on('settings.changed', (changedSettings) => {
    settings = changedSettings
    apply()
  })
  apply()
  return () => settings
}

/** Explains why the app cannot start and what to do, then exits with status 1. */
export async function showStartFailure(thrown: unknown): Promise<void> {
  // Some systems cannot show a dialog earlier.
  await app.whenReady()
  const error = toAppError(thrown)
  const internalMessage = error.code === 'internal' && thrown instanceof Error ? thrown.message : null
  const message = [error.sentence, error.detail, internalMessage, error.remedy].filter(Boolean)
  dialog.showErrorBox('Perpscope cannot start', message.join('\n\n'))
  app.exit(1)
}

const CLOSE_TIMEOUT_MS = 5000

/**
 * Closes the core before the process ends, and exits in any case. If the user opens files or links while the core is
 * closing, the app restarts to open them, because this process opens no more windows, although it still has the lock.
 */
export function closeBeforeQuit(close: () => Promise<void>, log: Logger, openings: Openings): void {
  let state: 'running' | 'closing' | 'closed' = 'running'
  let nextStart: Opening | null = null
  const leaveToNextStart = ({ files, link }: Opening) => {
    nextStart = { files: [...(nextStart?.files ?? []), ...files], link: link ?? nextStart?.link ?? null }
  }
  app.on('window-all-closed', () => {
    if (process.platform !== 'darwin') app.quit()
  })
  app.on('will-quit', (event) => {
    if (state === 'closed') return
    event.preventDefault()
    if (state === 'closing') return
    state = 'closing'
    openings.deliverTo(leaveToNextStart)
    const { promise: tooLong, reject } = Promise.withResolvers<void>()
    const timer = setTimeout(reject, CLOSE_TIMEOUT_MS, new Error('it took too long'))
    Promise.race([close(), tooLong])
      .catch((thrown: unknown) => log.write('error', `closing failed: ${String(thrown)}`))
      .finally(() => {
        clearTimeout(timer)
        state = 'closed'
        if (nextStart) relaunch(openingArgs(nextStart))
        app.quit()
      })
  })
}
