import { describe, expect, test, vi } from 'vitest'
import { createKeyring, type KeyringDeps } from '#core/keys/keyring.ts'
import { LockedVault } from '#core/ports.ts'
import { fakeClock } from '../../fakes/fakeClock.ts'
import { fakeLog } from '../../fakes/fakeLog.ts'
import { fakeVault } from '../../fakes/fakeVault.ts'

const KEY = 'abcdefgh-ijkl-wxyz'

function setUp(deps: Partial<KeyringDeps> = {}) {
  const vault = fakeVault()
  const log = fakeLog()
  const clock = fakeClock()
  const hidden: string[] = []
  const keyring = createKeyring({
    vault,
    clock,
    log,
    environmentKey: null,
    hide: (secret) => hidden.push(secret),
    ...deps,
  })
  return { keyring, vault, log, clock, hidden }
}

describe('where a key lives', () => {
  test('in the keychain where there is one', async () => {
    const { keyring, vault } = setUp()
    expect(await keyring.set('c1', 'metrics', KEY)).toEqual({ set: true, ending: 'wxyz', kept: 'keychain' })
    expect([...vault.secrets]).toEqual([['c1/metrics', KEY]])
    expect(await keyring.reveal('c1', 'metrics')).toBe(KEY)
    expect(await keyring.remove('c1', 'metrics')).toEqual({ set: false, ending: null, kept: null })
    expect(vault.secrets.size).toBe(0)
  })

  test('in memory for this run where there is none, and the status says why', async () => {
    const { keyring, vault, log } = setUp()
    vault.onProbe = () => Promise.reject(new Error('The keyring is locked.'))
    expect(await keyring.set('c1', 'metrics', KEY)).toMatchObject({ set: true, kept: 'run' })
    expect(await keyring.reveal('c1', 'metrics')).toBe(KEY)
    expect(vault.secrets.size).toBe(0)
    expect(await keyring.vaultStatus(false)).toEqual({
      available: false,
      name: 'Test keychain',
      message: 'The keyring is locked. Keys are kept for this run only.',
    })
    expect(log.lines).toEqual(['warn Test keychain: The keyring is locked.'])
  })

  test('a keychain that was unlocked is found by looking again', async () => {
    const { keyring, vault } = setUp()
    vault.secrets.set('c1/metrics', KEY)
    vault.onProbe = () => Promise.reject(new Error('locked'))
    expect(await keyring.status('c1', 'metrics')).toMatchObject({ set: false })
    vault.onProbe = async () => {}
    expect((await keyring.vaultStatus(false)).available).toBe(false)
    expect((await keyring.vaultStatus(true)).available).toBe(true)
    expect(await keyring.status('c1', 'metrics')).toMatchObject({ set: true, kept: 'keychain' })
  })

  test('a keychain that fails while saving costs nothing but its durability', async () => {
    const { keyring, vault } = setUp()
    vault.set = () => Promise.reject(new Error('no room'))
    expect(await keyring.set('c1', 'metrics', KEY)).toMatchObject({ set: true, kept: 'run' })
    expect((await keyring.vaultStatus(false)).message).toContain('no room')
  })

  test('a keychain that never answers is given up after three seconds', async () => {
    vi.useFakeTimers()
    try {
      const { keyring, vault } = setUp()
      vault.onProbe = () => new Promise(() => {})
      const status = keyring.vaultStatus(false)
      await vi.advanceTimersByTimeAsync(3000)
      expect(await status).toMatchObject({
        available: false,
        message: expect.stringContaining('waiting for you to unlock'),
      })
    } finally {
      vi.useRealTimers()
    }
  })
})

test('a locked keychain, which returns no key and no error, is not taken for an empty one', async () => {
  const { keyring, vault } = setUp({ mayHaveKey: (id) => id === 'c1' })
  let isOpen = false
  vault.checkReadable = () => (isOpen ? Promise.resolve() : Promise.reject(new LockedVault('The keyring is locked.')))
  const unreadable = { set: false, ending: null, kept: null, unreadable: 'The keyring is locked.' }
  expect(await keyring.status('c1', 'metrics')).toEqual(unreadable)
  expect(await keyring.remove('c1', 'metrics')).toEqual(unreadable)
  isOpen = true
  vault.secrets.set('c1/metrics', KEY)
  await keyring.vaultStatus(true)
  expect(await keyring.status('c1', 'metrics')).toEqual({ set: true, ending: 'wxyz', kept: 'keychain' })
})

