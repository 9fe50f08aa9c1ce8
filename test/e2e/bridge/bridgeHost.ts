import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { basename, join, resolve } from 'node:path'
import type * as Electron from 'electron'
import { build, type Rolldown } from 'vite'
import { WebSocketServer } from 'ws'
import { decodeWire, encodeWire } from '#shared/contract/wire.ts'
import type { App } from '#core/app.ts'
import { pageAddress } from '../../../electron/main/appProtocol.ts'
import { serveIpc } from '../../../electron/main/ipc.ts'
import { desktopHost } from '../../../electron/main/saveDialogs.ts'
import { createContent } from '../../../electron/web/content.ts'
import { desktop, ipcMain } from '../../fakes/electron.ts'
import { FakeWindow } from '../../fakes/electronWindow.ts'
import type { FakePorts } from '../../fakes/fakePorts.ts'

const root = resolve(import.meta.dirname, '../../..')

export interface BridgeHost {
  port: number
  token: string
  url: string
  close(): Promise<void>
}

/** Makes every save dialog return the proposed name in this folder. */
export function saveInto(folder: string): void {
  desktop.answers.set('save', ({ defaultPath }: Electron.SaveDialogOptions) => ({
    canceled: false,
    filePath: join(folder, basename(String(defaultPath))),
  }))
}

/**
 * Serves the built pages to Chromium as Electron's main process would: the page talks to the built preload, and the
 * preload to the real IPC host through a socket that replaces Electron's channel between processes.
 */
export async function startBridgeHost(app: App, ports: FakePorts, rendererDir: string): Promise<BridgeHost> {
  const windows = new Map<string, FakeWindow>()
  const windowNamed = (name: string) => {
    const window = windows.get(name) ?? new FakeWindow({})
    windows.set(name, window)
    return window
  }
  const windowOf = (contents: Electron.WebContents) => FakeWindow.fromWebContents(contents as never)
  serveIpc({
    app,
    log: ports.log,
    isOwnWindow: (contents) => [...windows.values()].includes(windowOf(contents) as FakeWindow),
    hostOf: (contents) => desktopHost(windowOf(contents) as never),
  })
  const pages = await servePages(rendererDir, windowNamed)
  return {
    ...pages,
    async close() {
      for (const window of windows.values()) window.destroy()
      await pages.close()
      ipcMain.removeAllListeners()
    },
  }
}

/** Serves the built pages, each in a window of the fake Electron; the address of a page's socket names its window. */
export async function servePages(rendererDir: string, windowNamed: (name: string) => FakeWindow): Promise<BridgeHost> {
  const content = createContent(rendererDir)
  const server = createServer((request, response) => {
    void content(new URL(request.url ?? '/', 'http://page').pathname).then(({ status, headers, body }) =>
      response.writeHead(status, headers).end(body),
    )
  })
  const sockets = new WebSocketServer({ server, path: '/ipc' })
  sockets.on('connection', (socket, request) => {
    const name = new URL(request.url ?? '/', 'http://page').searchParams.get('window') ?? ''
    const { webContents } = windowNamed(name)
    webContents.mainFrame = { url: pageAddress('/'), parent: null }
    webContents.removeAllListeners('fake:sent')
    webContents.on('fake:sent', (channel: string, page: number, message: unknown) =>
      socket.send(encodeWire([channel, page, message])),
    )
    socket.on('message', (bytes: Buffer) => {
      const [channel, ...values] = decodeWire(bytes) as [string, ...unknown[]]
      ipcMain.emit(channel, { sender: webContents, senderFrame: webContents.mainFrame }, ...values)
    })
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  return {
    port,
    token: '',
    url: `http://127.0.0.1:${port}/`,
    async close() {
      for (const socket of sockets.clients) socket.terminate()
      await new Promise((closed) => server.close(closed))
    },
  }
}

let script: Promise<string> | undefined

/**
 * Returns the script that runs in each page before its own scripts: the part of Electron that a preload uses, then the
 * built preload.
 */
export const preloadScript = (): Promise<string> => (script ??= makePreloadScript())

async function makePreloadScript(): Promise<string> {
  const output = (await build({
    configFile: false,
    root,
    logLevel: 'warn',
    build: {
      write: false,
      lib: { entry: join(import.meta.dirname, 'pageElectron.ts'), formats: ['iife'], name: 'pageElectron' },
    },
  })) as Rolldown.RolldownOutput[]
  const preload = readFileSync(join(root, 'out', 'preload', 'index.cjs'), 'utf8')
  // Frames inside the page, and the empty page before it, get no preload.
  return `if (window === window.top && location.protocol === 'http:') {
    ${output[0].output[0].code}
    ;((require, module, exports) => {
      ${preload}
    })(() => window.fakeElectron, { exports: {} }, {})
    delete window.fakeElectron
  }`
}
