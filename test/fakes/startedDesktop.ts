import { expect, onTestFinished, vi } from 'vitest'
import { ipcChannels } from '#shared/contract/ipcChannels.ts'
import { startDesktop } from '../../electron/main/startDesktop.ts'
import { app, desktop, ipcMain, resetDesktop } from './electron.ts'
import { FakeWindow, type FakeWebContents } from './electronWindow.ts'
import { dataFolder } from './dataFolder.ts'

export interface StartedDesktop {
  dataDir: string
  window: FakeWindow
}

/** Starts the desktop host with the real core on the fake Electron. @returns the data folder */
export async function startOnFake(argv: string[] = [], before: () => void = () => {}): Promise<string> {
  resetDesktop()
  const dataDir = dataFolder()
  const realArgv = process.argv
  const processEvents = ['uncaughtException', 'unhandledRejection'] as const
  const listeners = processEvents.map((event) => [event, process.rawListeners(event)] as const)
  onTestFinished(async () => {
    process.argv = realArgv
    for (const [event, kept] of listeners) {
      for (const listener of process.rawListeners(event)) {
        if (!kept.includes(listener)) process.off(event, listener as () => void)
      }
    }
    if (desktop.exitCode !== null) return
    app.quit()
    // The host must end within this test, or its end would close the windows of the next one.
    await vi.waitFor(() => expect(desktop.exitCode).not.toBeNull(), 20_000)
  })
  process.argv = ['/electron', '/app', '--data-dir', dataDir, ...argv]
  before()
  const started = startDesktop()
  app.beReady()
  await started
  return dataDir
}

export async function startedDesktop(argv: string[] = [], before?: () => void): Promise<StartedDesktop> {
  const dataDir = await startOnFake(argv, before)
  return { dataDir, window: FakeWindow.open[0] }
}

/** Sends a message from a window's page to the host, copied as between real processes. */
export function sendFromPage(contents: FakeWebContents, channel: string, message?: unknown): void {
  ipcMain.emit(channel, { sender: contents, senderFrame: contents.mainFrame }, structuredClone(message))
}

let pages = 0

/** Opens the page of a window, with its preload; the page does not show a screen yet. */
export function loadPage(window: FakeWindow): void {
  window.finishLoading()
  sendFromPage(window.webContents, ipcChannels.opened, ++pages)
}

/** Tells the host that the page shows its first screen and listens from then on. */
export const showFirstScreen = (window: FakeWindow): void =>
  sendFromPage(window.webContents, ipcChannels.fromWindow, {
    kind: 'call',
    id: 1_000_000,
    name: 'app.shown',
    input: {},
  })

/** Opens the page of a window and shows its first screen. */
export function openPage(window: FakeWindow): void {
  loadPage(window)
  showFirstScreen(window)
}
