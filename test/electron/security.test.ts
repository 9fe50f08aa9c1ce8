import { expect, it, vi } from 'vitest'
import { desktop, fakeEvent, session } from '../fakes/electron.ts'
import { FakeWebContents, type FakeWindow } from '../fakes/electronWindow.ts'
import { startedDesktop } from '../fakes/startedDesktop.ts'

vi.mock('electron', () => import('../fakes/electron.ts'))

const page = 'app://perpscope/index.html'

function navigate({ webContents }: FakeWindow, url: string, isMainFrame = true): boolean {
  const details = { ...fakeEvent(), url, isMainFrame }
  webContents.emit('will-frame-navigate', details)
  return !details.defaultPrevented
}

it.each([
  'https://example.com/',
  'http://127.0.0.1:8080/',
  'file:///etc/passwd',
  'app://perpscope/assets/other.html',
  'app://elsewhere/index.html',
  'javascript:alert(1)',
  'data:text/html,x',
  'not an address',
])('does not navigate to %s', async (address) => {
  const { window } = await startedDesktop()
  expect(navigate(window, address)).toBe(false)
  expect(desktop.opened).toEqual([])
})

it('lets the page reload itself, in the main frame only', async () => {
  const { window } = await startedDesktop()
  expect(navigate(window, `${page}#/catalog`)).toBe(true)
  expect(navigate(window, page, false)).toBe(false)
})

it('follows no redirect and attaches no webview', async () => {
  const { window } = await startedDesktop()
  for (const name of ['will-redirect', 'will-attach-webview']) {
    const event = fakeEvent()
    window.webContents.emit(name, event)
    expect(event.defaultPrevented, name).toBe(true)
  }
})

it.each([
  ['https://duckdb.org/docs/', true],
  ['http://duckdb.org/docs/', false],
  ['https://duckdb.org.example.com/', false],
  ['https://duckdb.org:8443/', false],
  ['https://name:word@duckdb.org/', false],
  ['https://example.com/', false],
  ['file:///etc/passwd', false],
  ['smb://server/share', false],
  ['ms-settings:', false],
  ['', false],
])('never opens a window of its own; hands %s to the person’s browser: %s', async (url, handedOn) => {
  const { window } = await startedDesktop()
  expect(window.webContents.openHandler?.({ url })).toEqual({ action: 'deny' })
  expect(desktop.opened).toEqual(handedOn ? [url] : [])
})

it('asks before it opens the page of a link that a service named', async () => {
  const { window } = await startedDesktop()
  window.webContents.openHandler?.({ url: 'https://example.com/plans' })
  await vi.waitFor(() => expect(desktop.dialogs).toMatchObject([{ kind: 'message' }]))
  expect(desktop.dialogs[0].options).toMatchObject({ detail: 'https://example.com/plans' })
  expect(desktop.opened).toEqual([])
  desktop.answers.set('message', { response: 1 })
  window.webContents.openHandler?.({ url: 'https://example.com/plans' })
  await vi.waitFor(() => expect(desktop.opened).toEqual(['https://example.com/plans']))
})

it('also hands on an allowed link that was about to replace the page, but none from a frame inside it', async () => {
  const { window } = await startedDesktop()
  expect(navigate(window, 'https://duckdb.org/docs/')).toBe(false)
  expect(navigate(window, 'https://duckdb.org/why', false)).toBe(false)
  expect(desktop.opened).toEqual(['https://duckdb.org/docs/'])
})

function answersTo(permission: string, address: string, isMainFrame = true): boolean[] {
  const contents = new FakeWebContents()
  contents.mainFrame.url = address
  const { defaultSession } = session
  let granted = false
  defaultSession.permissionRequest?.(contents, permission, (yes: boolean) => (granted = yes), { isMainFrame })
  return [granted, defaultSession.permissionCheck?.(contents, permission, address, { isMainFrame }) ?? true]
}

it.each([
  'media',
  'geolocation',
  'notifications',
  'clipboard-read',
  'fileSystem',
  'openExternal',
  'usb',
  'midi',
  'unknown',
])('does not give its page %s', async (permission) => {
  await startedDesktop()
  expect(answersTo(permission, page)).toEqual([false, false])
})

it('lets its own page, and no other, write to the clipboard', async () => {
  await startedDesktop()
  expect(answersTo('clipboard-sanitized-write', page)).toEqual([true, true])
  expect(answersTo('clipboard-sanitized-write', page, false)).toEqual([false, false])
  expect(answersTo('clipboard-sanitized-write', 'https://example.com/')).toEqual([false, false])
  expect(session.defaultSession.permissionCheck?.(null, 'clipboard-sanitized-write', page, { isMainFrame: true })).toBe(
    false,
  )
  expect(session.defaultSession.devicePermission?.()).toBe(false)
})

it.each([
  ['app://perpscope/assets/index.js', true],
  ['blob:app://perpscope/1234', true],
  ['data:image/png;base64,AA==', true],
  ['https://example.com/pixel.png', false],
  ['http://127.0.0.1/', false],
  ['wss://example.com/', false],
  ['file:///etc/passwd', false],
  ['app://elsewhere/x.js', false],
  ['blob:https://example.com/1', false],
])('loads %s: %s', async (url, allowed) => {
  await startedDesktop()
  let cancelled: boolean | null = null
  session.defaultSession.beforeRequest?.({ url }, ({ cancel }) => (cancelled = cancel))
  expect(cancelled).toBe(!allowed)
})

it('downloads a picture that the page made, and nothing else', async () => {
  await startedDesktop()
  const downloads = (url: string) => {
    const event = fakeEvent()
    session.defaultSession.emit('will-download', event, {
      getURL: () => url,
      getFilename: () => 'chart.png',
      setSaveDialogOptions() {},
      once() {},
    })
    return !event.defaultPrevented
  }
  expect(downloads('blob:app://perpscope/1234')).toBe(true)
  expect(downloads('app://perpscope/index.html')).toBe(false)
  expect(downloads('https://example.com/setup.exe')).toBe(false)
})
