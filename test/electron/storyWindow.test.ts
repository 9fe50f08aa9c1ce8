import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it, onTestFinished, vi } from 'vitest'
import { createApp, type App } from '#core/app.ts'
import type { DesktopBridge } from '#shared/contract/bridge.ts'
import type { Client } from '#shared/contract/client.ts'
import { ipcChannels } from '#shared/contract/ipcChannels.ts'
import { startPreload } from '../../electron/preload/startPreload.ts'
import { connectElectronHost } from '../../renderer/host/connectHost.ts'
import { bundleStoryMain, startStoryHost } from '../electronReal/storyHost.ts'
import { startStoryWindow } from '../electronReal/storyWindow.ts'
import { app, desktop, ipcRenderer, resetDesktop } from '../fakes/electron.ts'
import { FakeWindow } from '../fakes/electronWindow.ts'
import { dataFolder } from '../fakes/dataFolder.ts'
import { fakeHost, fakePorts } from '../fakes/fakePorts.ts'
import { temporaryFolder } from '../fakes/temporaryFolder.ts'

vi.mock('electron', () => import('../fakes/electron.ts'))

const root = fileURLToPath(new URL('../..', import.meta.url))

/**
 * Opens a core in the test and the window of an end-to-end test on the fake Electron; the window shows `about:blank`.
 */
async function openStory() {
  resetDesktop()
  const core = createApp(fakePorts(), { version: '9.8.7', dataDir: dataFolder() })
  const host = await startStoryHost(core)
  const realArgv = process.argv
  process.argv = ['/electron', '/storyMain.mjs', '--data-dir', temporaryFolder()]
  onTestFinished(async () => {
    process.argv = realArgv
    await host.close()
    await core.close()
  })
  const started = startStoryWindow(root)
  app.beReady()
  await started
  const window = FakeWindow.open.find(({ loaded }) => loaded.length > 0)!
  return { core, host, window }
}

/** Loads the page that an end-to-end test opens, with the real preload. */
function loadPage(window: FakeWindow, url: string): Client {
  window.webContents.mainFrame = { url, parent: null }
  ipcRenderer.serve(window.webContents)
  desktop.exposed.clear()
  startPreload(new EventTarget())
  return connectElectronHost(desktop.exposed.get('perpscope') as DesktopBridge)
}

const themeOf = async (core: App) => (await core.clientFor(fakeHost()).call('settings.read', {})).theme

it('gives a page in the window of a story the core of its test: calls, tables, errors and events', async () => {
  const { core, host, window } = await openStory()
  expect([window.loaded, window.options.webPreferences?.sandbox]).toEqual([['about:blank'], true])
  const client = loadPage(window, host.url)
  // The call is made before the connection to the core is open.
  expect(await client.call('app.info', {})).toMatchObject({ host: 'desktop', version: '9.8.7' })
  const { columns } = await client.call('requests.list', { limit: 10 })
  expect(columns.some(({ values }) => values instanceof Float64Array)).toBe(true)
  await expect(client.call('connections.use', { id: 'nobody' })).rejects.toMatchObject({ code: 'not-found' })
  const changed = new Promise((resolve) => client.on('settings.changed', ({ theme }) => resolve(theme)))
  await core.clientFor(fakeHost()).call('settings.change', { theme: 'light' })
  expect(await changed).toBe('light')
})

it('gives a reloaded page a connection of its own, and a page that is not ours none', async () => {
  const { core, host, window } = await openStory()
  await loadPage(window, host.url).call('app.info', {})
  const client = loadPage(window, host.url)
  await client.call('settings.change', { theme: 'dark' })
  expect(await themeOf(core)).toBe('dark')
  window.webContents.mainFrame = { url: 'https://example.com/', parent: null }
  const complaints = vi.spyOn(console, 'error').mockImplementation(() => {})
  onTestFinished(() => complaints.mockRestore())
  ipcRenderer.send(ipcChannels.fromWindow, { kind: 'call', id: 9, name: 'settings.change', input: { theme: 'light' } })
  await vi.waitFor(() => expect(complaints.mock.calls.flat().join()).toContain('not ours'))
  expect(await themeOf(core)).toBe('dark')
})

it('is one file that Electron can start', async () => {
  const program = await bundleStoryMain(temporaryFolder())
  const runner = fileURLToPath(new URL('../fakes/runOnFakeElectron.mjs', import.meta.url))
  const args = [runner, program, '--data-dir', temporaryFolder()]
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root })
  const { dialogs, stepsBeforeReady } = JSON.parse(stdout) as { dialogs: unknown[]; stepsBeforeReady: string[] }
  expect(dialogs).toEqual([])
  expect(stepsBeforeReady).toEqual(expect.arrayContaining(['setPath userData', 'registerSchemes', 'enableSandbox']))
})
