import { join } from 'node:path'
import { app, BrowserWindow, session } from 'electron'
import { createApp, type App } from '#core/app.ts'
import { takeEnvironmentKey, type Ports, type WindowHost } from '#core/ports.ts'
import { followSettings } from './appearance.ts'
import { watchProcess, watchWindow } from './crash.ts'
import { askedDataDir, settleDataDir } from './dataFolder.ts'
import { claimLinks } from './deepLink.ts'
import { desktopPorts } from './desktopPorts.ts'
import { desktopHost } from './dialogs.ts'
import { serveIpc } from './ipc.ts'
import { createMainWindow } from './mainWindow.ts'
import { followDownloads } from './notices.ts'
import { installMenu } from './menu.ts'
import { listenForOpenings, openingOf, type Opening, type Openings } from './openings.ts'
import { registerAppScheme, serveAppScheme } from './protocol.ts'
import { cageAllPages, cageSession } from './security.ts'
import { keepBeside } from './besideDownloads.ts'
import { closeBeforeQuit } from './shutdown.ts'
import { showStartFailure } from './startFailure.ts'
import { readProxy } from './systemProxy.ts'
import { followUpdates, loadUpdater } from './updates.ts'

/** Path of a part of the build, relative to the folder of the running file. */
const built = (path: string) => join(import.meta.dirname, '..', path)

/** Starts the desktop app, step by step. What stands before the first await has to happen before Electron is ready. */
export async function startDesktop(): Promise<void> {
  try {
    const environmentKey = takeEnvironmentKey(process.env)
    const dataDir = settleDataDir(askedDataDir(process.argv))
    if (!app.requestSingleInstanceLock()) return app.quit()
    registerAppScheme()
    app.enableSandbox()
    // The name under which Windows groups windows and shows notifications; the same as in electron-builder.yml.
    if (process.platform === 'win32') app.setAppUserModelId('org.perpscope.desktop')
    cageAllPages()
    const openings = listenForOpenings()
    await app.whenReady()

    const ports = desktopPorts(dataDir)
    watchProcess(ports)
    const core = createApp(ports, {
      version: app.getVersion(),
      dataDir,
      environmentKey,
      proxy: await readProxy(session.defaultSession, process.env),
    })
    closeBeforeQuit(() => core.close(), ports.log)
    await openDesktop(core, ports, dataDir, openings)
  } catch (thrown) {
    await showStartFailure(thrown)
  }
}

async function openDesktop(core: App, ports: Ports, dataDir: string, openings: Openings): Promise<void> {
  const window = createMainWindow({
    preload: built('preload/index.cjs'),
    placeFile: join(dataDir, 'window.json'),
    log: ports.log,
    zoom: () => settings().zoom,
    onCreated: (created) => watchWindow(created, ports),
  })
  const settings = await followSettings(core.clientFor(withoutWindow), window.current)

  cageSession(session.defaultSession)
  keepBeside(session.defaultSession)
  serveAppScheme(built('renderer'))
  serveIpc({
    app: core,
    log: ports.log,
    isOwnWindow: window.owns,
    hostOf: (contents) => {
      const owner = BrowserWindow.fromWebContents(contents)
      return owner ? desktopHost(owner) : withoutWindow
    },
  })
  followDownloads({
    core: core.clientFor(withoutWindow),
    window: window.current,
    wantsNotices: () => settings().notifyWhenDone,
    show: (route) => {
      if (!window.show(route)) core.bus.emit('links.opened', { address: route })
    },
  })
  core.runDownloads()
  if (app.isPackaged)
    followUpdates({
      core: core.clientFor(withoutWindow),
      feed: () => settings().updateFeed,
      log: ports.log,
      loadUpdater,
    })
  void core.firstScreen.then(core.fetchSampleOnce)
  claimLinks()
  installMenu((command) => {
    window.show(null)
    core.bus.emit('menu.chosen', { command })
  })
  app.on('activate', () => window.show(null))

  const open = ({ files, route }: Opening) => {
    if (!window.show(route) && route) core.bus.emit('links.opened', { address: route })
    void core.receiveFiles(files)
  }
  open(openingOf(process.argv.slice(1), process.cwd()))
  openings.deliverTo(open)
}

/** Host of the calls that the desktop itself makes to the core. */
const withoutWindow: WindowHost = { face: 'desktop', save: async () => null, pickFiles: null }
