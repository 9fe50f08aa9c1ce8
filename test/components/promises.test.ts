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

/**
 * Timeout for a screen to load; a screen that takes longer is left as it is. A busy machine needs up to half a minute.
 */
const LONGEST_LOAD_MS = 60_000
const conformance = join(import.meta.dirname, '..', 'conformance', 'data', 'raw', 'v1')

const portfolio = 'portfolio=momentum_ls.20'
/** Addresses of screens that show more when an item is selected. */
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

/** Imports raw events, because the screens of raw events show more with data. */
async function importRawEvents(): Promise<void> {
  await core.receiveFiles([conformance])
  const client = core.clientFor(fakeHost())
  const { files } = await client.call('raw.inspect', {})
  const named = files.map(({ id, exchange, symbol }) => ({ id, exchange: exchange ?? '', symbol: symbol ?? '' }))
  await client.call('raw.import', { connectionId: '', files: named })
}

interface CountingHost extends Host {
  /** Number of calls without an answer yet. */
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
    receiveDropped: async () => {},
    channelState: () => 'connected',
    onChannelState: () => () => {},
  }
  return host
}

/** Waits until the open screen is loaded and no call was pending in this many successive checks. */
async function settled(host: CountingHost, checks: number): Promise<void> {
  const endMs = performance.now() + LONGEST_LOAD_MS
  for (let calmChecks = 0; calmChecks < checks && performance.now() < endMs;) {
    await vi.dynamicImportSettled()
    await flushPromises()
    await new Promise((resolve) => setTimeout(resolve, 20))
    calmChecks = host.pending === 0 ? calmChecks + 1 : 0
  }
}

/** Opens every address of the window, and records which query parameters each screen reads. */
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
    // A screen with a selected item loads its parts one after the other, each with its own calls.
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

/** Records every name that is looked up in the query of an address, together with the open path. */
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

/** Expands a route pattern into addresses: `/raw/:tab(files|rows)?` into `/raw`, `/raw/files` and `/raw/rows`. */
function addressesOf(pattern: string): string[] {
  const [, before, choices, end] = /^([^:]*)\/:\w+(?:\(([\w|]+)\))?(\??)$/.exec(pattern) ?? []
  if (before === undefined) return pattern.includes(':') ? [] : [pattern]
  return [...(end === '?' ? [before] : []), ...(choices?.split('|') ?? []).map((choice) => `${before}/${choice}`)]
}

const linksIn = (page: Document): string[] =>
  [...page.querySelectorAll('a[href^="#/"]')].map((link) => link.getAttribute('href')!.slice(1).split('?')[0])

/** Tells whether a page shows the same screen as many others; only one of them is opened. */
const isOneOfMany = (path: string) => /^\/(catalog|guide)\/./.test(path) && path !== '/catalog/flow'
