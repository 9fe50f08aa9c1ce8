import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { defaultSettings } from '#shared/contract/defaultSettings.ts'
import type { Settings } from '#shared/contract/areas/settings.ts'
import { AppError } from '#shared/contract/errors.ts'
import { policyPlace, readPolicy, withPolicy, withPolicyAddresses } from '#core/policy.ts'
import { createRoute } from '#core/route.ts'
import { temporaryFolder } from '../fakes/temporaryFolder.ts'

/** Owner of the policy files in these tests, where root owns those of a real machine. */
const owner = process.getuid?.() ?? 0

function policyFile(text: string): string {
  const folder = join(temporaryFolder(), 'perpscope')
  mkdirSync(folder, { mode: 0o755 })
  const file = join(folder, 'policy.json')
  writeFileSync(file, text, { mode: 0o644 })
  return file
}

const rules = {
  metricsUrl: 'https://metrics.corp.example',
  proxy: 'http://proxy.corp.example:3128',
  extraCaFile: '/etc/ssl/corp.pem',
  forbidUpdates: true,
}

function refusal(work: () => unknown): AppError {
  try {
    work()
  } catch (thrown) {
    if (thrown instanceof AppError) return thrown
    throw thrown
  }
  throw new Error('It was not refused.')
}

describe('a policy file', () => {
  test('that is not there sets nothing', () => {
    expect(readPolicy({ file: join(temporaryFolder(), 'perpscope', 'policy.json'), owner })).toBeNull()
  })

  test('is read with its rules', () => {
    const file = policyFile(JSON.stringify(rules))
    expect(readPolicy({ file, owner })).toEqual({ file, rules })
  })

  test.each([
    ['is not JSON', '{"proxy":', 'it is not JSON'],
    ['is a list', '[]', 'cannot be used'],
    ['misspells a prohibition', '{"forbidUpdate": true}', 'forbidUpdate'],
    ['has a prohibition of another kind', '{"forbidUpdates": "yes"}', 'forbidUpdates'],
    ['names a proxy with a password', '{"proxy": "http://me:secret@proxy:1"}', 'proxy must not contain a user name'],
    ['names plain http of another machine', '{"metricsUrl": "http://metrics.corp.example"}', 'metricsUrl must be'],
    ['names a certificate file by a relative path', '{"extraCaFile": "corp.pem"}', 'must be a full path'],
    ['is enormous', JSON.stringify({ proxyExcept: 'x'.repeat(100_000) }), 'more than 65536 bytes'],
  ])('that %s is refused with the reason', (_what, text, reason) => {
    const file = policyFile(text)
    const error = refusal(() => readPolicy({ file, owner }))
    expect(error).toMatchObject({ code: 'policy', detail: expect.stringContaining(reason) })
    expect(error.detail).toContain(`${file} cannot be used`)
    expect(error.message).not.toContain('secret')
  })

  test.skipIf(process.platform === 'win32')('that others could have written is refused', () => {
    const file = policyFile('{}')
    expect(refusal(() => readPolicy({ file, owner: owner + 1 })).detail).toContain(
      'does not belong to the administrator',
    )
    chmodSync(file, 0o666)
    expect(refusal(() => readPolicy({ file, owner })).detail).toContain('other users can write to')
    chmodSync(file, 0o644)
    chmodSync(join(file, '..'), 0o775)
    expect(refusal(() => readPolicy({ file, owner })).detail).toContain('other users can write to')
  })

  test.skipIf(process.platform === 'win32')('that is a pipe is refused at once', () => {
    const file = policyFile('')
    execFileSync('rm', [file])
    execFileSync('mkfifo', [file])
    expect(refusal(() => readPolicy({ file, owner })).detail).toContain('it is not a file')
  })

  test('stands where the environment cannot move it', () => {
    expect(['linux', 'darwin', 'win32'].map((platform) => policyPlace(platform as NodeJS.Platform))).toEqual([
      '/etc/perpscope/policy.json',
      '/Library/Application Support/Perpscope/policy.json',
      'C:\\Program Files\\Perpscope\\policy.json',
    ])
  })
})

describe('under a policy', () => {
  const policy = { file: '/etc/perpscope/policy.json', rules }

  function openSettings(stored: Partial<Settings>) {
    let settings: Settings = { ...defaultSettings, ...stored }
    const change = (patch: Partial<Settings>) => (settings = { ...settings, ...patch })
    return { store: withPolicy({ read: () => settings, change }, policy), stored: () => settings }
  }

  test('the settings that it sets are in force and cannot be changed; the others can', () => {
    const own = { proxy: 'http://mine:1', proxyExcept: '*', updateFeed: 'https://feed.example' }
    const { store, stored } = openSettings(own)
    const fixed = { proxy: rules.proxy, proxyExcept: '', extraCaFile: rules.extraCaFile, updateFeed: '' }
    expect(store.read()).toMatchObject(fixed)
    for (const patch of [{ proxy: '' }, { proxyExcept: 'a' }, { extraCaFile: '' }, { updateFeed: 'https://a.example' }])
      expect(refusal(() => store.change(patch))).toMatchObject({ code: 'policy' })
    expect(store.change({ zoom: 1.5, proxy: rules.proxy })).toMatchObject({ ...fixed, zoom: 1.5 })
    expect(stored()).toMatchObject(own)
  })

  test('a connection gets its addresses, and no others', () => {
    expect(withPolicyAddresses({ metricsUrl: '', portfolioUrl: '' }, policy)).toEqual({
      metricsUrl: rules.metricsUrl,
      portfolioUrl: '',
    })
    expect(withPolicyAddresses({ metricsUrl: `${rules.metricsUrl}/` }, policy)).toEqual({
      metricsUrl: `${rules.metricsUrl}/`,
    })
    expect(refusal(() => withPolicyAddresses({ metricsUrl: 'https://other.example' }, policy)).detail).toBe(
      '/etc/perpscope/policy.json allows only https://metrics.corp.example as the metrics service, not https://other.example.',
    )
  })

  test('options of a run that contradict it are refused', () => {
    const settings = () => openSettings({}).store.read()
    expect(createRoute({ settings, policy })()).toEqual({
      proxy: { http: rules.proxy, https: rules.proxy, except: '' },
      caFiles: [rules.extraCaFile],
    })
    expect(refusal(() => createRoute({ settings, policy, route: { proxy: 'direct' } })).detail).toContain(
      'sets the proxy',
    )
    expect(refusal(() => createRoute({ settings, policy, route: { caFile: '/mine.pem' } })).detail).toContain(
      'sets the certificate file',
    )
  })
})
