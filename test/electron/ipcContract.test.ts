import { vi } from 'vitest'
import { BrowserWindow } from 'electron'
import type { DesktopBridge } from '#shared/contract/bridge.ts'
import { ipcChannels } from '#shared/contract/ipcChannels.ts'
import { serveIpc } from '../../electron/main/ipc.ts'
import { startPreload } from '../../electron/preload/startPreload.ts'
import { connectElectronHost } from '../../renderer/host/connectHost.ts'
import { describeContract } from '../contract/suite.ts'
import { desktop, ipcRenderer, resetDesktop } from '../fakes/electron.ts'
import { FakeWindow } from '../fakes/electronWindow.ts'
import { fakeHost } from '../fakes/fakePorts.ts'
import { fakeLog } from '../fakes/fakeLog.ts'

vi.mock('electron', () => import('../fakes/electron.ts'))

// The calls pass through everything between page and core in the desktop app: the window host, the preload's bridge,
// the copies between processes, and the core.
describeContract('Electron’s IPC', (app) => {
  resetDesktop()
  const { webContents } = new BrowserWindow({})
  const [window] = FakeWindow.open
  window.webContents.mainFrame.url = 'app://perpscope/index.html#/'
  serveIpc({ app, log: fakeLog(), isOwnWindow: (contents) => contents === webContents, hostOf: () => fakeHost() })
  ipcRenderer.serve(window.webContents)
  startPreload(new EventTarget())
  return {
    client: connectElectronHost(desktop.exposed.get('perpscope') as DesktopBridge),
    // The connection ends only with the page, so no page remains that could be told.
    drop: null,
    sendRaw: (message) => ipcRenderer.send(ipcChannels.fromWindow, message),
    close: () => window.destroy(),
  }
})