test('a connection that never had a key does not ask the keychain to unlock', async () => {
  const { keyring, vault } = setUp({ mayHaveKey: () => false })
  vault.checkReadable = () => Promise.reject(new LockedVault('The keyring is locked.'))
  expect(await keyring.status('c1', 'metrics')).toEqual({ set: false, ending: null, kept: null })
})

describe('which key is used', () => {
  test('the portfolio service uses the metrics key until it has its own', async () => {
    const { keyring } = setUp()
    await keyring.set('c1', 'metrics', KEY)
    expect(await keyring.reveal('c1', 'portfolio')).toBe(KEY)
    expect(await keyring.status('c1', 'portfolio')).toMatchObject({ set: false })
    await keyring.set('c1', 'portfolio', 'its-own-key-1234')
    expect(await keyring.reveal('c1', 'portfolio')).toBe('its-own-key-1234')
    expect(await keyring.reveal('c2', 'metrics')).toBeNull()
  })

  test('the one of the environment steps in where there is none', async () => {
    const { keyring } = setUp({ environmentKey: 'environment-key-9999' })
    expect(await keyring.status('c1', 'metrics')).toEqual({ set: true, ending: '9999', kept: 'environment' })
    expect(await keyring.reveal('c1', 'portfolio')).toBe('environment-key-9999')
    await keyring.set('c1', 'metrics', KEY)
    expect(await keyring.reveal('c1', 'metrics')).toBe(KEY)
  })

  test('a portfolio service has its own in the environment, but not that of a connection that brings one', async () => {
    const { keyring } = setUp({ environmentKey: 'metrics-key-9999', environmentPortfolioKey: 'portfolio-key-7777' })
    expect(await keyring.status('c1', 'portfolio')).toEqual({ set: true, ending: '7777', kept: 'environment' })
    expect(await keyring.reveal('c1', 'portfolio')).toBe('portfolio-key-7777')
    expect(await keyring.reveal('c1', 'metrics')).toBe('metrics-key-9999')
    keyring.provide('sandbox', 'sandbox-tier-3')
    expect(await keyring.reveal('sandbox', 'portfolio')).toBe('sandbox-tier-3')
  })

  test('the one that came with the connection counts until the person sets another', async () => {
    const { keyring } = setUp({ environmentKey: 'environment-key-9999' })
    keyring.provide('sandbox', 'sandbox-tier-3')
    expect(await keyring.reveal('sandbox', 'metrics')).toBe('sandbox-tier-3')
    await keyring.set('sandbox', 'metrics', 'sandbox-tier-0')
    expect(await keyring.reveal('sandbox', 'metrics')).toBe('sandbox-tier-0')
    await keyring.remove('sandbox', 'metrics')
    expect(await keyring.reveal('sandbox', 'metrics')).toBe('sandbox-tier-3')
  })
})

describe('what is shown of a key', () => {
  test.each([
    ['short', null],
    ['elevenchars', null],
    ['twelve-chars', 'hars'],
  ])('of %s: %j', async (key, ending) => {
    const { keyring } = setUp()
    expect((await keyring.set('c1', 'metrics', key)).ending).toBe(ending)
  })

  test('every key is hidden from logs before anything else sees it', async () => {
    const { keyring, vault, hidden } = setUp({ environmentKey: 'environment-key-9999' })
    vault.secrets.set('c2/metrics', 'from-the-keychain')
    await keyring.set('c1', 'metrics', KEY)
    await keyring.status('c2', 'metrics')
    keyring.provide('sandbox', 'sandbox-tier-3')
    expect(hidden).toEqual(expect.arrayContaining(['environment-key-9999', KEY, 'from-the-keychain', 'sandbox-tier-3']))
  })
})

test('the keychain is not asked for every request, and is asked again after a change elsewhere', async () => {
  const { keyring, vault } = setUp()
  vault.secrets.set('c1/metrics', KEY)
  const get = vi.spyOn(vault, 'get')
  await keyring.reveal('c1', 'metrics')
  await keyring.reveal('c1', 'metrics')
  expect(get).toHaveBeenCalledTimes(1)
  vault.secrets.set('c1/metrics', 'set-by-another-process')
  keyring.forget()
  expect(await keyring.reveal('c1', 'metrics')).toBe('set-by-another-process')
})

test('the round trip leaves nothing behind', async () => {
  const { keyring, vault } = setUp()
  expect(await keyring.roundTrip()).toMatchObject({ available: true })
  expect(vault.secrets.size).toBe(0)
  vault.get = async () => 'something else'
  expect(await keyring.roundTrip()).toMatchObject({ available: false })
})
