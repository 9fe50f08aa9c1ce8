import { join } from 'node:path'
import { writeFileSync } from 'node:fs'
import { expect, it, vi } from 'vitest'
import { ipcChannels } from '#shared/contract/ipcChannels.ts'
import type { ToWindow } from '#shared/contract/protocol.ts'
import { ipcMain } from '../fakes/electron.ts'
import { FakeWebContents, type FakeWindow } from '../fakes/electronWindow.ts'
import { loadPage, sendFromPage, startedDesktop } from '../fakes/startedDesktop.ts'

vi.mock('electron', () => import('../fakes/electron.ts'))

const sentTo = ({ webContents }: FakeWindow) => webContents.sent.map(({ message }) => message as ToWindow)
/** Returns the answers to the page's calls, without the events that the queue sends to every page. */
const answersTo = (window: FakeWindow) => sentTo(window).filter(({ kind }) => kind !== 'event')
const filesReceivedEvents = (window: FakeWindow) =>
  sentTo(window).filter((each) => each.kind === 'event' && each.name === 'files.received')
/** Waits with a timeout that a busy machine needs. */
const eventually = (check: () => void) => vi.waitFor(check, 20_000)
const askVersion = (id: number) => ({ kind: 'call', id, name: 'app.info', input: {} })

function stranger(page: FakeWebContents): FakeWebContents {
  const contents = new FakeWebContents()
  contents.mainFrame.url = page.mainFrame.url
  return contents
}

async function openedWindow() {
  const started = await startedDesktop()
  loadPage(started.window)
  return { ...started, contents: started.window.webContents }
}

it('answers a call of its own page', async () => {
  const { window, contents, dataDir } = await openedWindow()
  sendFromPage(contents, ipcChannels.fromWindow, askVersion(1))
  await eventually(() => expect(answersTo(window)).toHaveLength(1))
  expect(answersTo(window)[0]).toMatchObject({ kind: 'result', id: 1, value: { host: 'desktop', dataDir } })
})

it('hears three channels and no others', async () => {
  await openedWindow()
  expect(ipcMain.eventNames().sort()).toEqual([ipcChannels.dropped, ipcChannels.fromWindow, ipcChannels.opened].sort())
})

it.each([
  [
    'a frame inside the page',
    (page: FakeWebContents) => [page, { ...page.mainFrame, parent: page.mainFrame }] as const,
  ],
  ['a frame that is gone', (page: FakeWebContents) => [page, null] as const],
  ['another window, whatever it shows', (page: FakeWebContents) => [stranger(page), undefined] as const],
])('does not hear %s', async (_who, sender) => {
  const { window, contents } = await openedWindow()
  const [from, frame] = sender(contents)
  const senderFrame = frame === undefined ? from.mainFrame : frame
  for (const channel of [ipcChannels.opened, ipcChannels.fromWindow]) {
    ipcMain.emit(channel, { sender: from, senderFrame }, askVersion(1))
  }
  sendFromPage(contents, ipcChannels.fromWindow, askVersion(2))
  await eventually(() => expect(answersTo(window)).toHaveLength(1))
  expect(answersTo(window)).toMatchObject([{ id: 2 }])
  expect(from === contents || from.sent.length === 0).toBe(true)
})

it.each([
  'https://example.com/',
  'file:///etc/passwd',
  'app://elsewhere/index.html',
  'about:blank',
  'data:text/html,x',
])('does not hear its own window once %s is in it', async (address) => {
  const { window, contents } = await openedWindow()
  contents.mainFrame.url = address
  sendFromPage(contents, ipcChannels.fromWindow, askVersion(1))
  contents.mainFrame.url = 'app://perpscope/index.html#/'
  sendFromPage(contents, ipcChannels.fromWindow, askVersion(2))
  await eventually(() => expect(answersTo(window)).toHaveLength(1))
  expect(answersTo(window)).toMatchObject([{ id: 2 }])
})

it('refuses a message of 100 MB with an error the page can show', async () => {
  const { window, contents } = await openedWindow()
  const name = 'x'.repeat(100 * 1024 * 1024)
  sendFromPage(contents, ipcChannels.fromWindow, { ...askVersion(7), input: { name } })
  await eventually(() => expect(answersTo(window)).toHaveLength(1))
  expect(answersTo(window)).toMatchObject([{ kind: 'error', id: 7, error: { code: 'too-large' } }])
})

it('starts afresh with each page: numbers of calls may repeat after a reload, old events do not come twice', async () => {
  const { window, contents } = await openedWindow()
  sendFromPage(contents, ipcChannels.fromWindow, askVersion(1))
  await eventually(() => expect(answersTo(window)).toHaveLength(1))
  loadPage(window)
  sendFromPage(contents, ipcChannels.fromWindow, askVersion(1))
  await eventually(() => expect(answersTo(window)).toHaveLength(2))

  sendFromPage(contents, ipcChannels.fromWindow, {
    kind: 'call',
    id: 2,
    name: 'settings.change',
    input: { density: 'comfortable' },
  })
  await eventually(() => expect(answersTo(window).some((each) => each.kind === 'result' && each.id === 2)).toBe(true))
  const changes = sentTo(window)
    .filter((each) => each.kind === 'event' && each.name === 'settings.changed')
    .map((each) => JSON.stringify(each))
  expect(changes.filter((change) => change.includes('comfortable')).length).toBeGreaterThan(0)
  expect(new Set(changes).size).toBe(changes.length)
})

it('sends nothing to a page that is gone', async () => {
  const { window, contents } = await openedWindow()
  contents.emit('render-process-gone', {}, { reason: 'clean-exit', exitCode: 0 })
  sendFromPage(contents, ipcChannels.fromWindow, askVersion(1))
  loadPage(window)
  sendFromPage(contents, ipcChannels.fromWindow, askVersion(2))
  await eventually(() => expect(answersTo(window)).toHaveLength(1))
  expect(answersTo(window)).toMatchObject([{ id: 2 }])
})

it('takes in dropped files by their paths and tells the page names only', async () => {
  const { window, contents, dataDir } = await openedWindow()
  const path = join(dataDir, 'trades.parquet')
  writeFileSync(path, 'PAR1')
  sendFromPage(contents, ipcChannels.dropped, [path, 'relative.parquet', 5, join(dataDir, 'missing.parquet')])
  await eventually(() => expect(filesReceivedEvents(window)).toHaveLength(1))
  expect(filesReceivedEvents(window)).toMatchObject([
    { kind: 'event', name: 'files.received', payload: [{ name: 'trades.parquet', sizeBytes: 4 }] },
  ])
  expect(JSON.stringify(contents.sent)).not.toContain(dataDir)
})
