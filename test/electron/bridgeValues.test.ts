import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { BrowserWindow } from 'electron'
import { reactive, readonly, shallowReactive } from 'vue'
import type { DesktopBridge } from '#shared/contract/bridge.ts'
import { defaultSettings } from '#shared/contract/defaultSettings.ts'
import { type EventPayload, events } from '#shared/contract/events.ts'
import { ipcChannels } from '#shared/contract/ipcChannels.ts'
import { type CallName, callNames, type EventName, eventNames } from '#shared/contract/names.ts'
import type { FromWindow, ToWindow } from '#shared/contract/protocol.ts'
import { startPreload } from '../../electron/preload/startPreload.ts'
import { connectElectronHost } from '../../renderer/host/connectHost.ts'
import { examples } from '../contract/examples.ts'
import type { World } from '../contract/world.ts'
import { desktop, ipcMain, ipcRenderer, resetDesktop } from '../fakes/electron.ts'
import { FakeWindow } from '../fakes/electronWindow.ts'
import { fakeConnection } from '../fakes/fakeWindowHost.ts'

vi.mock('electron', () => import('../fakes/electron.ts'))

type Call = Extract<FromWindow, { kind: 'call' }>

/**
 * Opens everything between page and core in the desktop app: the window host, the preload's bridge, and the copies
 * between processes.
 */
function openPage(answer: (call: Call) => unknown = () => null) {
  resetDesktop()
  const window = new BrowserWindow({})
  const [{ webContents }] = FakeWindow.open
  onTestFinished(() => window.destroy())
  const received: Call[] = []
  let page = 0
  ipcMain.on(ipcChannels.opened, (_event: unknown, pageNumber: number) => (page = pageNumber))
  const send = (message: ToWindow) => webContents.send(ipcChannels.toWindow, page, message)
  ipcMain.on(ipcChannels.fromWindow, (_event: unknown, message: FromWindow) => {
    if (message.kind !== 'call') return
    received.push(message)
    send({ kind: 'result', id: message.id, value: answer(message) as never })
  })
  ipcRenderer.serve(webContents)
  startPreload(new EventTarget())
  const host = connectElectronHost(desktop.exposed.get('perpscope') as DesktopBridge)
  return { host, received, send, opened: () => vi.waitFor(() => expect(page).not.toBe(0)) }
}

function frozen<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null && !ArrayBuffer.isView(value))
    for (const part of Object.values(Object.freeze(value))) frozen(part)
  return value
}

/** Wrappers of the values that the window's stores send. */
const forms = {
  reactive: (value: object) => reactive(value),
  'read-only': (value: object) => readonly(reactive(value)),
  'reactive with plain parts': (value: object) => shallowReactive(value),
  'reactive inside a plain object': (value: object) =>
    Object.fromEntries(
      Object.entries(value).map(([key, part]: [string, unknown]) => [
        key,
        typeof part === 'object' && part !== null && !ArrayBuffer.isView(part) ? reactive(part) : part,
      ]),
    ),
  frozen: (value: object) => frozen(value),
}

/** The inputs of the examples use only ids and paths of a world. */
const world = { dataDir: '/data', connectionId: 'desk', ports: {}, inside: {} } as unknown as World

describe.each(Object.entries(forms))('what a store holds as %s', (_form, wrap) => {
  it.each(callNames)('arrives whole by %s', async (name) => {
    const page = openPage()
    const input = examples[name](world).input as object
    const plain = structuredClone(input)
    await (page.host.call as (name: CallName, input: unknown) => Promise<unknown>)(name, wrap(input))
    expect(page.received.map((call) => [call.name, call.input])).toStrictEqual([[name, plain]])
  })
})

