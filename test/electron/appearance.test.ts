import { expect, it, vi } from 'vitest'
import { BrowserWindow } from 'electron'
import { ipcChannels } from '#shared/contract/ipcChannels.ts'
import { notify, showProgress } from '../../electron/main/notices.ts'
import { app, desktop, nativeTheme, resetDesktop } from '../fakes/electron.ts'
import { fakeLog } from '../fakes/fakeLog.ts'
import { FakeWindow } from '../fakes/electronWindow.ts'
import { openPage, sendFromPage, startedDesktop } from '../fakes/startedDesktop.ts'

vi.mock('electron', () => import('../fakes/electron.ts'))

const change = (window: FakeWindow, input: Record<string, unknown>) =>
  sendFromPage(window.webContents, ipcChannels.fromWindow, { kind: 'call', id: 1, name: 'settings.change', input })

it('follows the theme and the zoom of the settings at once', async () => {
  const { window } = await startedDesktop()
  openPage(window)
  expect(nativeTheme.themeSource).toBe('system')
  change(window, { theme: 'light', zoom: 1.5 })
  await vi.waitFor(() => expect(nativeTheme.themeSource).toBe('light'))
  expect(window.webContents.zoom).toBe(1.5)
})

it('sets the zoom again on each page, whatever the engine remembers', async () => {
  const { window } = await startedDesktop()
  window.webContents.zoom = 3
  openPage(window)
  expect(window.webContents.zoom).toBe(1)
})

it('opens the next window with the zoom that was chosen', async () => {
  const { window } = await startedDesktop()
  openPage(window)
  change(window, { zoom: 1.25 })
  await vi.waitFor(() => expect(window.webContents.zoom).toBe(1.25))
  vi.spyOn(process, 'platform', 'get').mockReturnValue('darwin')
  window.close()
  app.emit('activate')
  expect(FakeWindow.open[0].options.webPreferences?.zoomFactor).toBe(1.25)
  vi.restoreAllMocks()
})

it('shows progress from 0 to 1, and removes it', () => {
  resetDesktop()
  const real = new BrowserWindow({})
  const [window] = FakeWindow.open
  for (const [fraction, shown] of [
    [0.25, 0.25],
    [7, 1],
    [-2, 0],
    [null, -1],
  ] as const) {
    showProgress(real, fraction)
    expect(window.progress).toBe(shown)
  }
  expect(() => showProgress(null, 0.5)).not.toThrow()
})

it('notifies, and brings the app forward when the notification is chosen', () => {
  resetDesktop()
  const chosen = vi.fn()
  notify('Downloads finished', '12 files', chosen, fakeLog())
  const [notification] = desktop.notifications
  expect(notification).toMatchObject({ shown: true, options: { title: 'Downloads finished', body: '12 files' } })
  notification.emit('click')
  expect(chosen).toHaveBeenCalledOnce()
})
