import { join } from 'node:path'
import { app, session } from 'electron'
import { WebSocket } from 'ws'
import type { Logger, WindowHost } from '#core/ports.ts'
import type { Channel, ToWindow } from '#shared/contract/protocol.ts'
import { decodeWire, encodeWire } from '#shared/contract/wire.ts'
import { registerAppScheme, serveAppScheme } from '../../electron/main/appProtocol.ts'
import { serveIpc } from '../../electron/main/ipc.ts'
import { requestedDataDir, settleDataDir } from '../../electron/main/launchOptions.ts'
import { createHiddenWindow, smallestSize } from '../../electron/main/mainWindow.ts'
import { restrictAllPages, restrictSession } from '../../electron/main/security.ts'

/** Window host without dialogs, because the core in the test answers them. */
const withoutDialogs: WindowHost = { kind: 'desktop', save: async () => null, pickFiles: null }

const log: Logger = { write: (level, message) => console.error(`${level}: ${message}`) }

/**
 * Starts the desktop app for an end-to-end test: its window, preload, pages and IPC, but not its core, which runs in
 * the process of the test. The window is blank until the test opens a page.
 * @param root folder of the project, which is built
 */
export async function startStoryWindow(root: string): Promise<void> {
  settleDataDir(requestedDataDir(process.argv))
  registerAppScheme()
  app.enableSandbox()
  restrictAllPages()
  app.on('window-all-closed', () => app.quit())
  await app.whenReady()

  restrictSession(session.defaultSession)
  serveAppScheme(join(root, 'out', 'renderer'))
  const { window } = createHiddenWindow(
    { preload: join(root, 'out', 'preload', 'index.cjs'), zoom: () => 1 },
    { x: null, y: null, width: 1280, height: 800, maximized: false },
    smallestSize,
  )
  serveIpc({
    app: {
      openSession: (channel) => joinCore(channel, window.webContents.getURL()),
      receiveFiles: async () => log.write('error', 'a story dropped files, which do not reach its core'),
    },
    log,
    isOwnWindow: (contents) => contents === window.webContents,
    hostOf: () => withoutDialogs,
  })
  window.once('ready-to-show', () => window.show())
  await window.loadURL('about:blank')
}

/**
 * Connects a page with the core that its address names. The connection ends with the page, and the page's calls with
 * the connection.
 */
function joinCore(page: Channel<ToWindow, unknown>, pageAddress: string): void {
  const core = new WebSocket(`ws://127.0.0.1:${new URL(pageAddress).searchParams.get('desk')}`)
  const waiting: unknown[] = []
  page.onMessage((message) => {
    if (core.readyState === WebSocket.CONNECTING) waiting.push(message)
    else core.send(encodeWire(message))
  })
  core.on('open', () => waiting.forEach((message) => core.send(encodeWire(message))))
  core.on('message', (bytes: Buffer) => page.send(decodeWire(bytes) as ToWindow))
  core.on('error', (error) => page.isOpen() && log.write('error', `the core of the test: ${error.message}`))
  page.onClose(() => core.terminate())
}
