import { expect, it, vi } from 'vitest'
import { ipcChannels } from '#shared/contract/ipcChannels.ts'
import { app, desktop } from '../fakes/electron.ts'
import { FakeWindow } from '../fakes/electronWindow.ts'
import { openPage, sendFromPage, startedDesktop } from '../fakes/startedDesktop.ts'

vi.mock('electron', () => import('../fakes/electron.ts'))

const pane = { workspace: 'w 1', pane: 'p/2' }
const address = 'app://perpscope/index.html#/pane/w%201/p%2F2'

let calls = 0
const openPane = (window: FakeWindow, behind = false) =>
  sendFromPage(window.webContents, ipcChannels.fromWindow, {
    ...{ kind: 'call', id: ++calls, name: 'app.openPane', input: { ...pane, behind } },
  })

const eventsOf = ({ webContents }: FakeWindow, name: string) =>
  webContents.sent.filter(({ message }) => (message as { name?: string }).name === name)

async function withPane() {
  const started = await startedDesktop()
  openPage(started.window)
  openPane(started.window)
  await vi.waitFor(() => expect(FakeWindow.open).toHaveLength(2))
  const paneWindow = FakeWindow.open[1]
  openPage(paneWindow)
  return { ...started, paneWindow }
}

it('opens a caged window for a pane, once, and shows it again when it is asked for', async () => {
  const { window, paneWindow } = await withPane()
  expect(paneWindow.loaded).toEqual([address])
  expect(paneWindow.options.webPreferences).toMatchObject({ sandbox: true, contextIsolation: true })
  expect(paneWindow.shown).toBe(true)
  openPane(window)
  await vi.waitFor(() => expect(paneWindow.focused).toBe(1))
  openPane(window, true)
  sendFromPage(paneWindow.webContents, ipcChannels.fromWindow, { kind: 'call', id: 1, name: 'app.info', input: {} })
  await vi.waitFor(() => expect(paneWindow.webContents.sent.length).toBeGreaterThan(0))
  expect([FakeWindow.open.length, paneWindow.focused]).toEqual([2, 1])
})

it('tells the main window that the user closed it, and opens it in its place the next time', async () => {
  const { window, paneWindow } = await withPane()
  paneWindow.bounds = { x: 60, y: 70, width: 500, height: 320 }
  paneWindow.close()
  await vi.waitFor(() => expect(eventsOf(window, 'app.paneClosed')).toHaveLength(1))
  expect(eventsOf(window, 'app.paneClosed')[0].message).toMatchObject({ payload: pane })
  openPane(window)
  await vi.waitFor(() => expect(FakeWindow.open).toHaveLength(2))
  expect(FakeWindow.open[1].options).toMatchObject({ x: 60, y: 70, width: 500, height: 320 })
})

it('opens on the second monitor again, and in sight where that monitor is gone', async () => {
  const main = { x: 0, y: 0, width: 1920, height: 1040 }
  const { window, paneWindow } = await withPane()
  desktop.displays = [{ workArea: main }, { workArea: { x: 1920, y: 0, width: 1280, height: 1000 } }]
  const reopened = async () => {
    FakeWindow.open[1].close()
    openPane(window)
    await vi.waitFor(() => expect(FakeWindow.open).toHaveLength(2))
    return FakeWindow.open[1].options
  }
  paneWindow.bounds = { x: 2100, y: 70, width: 500, height: 320 }
  expect(await reopened()).toMatchObject({ x: 2100, y: 70, width: 500, height: 320 })
  FakeWindow.open[1].bounds = { x: 2100, y: 70, width: 500, height: 320 }
  desktop.displays = [{ workArea: main }]
  const inSight = await reopened()
  expect(inSight).toMatchObject({ width: 500, height: 320 })
  expect(inSight).not.toHaveProperty('x')
})

it('closes with the main window, which is not the user closing a pane', async () => {
  const { window, paneWindow } = await withPane()
  const closed = vi.fn()
  paneWindow.on('closed', closed)
  const sent = eventsOf(paneWindow, 'app.paneClosed').length
  window.close()
  expect(closed).toHaveBeenCalledOnce()
  expect([FakeWindow.open.length, eventsOf(paneWindow, 'app.paneClosed').length]).toEqual([0, sent])
})

it('keeps links and menu commands for the main window', async () => {
  const { window, paneWindow } = await withPane()
  paneWindow.webContents.emit('destroyed')
  app.emit('second-instance', {}, ['/electron', 'perpscope://downloads'], '/')
  await vi.waitFor(() => expect(eventsOf(window, 'links.opened')).toHaveLength(1))
})
