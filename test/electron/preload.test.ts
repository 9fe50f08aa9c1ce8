import { expect, it, vi } from 'vitest'
import type { DesktopBridge } from '#shared/contract/bridge.ts'
import { callNames, eventNames } from '#shared/contract/names.ts'
import type { FromWindow, ToWindow } from '#shared/contract/protocol.ts'
import { ipcChannels } from '#shared/contract/ipcChannels.ts'
import { createBridge, reportDroppedFiles, startPreload } from '../../electron/preload/startPreload.ts'
import { desktop, ipcRenderer, resetDesktop } from '../fakes/electron.ts'

vi.mock('electron', () => import('../fakes/electron.ts'))

interface OpenBridge {
  bridge: DesktopBridge
  sent: FromWindow[]
  receive(message: ToWindow): void
}

function openBridge(): OpenBridge {
  const sent: FromWindow[] = []
  let receive: (message: ToWindow) => void = () => {}
  const bridge = createBridge({
    send: (message) => void sent.push(message),
    isOpen: () => true,
    onMessage: (listener) => void (receive = listener),
    onClose: () => {},
  })
  return { bridge, sent, receive: (message) => receive(message) }
}

it('offers a page two functions', () => {
  expect(Object.keys(openBridge().bridge).sort()).toEqual(['call', 'on'])
})

it('passes every call of the contract on, and no other', async () => {
  const { bridge, sent } = openBridge()
  for (const name of callNames) void bridge.call(name, {})
  expect(sent.map((message) => message.kind === 'call' && message.name)).toEqual(callNames)
  for (const name of ['', 'app.quit', 'constructor', '__proto__', 'toString', 5, null, ['app.info']]) {
    const { answer } = bridge.call(name as string, {})
    expect(await answer).toMatchObject({ ok: false, error: { code: 'unknown-call' } })
  }
  expect(sent).toHaveLength(callNames.length)
})

it('listens to the events of the contract, and to no other', () => {
  const { bridge } = openBridge()
  for (const name of eventNames) expect(bridge.on(name, () => {})).toBeTypeOf('function')
  for (const name of ['', 'result', 'constructor', null]) {
    expect(() => bridge.on(name as string, () => {})).toThrow('no such event')
  }
})

it('brings value, progress and error of a call as plain values', async () => {
  const { bridge, receive } = openBridge()
  const progress = vi.fn()
  const first = bridge.call('app.check', {}, progress)
  receive({ kind: 'progress', id: 0, progress: { done: 1, total: 2, message: 'index' } })
  receive({ kind: 'result', id: 0, value: [] })
  expect(await first.answer).toEqual({ ok: true, value: [] })
  expect(progress).toHaveBeenCalledExactlyOnceWith({ done: 1, total: 2, message: 'index' })

  const second = bridge.call('settings.read', {})
  const error = { code: 'read-only', sentence: 's', remedy: 'r', retryable: false, detail: 'd', service: null } as const
  receive({ kind: 'error', id: 1, error })
  expect(await second.answer).toMatchObject({ ok: false, error: { code: 'read-only', detail: 'd' } })
})

it('cancels a call', async () => {
  const { bridge, sent } = openBridge()
  const { answer, cancel } = bridge.call('app.check', {})
  cancel()
  expect(sent.at(-1)).toEqual({ kind: 'cancel', id: 0 })
  expect(await answer).toMatchObject({ ok: false, error: { code: 'cancelled' } })
})

it('ends a subscription', () => {
  const { bridge, receive } = openBridge()
  const listener = vi.fn()
  const off = bridge.on('menu.chosen', listener)
  const event: ToWindow = { kind: 'event', name: 'menu.chosen', payload: { command: 'palette.open' } }
  receive(event)
  off()
  receive(event)
  expect(listener).toHaveBeenCalledExactlyOnceWith({ command: 'palette.open' })
})

it('puts one object on the page, announces itself, and tells dropped files to the host alone', () => {
  resetDesktop()
  ipcRenderer.sent.length = 0
  const page = new EventTarget()
  startPreload(page)
  expect([...desktop.exposed.keys()]).toEqual(['perpscope'])
  expect(Object.keys(desktop.exposed.get('perpscope') as object).sort()).toEqual(['call', 'on'])
  expect(ipcRenderer.sent).toEqual([{ channel: ipcChannels.opened, message: expect.any(Number) }])
})

/** Creates a page that receives drops; its events are fakes, because events of scripts are never trusted. */
function pageForDrops() {
  const listeners = new Map<string, (event: unknown) => void>()
  const target = {
    addEventListener: (name: string, listener: (event: unknown) => void) => listeners.set(name, listener),
  }
  const preventDefault = vi.fn()
  return {
    target: target as unknown as EventTarget,
    preventDefault,
    drop(isTrusted: boolean, ...paths: string[]) {
      const files = paths.map((fakePath) => ({ fakePath }))
      listeners.get('drop')?.({ isTrusted, dataTransfer: { files, types: ['Files'] }, preventDefault })
    },
    dropText: () =>
      listeners.get('drop')?.({ isTrusted: true, dataTransfer: { files: [], types: ['text/plain'] }, preventDefault }),
    dragOver: (...types: string[]) => listeners.get('dragover')?.({ dataTransfer: { types }, preventDefault }),
  }
}

it('sends the paths of what a person dropped, and nothing a script made up', () => {
  resetDesktop()
  ipcRenderer.sent.length = 0
  const page = pageForDrops()
  reportDroppedFiles(page.target)
  page.dragOver('text/plain', 'Files')
  page.drop(true, '/a.parquet', '')
  page.drop(false, '/b.parquet')
  page.drop(true)
  expect(page.preventDefault).toHaveBeenCalledTimes(4)
  expect(ipcRenderer.sent).toEqual([{ channel: ipcChannels.dropped, message: ['/a.parquet'] }])
})

it('leaves dragged text to the fields of the page', () => {
  const page = pageForDrops()
  reportDroppedFiles(page.target)
  page.dragOver('text/plain', 'text/html')
  page.dropText()
  expect(page.preventDefault).not.toHaveBeenCalled()
})

it('does not take an answer that was meant for the page before a reload', async () => {
  resetDesktop()
  ipcRenderer.sent.length = 0
  startPreload(new EventTarget())
  const ownNumber = ipcRenderer.sent[0].message as number
  const { answer } = (desktop.exposed.get('perpscope') as DesktopBridge).call('settings.read', {})
  const result = (value: string) => ({ kind: 'result', id: 0, value })
  ipcRenderer.emit(ipcChannels.toWindow, {}, ownNumber / 2, result('of the old page'))
  ipcRenderer.emit(ipcChannels.toWindow, {}, ownNumber, result('its own'))
  expect(await answer).toEqual({ ok: true, value: 'its own' })
})
