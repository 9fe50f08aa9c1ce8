import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { flushPromises, mount } from '@vue/test-utils'
import { createPinia } from 'pinia'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import type { LocationQuery, Router } from 'vue-router'
import { createApp as createCore, type App as Core } from '#core/app.ts'
import App from '../../renderer/App.vue'
import type { Host } from '../../renderer/host/host.ts'
import { createWindowRouter } from '../../renderer/router.ts'
import { comparePromises, sortedSet, type Promises } from '../contract/promises/promises.ts'
import { fakeHost, fakePorts } from '../fakes/fakePorts.ts'
import { startCachedSandbox, type TestSandbox } from '../fakes/testSandbox.ts'

globalThis.requestIdleCallback ??= (work) => Number(setTimeout(work))

/** A screen that takes longer is left as it is; on a busy machine half a minute is not much. */
const LONGEST_LOAD_MS = 60_000
const conformance = join(import.meta.dirname, '..', 'conformance', 'data', 'raw', 'v1')

const portfolio = 'portfolio=momentum_ls.20'
/** Screens that show more where something is chosen. */
const filledAddresses = [
  `/portfolios/portfolio?${portfolio}`,
  `/portfolios/weights?${portfolio}`,
  `/portfolios/explain?${portfolio}`,
  '/portfolios/factors?factor=momentum',
  '/portfolios/universe?of=momentum',
  '/portfolios/overlays?regime=trend',
  '/portfolios/prices?tickers=BTC,ETH',
  '/raw/reconcile?exchange=venuea-futures&symbol=perpetual-BTC-USDT:USDT&metric=ohlcv&interval=1h&timestamp=exchange',
]

let sandbox: TestSandbox
let core: Core
let dataDir: string
let current: Promises

beforeAll(async () => {
  sandbox = await startCachedSandbox()
  dataDir = mkdtempSync(join(tmpdir(), 'perpscope-window-'))
  core = createCore({ ...fakePorts(), startSandbox: () => Promise.resolve(sandbox) }, { version: '0.0.0', dataDir })
  await importRawEvents()
  current = await walkThroughWindow()
}, 600_000)
afterAll(async () => {
  await core.close()
  await sandbox.close()
  rmSync(dataDir, { recursive: true, force: true })
}, 60_000)

it('keeps the addresses of 0.1.0, their parameters and what a window remembers', () => {
  comparePromises(expect, current)
})

/** Screens of raw events show more where there are some. */
async function importRawEvents(): Promise<void> {
  await core.receiveFiles([conformance])
  const client = core.clientFor(fakeHost())
  const { files } = await client.call('raw.inspect', {})
  const named = files.map(({ id, exchange, symbol }) => ({ id, exchange: exchange ?? '', symbol: symbol ?? '' }))
  await client.call('raw.import', { connectionId: '', files: named })
}

interface CountingHost extends Host {
  /** Number of calls that are not answered yet. */
  pending: number
}

function countingHost(): CountingHost {
  const client = core.clientFor(fakeHost())
  const host: CountingHost = {
    ...client,
    pending: 0,
    call: (name, input, options) => {
      host.pending++
      return client.call(name, input, options).finally(() => host.pending--)
    },
    openPane: async () => {},
    kind: 'browser',
    pickFiles: async () => 0,
    receiveFiles: async () => {},
    channelState: () => 'connected',
    onChannelState: () => () => {},
  }
  return host
}

/** Resolves when the open screen is loaded and its calls are answered: no call was open for so many looks in a row. */
async function settled(host: CountingHost, looks: number): Promise<void> {
  const endMs = performance.now() + LONGEST_LOAD_MS
  for (let calm = 0; calm < looks && performance.now() < endMs;) {
    await vi.dynamicImportSettled()
    await flushPromises()
    await new Promise((resolve) => setTimeout(resolve, 20))
    calm = host.pending === 0 ? calm + 1 : 0
  }
}

/** Opens every address of the window, and notes which parameters each screen looks for behind `?`. */
async function walkThroughWindow(): Promise<Promises> {
  vi.spyOn(console, 'error').mockImplementation(() => {})
  const remembered = vi.spyOn(Storage.prototype, 'getItem')
  const host = countingHost()
  const router = createWindowRouter()
  const parameters = noteParameters(router)
  const wrapper = mount(App, {
    props: { connecting: Promise.resolve(host) },
    attachTo: document.body,
    global: { plugins: [createPinia(), router] },
  })
  const patterns = router.getRoutes().map(({ path }) => path)
  const [todo, seen] = [[...patterns.flatMap(addressesOf), ...filledAddresses], new Set<string>()]
  for (let path = todo.shift(); path !== undefined; path = todo.shift()) {
    if (seen.has(path)) continue
    seen.add(path)
    if (isOneOfMany(path)) continue
    await router.push(path)
    // What is chosen is shown piece by piece, each with calls of its own.
    await settled(host, path.includes('?') ? 20 : 2)
    todo.push(...linksIn(wrapper.element.ownerDocument))
  }
  wrapper.unmount()
  const keys = remembered.mock.calls.map(([key]) => key)
  vi.restoreAllMocks()
  return {
    routes: sortedSet(patterns),
    addresses: sortedSet([...seen].map((path) => `#${path.split('?')[0]}`)),
    'address parameters': sortedSet(parameters),
    'remembered by the window': sortedSet(keys.filter((key) => key.startsWith('perpscope'))),
  }
}

/** Makes a note of every name that is looked up in the query of an address, by the path that is open. */
function noteParameters(router: Router): Set<string> {
  const noted = new Set<string>()
  router.beforeEach((to) => {
    const { path, query } = to
    to.query = new Proxy<LocationQuery>(query, {
      get(target, name, receiver) {
        if (typeof name === 'string' && !name.startsWith('__')) noted.add(`#${path}?${name}`)
        return Reflect.get(target, name, receiver)
      },
    })
  })
  return noted
}

/** `/raw/:tab(files|rows)?` as addresses: `/raw`, `/raw/files`, `/raw/rows`. */
function addressesOf(pattern: string): string[] {
  const [, before, choices, end] = /^([^:]*)\/:\w+(?:\(([\w|]+)\))?(\??)$/.exec(pattern) ?? []
  if (before === undefined) return pattern.includes(':') ? [] : [pattern]
  return [...(end === '?' ? [before] : []), ...(choices?.split('|') ?? []).map((choice) => `${before}/${choice}`)]
}

const linksIn = (page: Document): string[] =>
  [...page.querySelectorAll('a[href^="#/"]')].map((link) => link.getAttribute('href')!.slice(1).split('?')[0])

/** Pages that all have the same screen are not opened: one stands for them. */
const isOneOfMany = (path: string) => /^\/(catalog|guide)\/./.test(path) && path !== '/catalog/flow'
