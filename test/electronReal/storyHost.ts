import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { build } from 'vite'
import { WebSocketServer } from 'ws'
import type { App } from '#core/app.ts'
import { pageAddress } from '../../electron/main/appProtocol.ts'
import { desktopHost } from '../../electron/main/saveDialogs.ts'
import { socketChannel } from '../../electron/web/socket.ts'
import { FakeWindow } from '../fakes/electronWindow.ts'
import { launchElectron, root } from './realDesktop.ts'

export interface StoryHost {
  port: number
  token: string
  /** Address of the window's page; it identifies this host, because several may run. */
  url: string
  close(): Promise<void>
}

/** Lets windows of real Electron use a core of this process. The fake Electron answers the save dialogs. */
export async function startStoryHost(app: App): Promise<StoryHost> {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 })
  await once(server, 'listening')
  const dialogs = desktopHost(new FakeWindow({}) as never)
  server.on('connection', (socket) => app.openSession(socketChannel(socket), dialogs))
  const { port } = server.address() as AddressInfo
  return {
    port,
    token: '',
    url: pageAddress('/').replace('#', `?desk=${port}#`),
    async close() {
      for (const socket of server.clients) socket.terminate()
      await new Promise((closed) => server.close(closed))
    },
  }
}

/** Opens a blank window of the desktop app in real Electron, with its own profile. */
export async function openStoryWindow(): Promise<{ page: Page; close(): Promise<void> }> {
  // Playwright receives the files that a page downloads, so that no dialog asks for a path.
  return launchElectron([await storyProgram()], { acceptDownloads: true })
}

let program: Promise<string> | undefined

/**
 * Returns the path of the main program for end-to-end tests, bundled once, because Electron's Node may not run
 * TypeScript.
 */
export const storyProgram = (): Promise<string> =>
  (program ??= bundleStoryMain(join(root, 'test', 'artifacts', 'storyMain')))

export async function bundleStoryMain(outDir: string): Promise<string> {
  await build({
    configFile: false,
    root,
    logLevel: 'warn',
    ssr: { noExternal: true, external: ['electron'] },
    build: {
      ssr: join(import.meta.dirname, 'storyMain.ts'),
      outDir,
      emptyOutDir: true,
      rolldownOptions: { output: { format: 'es', entryFileNames: 'storyMain.mjs' } },
    },
  })
  return join(outDir, 'storyMain.mjs')
}
