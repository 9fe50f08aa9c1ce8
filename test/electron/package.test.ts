import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { promisify } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { FuseState, FuseV1Options, getCurrentFuseWire } from '@electron/fuses'
import { findProgram } from '../../scripts/project.mjs'
import { asar, packApp, packDebian, root, type PackedApp } from '../fakes/packedApp.ts'
import { temporaryFolder } from '../fakes/temporaryFolder.ts'

const CANARY = 'CANARY-of-the-packing-machine'
const cannotPack = process.platform === 'darwin'

let packed: PackedApp
beforeAll(async () => {
  if (!cannotPack) packed = await packApp({ PERPSCOPE_API_KEY: CANARY, CSC_LINK: '', GH_TOKEN: CANARY })
}, 120_000)
afterAll(() => packed?.close())

const filesBelow = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => name.split(sep).join('/'))
    .filter((name) => statSync(join(folder, name)).isFile())

/** Lists the packages that a source imports for values, not only for types. */
const importsOf = (source: string) =>
  [...source.matchAll(/^(?:import|export) (?!type ).*?from '((?:@[^/']+\/)?[^./#'][^/':]*)[^':]*'$/gm)].map(
    ([, name]) => name,
  )
const onlyForDevelopment = ['vite']
/** Tells whether a file belongs to DuckDB, which is packed only for this operating system. */
const isEngineOfSql = (name: string) => name.includes('node_modules/@duckdb/')