const samples: { [Name in EventName]: EventPayload<Name> } = {
  'app.recovered': { message: 'The graphics process failed.' },
  'app.paneClosed': { workspace: 'w', pane: 'p' },
  'quality.changed': {},
  'data.changed': {},
  'returns.changed': {},
  'quality.checked': { files: 3, findings: -0 },
  'documents.changed': { kind: 'board' },
  'folder.changed': {},
  'cache.changed': {},
  'connections.changed': [fakeConnection(), fakeConnection({ id: '龙', name: 'a\u0000b', tier: 3 })],
  'discovery.changed': { connectionId: 'desk' },
  'downloads.changed': {},
  'downloads.finished': { done: 1, failed: -0 },
  'downloads.held': { connectionId: '', code: 'no-key', message: 'No key.' },
  'downloads.progressed': {
    counts: { queued: 1, running: 1, waiting: 0, paused: 0, done: 0, failed: 0, cancelled: 0 },
    bytesPerSecond: 1e9,
    secondsLeft: null,
    running: [{ id: 1, doneBytes: 2 ** 53 - 1, totalBytes: null }],
    holds: [],
    here: true,
  },
  'files.received': [{ id: 'a', name: 'x.parquet', sizeBytes: 2 ** 40 }],
  'inbox.changed': {},
  'instruments.changed': {},
  'ledger.changed': {},
  'links.opened': { address: '/workbench' },
  'menu.chosen': { command: 'palette.open' },
  'network.changed': {
    offline: false,
    unreachable: [{ origin: 'https://a', since: 1, message: 'm', nextAttempt: null }],
  },
  'network.doorChanged': { open: { url: 'http://127.0.0.1:4711', tokenFile: '/a/token' }, problem: null },
  'portfolio.changed': { connectionId: 'desk', endpoint: 'weights', query: 'a=1' },
  'requests.recorded': { count: 3 },
  'saves.ready': { path: '/a', name: 'a.csv' },
  'settings.changed': { ...defaultSettings, zoom: 1.25 },
  'sql.changed': {},
  'vault.changed': { available: false, name: 'Secret Service', message: null },
}

it.each(eventNames)(
  'the event %s arrives as it was sent, in memory of its own that nobody can change',
  async (name) => {
    const { host, send, opened } = openPage()
    await opened()
    const payload = events[name].parse(samples[name])
    const arrived = new Promise<unknown>((resolve) => host.on(name, resolve))
    send({ kind: 'event', name, payload })
    const seen = await arrived
    expect(seen).toStrictEqual(payload)
    expect(seen).not.toBe(payload)
    expect(Object.isFrozen(seen)).toBe(true)
  },
)

it('an answer keeps −0, NaN, infinities, missing values and texts of any kind', async () => {
  const value = {
    columns: [new Float64Array([-0, NaN, Infinity, -Infinity]), new Uint8Array([0, 255]), ['龙', '\u0000', '']],
    nested: { nothing: null, left: undefined, zero: -0 },
  }
  const { host } = openPage(() => value)
  expect(await host.call('app.crashes', {})).toStrictEqual(value)
})

it('an answer of 100 MB arrives whole', async () => {
  const values = new Float64Array(100_000_000 / 8).fill(-0)
  values[values.length - 1] = NaN
  const { host } = openPage(() => ({ values }))
  const { values: seen } = (await host.call('app.info', {})) as unknown as { values: Float64Array }
  expect([seen.length, Object.is(seen[0], -0), Number.isNaN(seen.at(-1))]).toEqual([values.length, true, true])
  expect(seen.buffer).not.toBe(values.buffer)
})

it.each([
  ['detached memory', () => detached()],
  ['a function', () => () => 1],
  ['a symbol', () => Symbol('x')],
  ['a date', () => new Date()],
  ['a class of its own', () => new (class Series {})()],
  ['a map', () => new Map([[1, 2]])],
  ['an event', () => new Event('click')],
  ['a promise', () => Promise.resolve(1)],
])('%s is refused at once, and the next call works', async (_what, make) => {
  const { host, received } = openPage(() => 'answer')
  const call = host.call as (name: CallName, input: unknown) => Promise<unknown>
  await expect(call('settings.change', { value: make() })).rejects.toThrow()
  expect(received).toEqual([])
  expect(await call('settings.read', {})).toBe('answer')
})

function detached(): Float64Array {
  const values = new Float64Array([1])
  structuredClone(values, { transfer: [values.buffer] })
  return values
}
