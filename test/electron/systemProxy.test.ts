import { beforeEach, expect, it, vi } from 'vitest'
import { session } from 'electron'
import { firstProxy, readProxy } from '../../electron/main/systemProxy.ts'
import { desktop, resetDesktop, session as fake } from '../fakes/electron.ts'

vi.mock('electron', () => import('../fakes/electron.ts'))

beforeEach(() => resetDesktop())

const read = (env: NodeJS.ProcessEnv) => readProxy(session.defaultSession, env)

it.each([
  ['DIRECT', ''],
  ['', ''],
  ['PROXY proxy.example:3128', 'http://proxy.example:3128'],
  ['PROXY a.example:1; PROXY b.example:2; DIRECT', 'http://a.example:1'],
  ['HTTPS secure.example:443;DIRECT', 'https://secure.example:443'],
  ['SOCKS5 socks.example:1080; PROXY b.example:2', 'http://b.example:2'],
  ['SOCKS socks.example:1080', ''],
  ['DIRECT; PROXY late.example:1', ''],
  ['PROXY', ''],
])('understands “%s”', (answer, proxy) => expect(firstProxy(answer)).toBe(proxy))

it('prefers the proxy that the environment names', async () => {
  desktop.proxies.set('https:', 'PROXY system.example:1')
  expect(await read({ HTTPS_PROXY: 'http://env.example:2' })).toMatchObject({ https: 'http://env.example:2' })
})

it('asks the system otherwise, for each protocol', async () => {
  expect(await read({})).toBeNull()
  desktop.proxies.set('https:', 'PROXY system.example:1')
  expect(await read({})).toEqual({ http: '', https: 'http://system.example:1', except: '' })
})

it('starts without one where the system takes too long to say', async () => {
  vi.useFakeTimers()
  fake.defaultSession.resolveProxy = () => new Promise(() => {})
  const reading = read({})
  await vi.advanceTimersByTimeAsync(10_000)
  expect(await reading).toBeNull()
  vi.useRealTimers()
})