describe('the packed app', () => {
  beforeEach((context) => {
    if (cannotPack) context.skip('a bundle for macOS needs Apple’s own tools around the stand-in for Electron')
  })

  it('holds the built program, its description and the native packages, nothing else', () => {
    const top = asar
      .listPackage(packed.archive, { isPack: false })
      .map((path) => path.split(/[/\\]/).slice(1))
      .map((parts) => parts.slice(0, parts[0] === 'node_modules' ? 2 : 1).join('/'))
    const packages = ['node_modules', 'node_modules/better-sqlite3', 'node_modules/keytar', 'node_modules/@duckdb']
    const expected = ['out', 'package.json', ...packages]
    expect(expected).toEqual(expect.arrayContaining([...new Set(top)]))
    expect([...new Set(top)]).toEqual(expect.arrayContaining(['out', 'package.json', 'node_modules/better-sqlite3']))
    const kinds = new Set(filesBelow(packed.content).map((name) => name.replace(/^.*(\.\w+)$/, '$1')))
    const harmless = [
      '.so',
      '.dll',
      '.dylib',
      '.js',
      '.cjs',
      '.css',
      '.html',
      '.json',
      '.node',
      '.woff2',
      '.md',
      '.png',
      '.svg',
      '.wasm',
      '.webp',
    ]
    expect([...kinds].filter((kind) => !harmless.includes(kind) && !kind.endsWith('LICENSE'))).toEqual([])
  })

  it('lists the licence and the checksum of every package that is in it', async () => {
    const { packages } = (await import(join(packed.content, 'out', 'renderer', 'licences.js'))) as {
      packages: { name: string; licence: string }[]
    }
    const bill = JSON.parse(readFileSync(join(packed.content, 'out', 'resources', 'sbom.cdx.json'), 'utf8')) as {
      components: { name: string; hashes?: unknown[] }[]
    }
    const named = packages.map(({ name }) => name)
    expect(bill.components.map(({ name }) => name)).toEqual(named)
    expect(packages.filter(({ licence }) => !licence)).toEqual([])
    expect(named).not.toEqual(expect.arrayContaining([expect.stringMatching(/^(echarts|zrender|lightweight-charts)$/)]))
    expect(bill.components.filter(({ hashes }) => !hashes)).toEqual([])
    // The packages are found independently: by the imports of the sources, and by the folders of packages.
    const imported = ['shared', 'electron', 'renderer/shell', 'renderer/stores', 'renderer/tables'].flatMap((folder) =>
      filesBelow(join(root, folder)).flatMap((name) => importsOf(readFileSync(join(root, folder, name), 'utf8'))),
    )
    const folders = readdirSync(join(packed.content, 'node_modules')).flatMap((name) =>
      name.startsWith('@')
        ? readdirSync(join(packed.content, 'node_modules', name)).map((one) => `${name}/${one}`)
        : [name],
    )
    const presentPackages = new Set([...imported, ...folders])
    expect([...presentPackages]).toEqual(expect.arrayContaining(['vue', 'ws', 'hyparquet', 'better-sqlite3']))
    expect([...presentPackages].filter((name) => !named.includes(name) && !onlyForDevelopment.includes(name))).toEqual(
      [],
    )
  })

  it('names no package that is only there for building and testing', () => {
    const description = JSON.parse(readFileSync(join(packed.content, 'package.json'), 'utf8')) as Record<
      string,
      unknown
    >
    expect(description).toMatchObject({ name: 'perpscope', main: 'out/main/index.js' })
    expect(description).not.toHaveProperty('devDependencies')
    expect(description).not.toHaveProperty('scripts')
  })

  it('holds no source map, no path of the machine that packed it, no secret of its environment, no key', () => {
    const suspicious = [CANARY, root.replace(/[/\\]$/, ''), 'BEGIN PRIVATE KEY', 'sourceMappingURL=data']
    const places = [packed.content, join(packed.folder, 'resources', 'bin')]
    for (const place of places) {
      for (const name of filesBelow(place)) {
        const content = readFileSync(join(place, name))
        // DuckDB contains OpenSSL, and OpenSSL contains the first line of a key file.
        const words = isEngineOfSql(name) ? suspicious.filter((one) => one !== 'BEGIN PRIVATE KEY') : suspicious
        expect(
          words.filter((word) => content.includes(word)),
          name,
        ).toEqual([])
        expect(name).not.toMatch(/\.(map|ts|vue|pem|p12|env|parquet|sqlite)$|(^|\/)(test|\.env|\.npmrc)(\/|$)/)
      }
    }
  })

  it('has the native parts of this system only, outside of the archive, where the system can load them', () => {
    const unpacked = filesBelow(`${packed.archive}.unpacked`).filter((name) => name.endsWith('.node'))
    const kinds = unpacked.map((name) => name.split('/').at(-1))
    expect(kinds).toContain(`${process.platform}-${process.arch}.node`)
    expect(kinds.filter((name) => name !== 'keytar.node' && name !== 'duckdb.node')).toHaveLength(1)
    expect(unpacked.filter((name) => name.includes('@duckdb/'))).toHaveLength(1)
    if (existsSync(join(root, 'node_modules', 'keytar', 'build'))) expect(kinds).toContain('keytar.node')
  })

  it('is small: what a person downloads beside Electron itself', () => {
    const sizeOf = (names: readonly string[]) =>
      names.reduce((sum, name) => sum + statSync(join(packed.content, name)).size, 0)
    const [engine, own] = [true, false].map((which) =>
      filesBelow(packed.content).filter((name) => isEngineOfSql(name) === which),
    )
    expect(sizeOf(own)).toBeLessThan(14_000_000)
    // DuckDB's binding is large, but an installer compresses it to about a quarter.
    expect(sizeOf(engine)).toBeLessThan(75_000_000)
  })

  it('has every fuse set as it should be in the program itself', async () => {
    const { version: _version, resetAdHocDarwinSignature: _reset, ...wire } = await getCurrentFuseWire(packed.program)
    const turnedOn = Object.entries(wire).filter(([, state]) => state === FuseState.ENABLE)
    const turnedOff = Object.entries(wire).filter(([, state]) => state === FuseState.DISABLE)
    const names = (entries: [string, unknown][]) => entries.map(([fuse]) => FuseV1Options[Number(fuse)])
    expect(names(turnedOn)).toEqual([
      'EnableCookieEncryption',
      'EnableEmbeddedAsarIntegrityValidation',
      'OnlyLoadAppFromAsar',
      'WasmTrapHandlers',
    ])
    expect(names(turnedOff)).toEqual([
      'RunAsNode',
      'EnableNodeOptionsEnvironmentVariable',
      'EnableNodeCliInspectArguments',
      'LoadBrowserProcessSpecificV8Snapshot',
      'GrantFileProtocolExtraPrivileges',
    ])
  })

  it('brings the words of one language of the engine, and the command’s launcher', () => {
    expect(readdirSync(join(packed.folder, 'locales'))).toEqual(['en-US.pak'])
    expect(readdirSync(join(packed.folder, 'resources', 'bin')).sort()).toEqual(['perpscope', 'perpscope.cmd'])
  })

  it('makes a Debian package with a manual page, changelog, copyright and menu entry, in which lintian, desktop-file-validate and appstreamcli find nothing', async ({
    skip,
  }) => {
    skip(!findProgram(['dpkg-deb']), 'dpkg-deb is not installed')
    const run = promisify(execFile)
    const path = await packDebian(packed)
    const content = join(packed.content, '..', 'debian')
    await run('dpkg-deb', ['--extract', path, content])
    const doc = join(content, 'usr/share/doc/perpscope')
    expect(readdirSync(doc).sort()).toEqual(['changelog.gz', 'copyright'])
    const page = gunzipSync(readFileSync(join(content, 'usr/share/man/man1/perpscope.1.gz'))).toString()
    expect(page).toMatch(/^\.TH PERPSCOPE 1 /)
    // What is not installed here is left out; CI has all three.
    const checks: [string, string[]][] = [
      ['desktop-file-validate', [join(content, 'usr/share/applications/perpscope-desktop.desktop')]],
      [
        'appstreamcli',
        ['validate', '--no-net', join(content, 'usr/share/metainfo/org.perpscope.desktop.metainfo.xml')],
      ],
      ['lintian', ['--allow-root', '--fail-on', 'error,warning', path]],
    ]
    for (const [program, args] of checks)
      if (findProgram([program])) await run(program, args)
      else console.log(`${program} is not installed`)
  }, 300_000)

  it('serves the app from the archive’s content alone, and reads its sandbox', async () => {
    const cli = join(packed.content, 'out', 'main', 'cli.js')
    expect(relative(root, cli).startsWith('..')).toBe(true)
    const dataDir = temporaryFolder()
    const served = spawn(process.execPath, [cli, 'serve', '--json', '--data-dir', dataDir])
    try {
      const [line] = (await once(served.stdout, 'data')) as [Buffer]
      const { url } = JSON.parse(line.toString()) as { url: string }
      const page = await fetch(url.split('#')[0])
      expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('<title>Perpscope</title>')])
    } finally {
      served.kill()
      await once(served, 'exit')
    }
    const { stdout } = await promisify(execFile)(process.execPath, [cli, 'catalog', '--json', '--data-dir', dataDir])
    expect(stdout).toContain('"ohlcv"')
  })

  it('runs a command where it is started as the command line, without a window', async () => {
    const runner = join(root, 'test', 'fakes', 'commandOnFakeElectron.mjs')
    const main = join(packed.content, 'out', 'main', 'index.js')
    const runMain = (...args: string[]) => promisify(execFile)(process.execPath, [runner, main, ...args])
    const { stdout } = await runMain('--ozone-platform=headless', '--disable-gpu', '--cli', '--', '--version')
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
    await expect(runMain('--cli', '--', 'nonsense')).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringContaining('nonsense') as string,
    })
  })
})
