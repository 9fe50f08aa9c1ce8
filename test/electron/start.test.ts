import { existsSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, expect, it, onTestFinished, vi } from 'vitest'
import { requestedDataDir } from '../../electron/main/launchOptions.ts'
import { app, desktop } from '../fakes/electron.ts'
import { FakeWindow } from '../fakes/electronWindow.ts'
import { startedDesktop, startOnFake } from '../fakes/startedDesktop.ts'

vi.mock('electron', () => import('../fakes/electron.ts'))

afterEach(() => vi.restoreAllMocks())

const runOn = (platform: NodeJS.Platform) => vi.spyOn(process, 'platform', 'get').mockReturnValue(platform)

it('does before Electron is ready what has no effect later, the data folder first and the lock second', async () => {
  await startedDesktop()
  expect(desktop.steps).toEqual([
    'setPath userData',
    'setPath sessionData',
    'requestSingleInstanceLock',
    'registerSchemes',
    'enableSandbox',
    'ready',
  ])
})

it('opens one window on the app’s own page, caged', async () => {
  const { window } = await startedDesktop()
  expect(FakeWindow.open).toHaveLength(1)
  expect(window.loaded).toEqual(['app://perpscope/index.html#/'])
  expect(window.options.webPreferences).toMatchObject({
    contextIsolation: true,
    sandbox: true,
    nodeIntegration: false,
    webSecurity: true,
    webviewTag: false,
    navigateOnDragDrop: false,
  })
  expect(window.options.webPreferences?.preload).toMatch(/preload[/\\]index\.cjs$/)
})

it('shows the window only when there is something to see', async () => {
  const { window } = await startedDesktop()
  expect(window.options.show).toBe(false)
  expect(window.shown).toBe(false)
  window.finishLoading()
  expect(window.shown).toBe(true)
})

it('leaves everything to the first start where the app runs already', async () => {
  await startOnFake([], () => (desktop.hasLock = false))
  expect(desktop.quits).toBe(1)
  expect(FakeWindow.open).toHaveLength(0)
  expect(desktop.handlers.size).toBe(0)
})

it('brings the window forward when the app is started a second time', async () => {
  const { window } = await startedDesktop()
  window.finishLoading()
  window.minimized = true
  app.emit('second-instance', {}, ['/electron'], '/')
  expect(FakeWindow.open).toEqual([window])
  expect(window).toMatchObject({ minimized: false, focused: 1 })
})

it('keeps everything in the data folder that the person chose', async () => {
  const { dataDir } = await startedDesktop()
  expect(desktop.paths.get('userData')).toBe(dataDir)
  expect(desktop.paths.get('sessionData')).toBe(join(dataDir, 'window'))
  expect(existsSync(join(dataDir, 'window'))).toBe(true)
})

it('reads the data folder from either form of the flag', () => {
  expect(requestedDataDir(['app', '--data-dir', '/a'])).toBe('/a')
  expect(requestedDataDir(['app', '--data-dir=/a b', '--x'])).toBe('/a b')
  expect(requestedDataDir(['app', '--data-dir'])).toBeUndefined()
  expect(requestedDataDir(['app'])).toBeUndefined()
})

it('says why it cannot start, and ends with status 1', async () => {
  await startOnFake([], () => {
    const blocked = join(process.argv[3], 'blocked')
    writeFileSync(blocked, '')
    process.argv[3] = join(blocked, 'data')
  })
  expect(desktop.dialogs).toMatchObject([{ kind: 'error', title: 'Perpscope cannot start' }])
  expect(desktop.dialogs[0].options).toMatchObject({ content: expect.stringContaining('a part of the path is a file') })
  expect(desktop.exitCode).toBe(1)
  expect(FakeWindow.open).toHaveLength(0)
})

/** Makes the running program look like an AppImage. */
function inAppImage(): void {
  vi.stubEnv('APPIMAGE', '/home/ada/Perpscope.AppImage')
  vi.stubEnv('APPDIR', dirname(process.execPath))
  onTestFinished(() => void vi.unstubAllEnvs())
}

it('asks before a page of an AppImage opens without the sandbox of the system', async () => {
  inAppImage()
  await startOnFake(['--no-sandbox'])
  expect(desktop.dialogs[0].options).toMatchObject({ buttons: ['Quit', 'Start Without Sandbox'], cancelId: 0 })
  expect(FakeWindow.open).toHaveLength(0)
  expect(desktop.quits).toBe(1)
  await startOnFake(['--no-sandbox'], () => desktop.answers.set('message', { response: 1 }))
  expect(FakeWindow.open).toHaveLength(1)
})

it('does not ask where the sandbox holds, or where the person left it out', async () => {
  inAppImage()
  await startOnFake()
  vi.stubEnv('APPIMAGE', '')
  await startOnFake(['--no-sandbox'])
  expect(desktop.dialogs).toEqual([])
  expect(FakeWindow.open).toHaveLength(1)
})

it('makes a new window from the dock after the last one was closed', async () => {
  runOn('darwin')
  const { window } = await startedDesktop()
  window.close()
  expect(desktop.quits).toBe(0)
  app.emit('activate')
  expect(FakeWindow.open).toHaveLength(1)
})

it('ends with its last window elsewhere', async () => {
  runOn('linux')
  const { window } = await startedDesktop()
  window.close()
  expect(desktop.quits).toBe(1)
})
