import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { expect, it, vi } from 'vitest'
import { linkScheme } from '../../electron/main/openings.ts'

vi.mock('electron', () => import('../fakes/electron.ts'))

const require = createRequire(import.meta.url)
/** The builder's own YAML reader and schema. */
const builder = createRequire(createRequire(require.resolve('electron-builder')).resolve('app-builder-lib'))
const yaml = builder('js-yaml') as { load(text: string): unknown }
const schema = builder('app-builder-lib/scheme.json') as {
  definitions: Record<'Configuration' | 'ToolsetConfig', { properties: object }>
  properties: object
}

const at = (path: string) => new URL(`../../${path}`, import.meta.url)
const config = yaml.load(readFileSync(at('electron-builder.yml'), 'utf8')) as {
  afterPack: string
  fileAssociations: { ext: string; mimeType: string }[]
  protocols: { schemes: string[] }[]
  appId: string
  toolsets: { appimage: string }
  linux: { target: string[]; icon: string; executableName: string }
  deb: { maintainer: string; fpm: string[] }
  mac: { target: string[]; icon: string; hardenedRuntime: boolean; entitlements: string; entitlementsInherit: string }
  win: { target: string[]; icon: string }
  extraMetadata: { homepage: string }
  publish: unknown
  asar: boolean
  npmRebuild: boolean
}

it('leaves the fuses to the step that knows every one of them', () => {
  expect(config).not.toHaveProperty('electronFuses')
  expect(config.afterPack).toBe('scripts/packing/fuses.mjs')
})

it('packs an archive, so that the fuses about it mean something', () => {
  expect(config.asar).toBe(true)
})

it('claims the files and links that the app understands', () => {
  expect(config.fileAssociations.map(({ ext }) => ext)).toEqual(['perpscope'])
  expect(config.protocols.flatMap(({ schemes }) => schemes)).toEqual([linkScheme])
})

it('installs under the name that the running app gives itself', () => {
  const start = readFileSync(at('electron/main/startDesktop.ts'), 'utf8')
  expect(start).toContain(`setAppUserModelId('${config.appId}')`)
})

it('gives Linux one identity: the menu entry, its windows and the program have the same name', async () => {
  const { LinuxTargetHelper } = builder('app-builder-lib/out/targets/LinuxTargetHelper.js') as {
    LinuxTargetHelper: {
      prototype: { getDesktopFileName(): string; computeDesktopEntry(options: object): Promise<string> }
    }
  }
  const metadata = JSON.parse(readFileSync(at('package.json'), 'utf8')) as { desktopName: string; productName: string }
  const packager = {
    platformSpecificBuildOptions: config.linux,
    executableName: config.linux.executableName,
    appInfo: { productName: metadata.productName },
    fileAssociations: [],
    config: { protocols: [] },
    info: { metadata },
  }
  const helper = Object.assign(Object.create(LinuxTargetHelper.prototype) as typeof LinuxTargetHelper.prototype, {
    packager,
    getDescription: () => '',
  })
  const name = helper.getDesktopFileName()
  expect(name).toBe(config.linux.executableName)
  expect(metadata.desktopName).toBe(`${name}.desktop`)
  expect(await helper.computeDesktopEntry({ ...config.linux, category: 'Science' })).toMatch(
    new RegExp(`^StartupWMClass=${name}$`, 'm'),
  )
})

it('tells software centres of the program that the menu entry starts', () => {
  const path = `resources/linux/${config.appId}.metainfo.xml`
  expect(config.deb.fpm).toContain(`${path}=/usr/share/metainfo/${config.appId}.metainfo.xml`)
  const metainfo = readFileSync(at(path), 'utf8')
  const { desktopName, license } = JSON.parse(readFileSync(at('package.json'), 'utf8')) as Record<string, string>
  for (const fact of [
    `<id>${config.appId}</id>`,
    `<launchable type="desktop-id">${desktopName}</launchable>`,
    `<project_license>${license}</project_license>`,
    ...config.fileAssociations.map(({ mimeType }) => `<mediatype>${mimeType}</mediatype>`),
  ])
    expect(metainfo).toContain(fact)
})

it('packs an AppImage with the static runtime, which brings no --no-sandbox of its own', () => {
  const { properties } = schema.definitions.ToolsetConfig as {
    properties: Record<string, { anyOf: { enum: string[] }[] }>
  }
  const known = properties.appimage.anyOf.flatMap((each) => each.enum ?? [])
  expect(known).toContain(config.toolsets.appimage)
  expect(config.toolsets.appimage).not.toBe('0.0.0')
})

it('uses only settings that the builder knows', () => {
  const known = Object.keys(schema.properties)
  expect(Object.keys(config).filter((name) => !known.includes(name))).toEqual([])
})

it('makes installers for the three systems, with icons that exist', () => {
  expect(config.linux.target).toEqual(['AppImage', 'deb'])
  expect(config.mac.target).toEqual(['dmg', 'zip'])
  expect(config.win.target).toEqual(['nsis'])
  for (const { icon } of [config.linux, config.mac, config.win]) expect(existsSync(at(icon)), icon).toBe(true)
})

it('gives Debian what it demands, under names that nobody else can own', () => {
  expect(new URL(config.extraMetadata.homepage).hostname).toMatch(/\.invalid$/)
  expect(config.deb.maintainer).toMatch(/^[^<>]+ <[^@\s<>]+@[\w.]+\.invalid>$/)
})

it('installs the command beside the program and never in its place', () => {
  const [[from, to]] = config.deb.fpm.map((mapping) => mapping.split('='))
  expect([existsSync(at(from)), to]).toEqual([true, '/usr/bin/perpscope'])
  expect(config.linux.executableName).not.toBe('perpscope')
  expect(readFileSync(at(from), 'utf8')).toContain(`/opt/Perpscope/${config.linux.executableName}`)
})

it('hardens the runtime on macOS and loosens one thing: code that the JavaScript engine makes', () => {
  expect(config.mac).toMatchObject({ hardenedRuntime: true, entitlementsInherit: config.mac.entitlements })
  const text = readFileSync(at(config.mac.entitlements), 'utf8')
  expect([...text.matchAll(/<key>(.*?)<\/key>\s*<(\w+)\/>/g)].map(([, key, value]) => [key, value])).toEqual([
    ['com.apple.security.cs.allow-jit', 'true'],
  ])
})

it('publishes nowhere unless it is told where', () => expect(config.publish).toBeNull())
