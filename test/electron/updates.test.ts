import { expect, it, vi } from 'vitest'
import { defaultSettings } from '#shared/contract/defaultSettings.ts'
import { settingsShape } from '#shared/contract/areas/settings.ts'
import type { Client } from '#shared/contract/client.ts'
import { SignedFeed, type SignedFeedOptions } from '../../electron/main/signedFeed.ts'
import { followUpdates, type Updater } from '../../electron/main/updates.ts'
import { desktop, resetDesktop } from '../fakes/electron.ts'
import { fakeLog } from '../fakes/fakeLog.ts'

vi.mock('electron', () => import('../fakes/electron.ts'))

const FEED = 'https://updates.example/perpscope'

/** Runs the updates of an app with a feed that offers a version, and records the actions in order. */
function follow({ feed = FEED, key = 'key', proxy = '', offers = '2.0.0' as string | null, answers = [0, 0] } = {}) {
  resetDesktop()
  const did: string[] = []
  const log = fakeLog()
  let notifyChange: (settings: { updateFeed: string }) => void = () => {}
  desktop.answers.set('message', {
    get response() {
      return answers.shift() ?? 1
    },
  })
  const proxies: unknown[] = []
  const updater = {
    netSession: { setProxy: async (config: unknown) => void proxies.push(config) },
    setFeedURL({ provider, updateProvider, url }: SignedFeedOptions) {
      expect([provider, updateProvider]).toEqual(['custom', SignedFeed])
      did.push(`feed ${url}`)
    },
    async checkForUpdates() {
      did.push('check')
      return { isUpdateAvailable: offers !== null, updateInfo: { version: offers } }
    },
    downloadUpdate: async () => did.push('download'),
    quitAndInstall: () => did.push('install'),
  }
  let current = feed
  const loadUpdater = async () => ({ updater: updater as unknown as Updater, SignedFeed })
  const core = { on: (_name: string, listener: typeof notifyChange) => (notifyChange = listener) } as unknown as Client
  const route = { proxy, proxyExcept: '.inside.example' }
  followUpdates({ core, feed: () => current, proxy: () => route, log, key, loadUpdater })
  const set = (updateFeed: string) => {
    current = updateFeed
    notifyChange({ updateFeed })
  }
  return { did, log, set, updater, proxies }
}

it('is off by default: nothing is loaded, asked or shown', async () => {
  expect(defaultSettings.updateFeed).toBe('')
  const { did, log } = follow({ feed: '' })
  await new Promise(setImmediate)
  expect([did, desktop.dialogs, log.lines]).toEqual([[], [], []])
})

it('looks at the feed that was set, asks, downloads, asks again, and installs', async () => {
  const { did } = follow()
  await vi.waitFor(() => expect(did).toEqual([`feed ${FEED}`, 'check', 'download', 'install']))
  expect(desktop.dialogs.map(({ title }) => title)).toEqual([
    expect.stringContaining('2.0.0 is available'),
    expect.stringContaining('has been downloaded'),
  ])
})

it.each([
  ['nothing newer is there', { offers: null }, ['check']],
  ['the person does not want it', { answers: [1] }, ['check']],
  ['the person wants it later', { answers: [0, 1] }, ['check', 'download']],
])('does no more than that when %s', async (_what, options, expected) => {
  const { did } = follow(options)
  await vi.waitFor(() => expect(did.slice(1)).toEqual(expected))
  await new Promise(setImmediate)
  expect(did.slice(1)).toEqual(expected)
})

it.each([
  ['', { mode: 'system' }],
  ['direct', { mode: 'direct' }],
  [
    'http://ada:word@proxy.example:3128',
    { proxyRules: 'http://proxy.example:3128', proxyBypassRules: '.inside.example' },
  ],
])('reaches its feed by the proxy of the settings: “%s”', async (proxy, expected) => {
  const { did, proxies } = follow({ proxy, offers: null })
  await vi.waitFor(() => expect(did).toContain('check'))
  expect(proxies).toEqual([expected])
})

it('never downloads or installs by itself', async () => {
  const { did, updater } = follow({ answers: [1] })
  await vi.waitFor(() => expect(did).toContain('check'))
  expect(updater).toMatchObject({ autoDownload: false, autoInstallOnAppQuit: false })
})

it('looks again when the feed changes, and only then', async () => {
  const { did, set } = follow({ feed: '', offers: null })
  set('https://other.example/')
  await vi.waitFor(() => expect(did).toEqual(['feed https://other.example/', 'check']))
  set('https://other.example/')
  set('')
  await new Promise(setImmediate)
  expect(did).toHaveLength(2)
})

it('writes a line where the feed does not answer, and goes on', async () => {
  const { log, updater } = follow({ feed: '' })
  updater.checkForUpdates = () => Promise.reject(new Error('no answer'))
  const failing = follow({ offers: null })
  failing.updater.checkForUpdates = () => Promise.reject(new Error('no answer'))
  failing.set('https://broken.example/')
  await vi.waitFor(() => expect(failing.log.lines.join()).toContain('no answer'))
  expect(log.lines).toEqual([])
})

it.each(['http://updates.example/', 'file:///tmp/', 'nonsense', 'https://user:word@updates.example/'])(
  'does not take %s as a feed',
  (feed) => expect(settingsShape.shape.updateFeed.safeParse(feed).success).toBe(false),
)

it('looks for nothing in a program without a key, and says so when a feed is set', async () => {
  const { did, log, set } = follow({ feed: '', key: '' })
  set(FEED)
  await vi.waitFor(() => expect(desktop.dialogs).toHaveLength(1))
  expect(did).toEqual([])
  expect(log.lines).toEqual(['warn this program was built without a key to check updates with; it looks for none'])
})
