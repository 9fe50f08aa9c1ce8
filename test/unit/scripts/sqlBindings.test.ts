import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { thinBinary } from '../../../scripts/packing/thinBinary.mjs'

interface Lock {
  packages: Record<
    string,
    { version?: string; optionalDependencies?: Record<string, string>; dev?: boolean } | undefined
  >
}

const { packages } = JSON.parse(readFileSync(new URL('../../../package-lock.json', import.meta.url), 'utf8')) as Lock

it.each(['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64', 'win32-x64'])(
  'the lock has the binding of the SQL engine for %s, in the version of the engine',
  (platform) => {
    const version = packages['node_modules/@duckdb/node-api']?.version
    const binding = packages[`node_modules/@duckdb/node-bindings-${platform}`]
    expect(binding).toMatchObject({ version, optional: true })
    expect(binding).not.toHaveProperty('dev')
  },
)

/**
 * Size in megabytes of the SQL binding in an installer of each platform, measured on the tarballs of this version: with
 * xz -9 for Linux (deb), with zip for AppImage, dmg and zip, and as the tarball for Windows, where 7z makes it smaller.
 * A new version must be measured again.
 */
const measured = {
  version: '1.5.5-r.5',
  xz: { 'linux-x64': 15.7, 'linux-arm64': 13.4, 'win32-x64': 13.5 },
  zip: { 'linux-x64': 23.2, 'linux-arm64': 20.9, 'darwin-x64': 19, 'darwin-arm64': 17 },
}

it('the binding of the SQL engine was measured in its version: at most 20 MB in xz and 7z, 30 MB in dmg, zip and AppImage', () => {
  expect(measured.version).toBe(packages['node_modules/@duckdb/node-api']?.version)
  expect(Math.max(...Object.values(measured.xz))).toBeLessThanOrEqual(20)
  expect(Math.max(...Object.values(measured.zip))).toBeLessThanOrEqual(30)
})

it('a library for both processors of macOS is packed for one of them', () => {
  const parts = { x64: [0x01000007, [1, 2, 3]], arm64: [0x0100000c, [4, 5]] } as const
  const bytes = new Uint8Array(64)
  const view = new DataView(bytes.buffer)
  view.setUint32(0, 0xcafebabe)
  view.setUint32(4, 2)
  Object.values(parts).forEach(([processor, content], entry) => {
    const offset = 48 + entry * 8
    ;[processor, 3, offset, content.length, 0].forEach((word, at) => view.setUint32(8 + entry * 20 + at * 4, word))
    bytes.set(content, offset)
  })
  expect([...thinBinary(bytes, 'x64')]).toEqual([1, 2, 3])
  expect([...thinBinary(bytes, 'arm64')]).toEqual([4, 5])
  expect(() => thinBinary(bytes, 'ia32')).toThrow(/no part for ia32/)
  expect(thinBinary(bytes.subarray(48), 'x64')).toHaveLength(16)
})
