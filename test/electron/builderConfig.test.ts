import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { expect, it, vi } from 'vitest'
import { linkScheme } from '../../electron/main/deepLink.ts'

vi.mock('electron', () => import('../fakes/electron.ts'))

const require = createRequire(import.meta.url)
/** The builder's own reader and its own list of what it understands. */
const builder = createRequire(createRequire(require.resolve('electron-builder')).resolve('app-builder-lib'))
const yaml = builder('js-yaml') as { load(text: string): unknown }
const schema = builder('app-builder-lib/scheme.json') as {
  definitions: Record<'FuseOptionsV1' | 'Configuration', { properties: object }>
  properties: object
}

const config = yaml.load(readFileSync(new URL('../../electron-builder.yml', import.meta.url), 'utf8')) as {
  electronFuses: Record<string, boolean>
  fileAssociations: { ext: string }[]
  protocols: { schemes: string[] }[]
  appId: string
  asar: boolean
  npmRebuild: boolean
}

const safeFuses = {
  runAsNode: false,
  enableCookieEncryption: true,
  enableNodeOptionsEnvironmentVariable: false,
  enableNodeCliInspectArguments: false,
  enableEmbeddedAsarIntegrityValidation: true,
  onlyLoadAppFromAsar: true,
  loadBrowserProcessSpecificV8Snapshot: false,
  grantFileProtocolExtraPrivileges: false,
  resetAdHocDarwinSignature: true,
}

it('writes every fuse that the builder knows, each with its safe value', () => {
  expect(config.electronFuses).toEqual(safeFuses)
  expect(Object.keys(config.electronFuses).sort()).toEqual(
    Object.keys(schema.definitions.FuseOptionsV1.properties).sort(),
  )
})

it('packs an archive, so that the fuses about it mean something', () => {
  expect(config.asar).toBe(true)
})

it('claims the files and links that the app understands', () => {
  expect(config.fileAssociations.map(({ ext }) => ext)).toEqual(['perpscope'])
  expect(config.protocols.flatMap(({ schemes }) => schemes)).toEqual([linkScheme])
})

it('installs under the name that the running app gives itself', () => {
  const start = readFileSync(new URL('../../electron/main/startDesktop.ts', import.meta.url), 'utf8')
  expect(start).toContain(`setAppUserModelId('${config.appId}')`)
})

it('uses only settings that the builder knows', () => {
  const known = Object.keys(schema.properties)
  expect(Object.keys(config).filter((name) => !known.includes(name))).toEqual([])
})
