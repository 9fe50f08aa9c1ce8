import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Plugin } from 'vite'

/** Name of the file with the licences that Settings → About shows; it is next to the page. */
export const LICENCES_FILE = 'licences.js'
/** Path of the bill of materials inside the build folder. */
export const BILL_OF_MATERIALS_FILE = join('resources', 'sbom.cdx.json')

/** Description of a third-party package that is part of the built program. */
export interface PackageFacts {
  name: string
  version: string
  /** SPDX identifier or expression. */
  licence: string
  /** Full licence text as the package contains it; empty if it contains none. */
  licenceText: string
  homepage: string
  /** Checksum from package-lock.json, `sha512-…` in base64; empty if the lock file has none. */
  integrity: string
}

interface PackageDescription {
  name: string
  version: string
  license?: string | { type: string }
  homepage?: string
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
}

/** Returns the innermost package folder in `node_modules` that contains this path, or null if there is none. */
export function packageFolderOf(path: string): string | null {
  return (
    /^(.*\/node_modules\/(?:@[^/]+\/)?[^/?]+)/.exec(path.replaceAll('\\', '/').replace(/^\0[^/]*/, ''))?.[1] ?? null
  )
}

/**
 * Reads the facts about an installed package.
 * @param integrityOf returns the checksum of the package that the lock file has at a path such as `node_modules/vue`
 */
export function readPackage(folder: string, integrityOf: (path: string) => string): PackageFacts {
  const description = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as PackageDescription
  const { name, version, license, homepage = '' } = description
  const licence = (typeof license === 'object' ? license.type : license) ?? ''
  const lockPath = folder.slice(folder.indexOf('node_modules/'))
  return { name, version, licence, licenceText: licenceTextOf(folder), homepage, integrity: integrityOf(lockPath) }
}

function licenceTextOf(folder: string): string {
  const names = readdirSync(folder).filter((name) => /^(licen[cs]e|copying|notice)(\.|-|$)/i.test(name))
  return names
    .sort()
    .map((name) => readFileSync(join(folder, name), 'utf8').trim())
    .join('\n\n')
}

/** Reads package-lock.json; returns a function that returns the checksum of a package by its path in that file. */
export function readIntegrities(root: string): (path: string) => string {
  const file = join(root, 'package-lock.json')
  if (!existsSync(file)) return () => ''
  const { packages } = JSON.parse(readFileSync(file, 'utf8')) as { packages: Record<string, { integrity?: string }> }
  return (path) => packages[path]?.integrity ?? ''
}

/**
 * Builds a CycloneDX document that lists the program's packages. It has no timestamp or random number, so equal sources
 * give equal documents.
 */
export function billOfMaterials(app: { name: string; version: string; licence: string }, packages: PackageFacts[]) {
  const appComponent = { ...component(app), type: 'application' }
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: appComponent },
    components: packages.map((each) => ({
      ...component(each),
      ...(each.integrity.startsWith('sha512-') && {
        hashes: [{ alg: 'SHA-512', content: Buffer.from(each.integrity.slice(7), 'base64').toString('hex') }],
      }),
    })),
    dependencies: [{ ref: appComponent['bom-ref'], dependsOn: packages.map(purlOf) }],
  }
}

function component({ name, version, licence }: { name: string; version: string; licence: string }) {
  const purl = purlOf({ name, version })
  return {
    type: 'library',
    'bom-ref': purl,
    name,
    version,
    purl,
    // CycloneDX allows an SPDX expression in place of a list of licences, and a plain SPDX identifier is such an
    // expression.
    ...(licence && { licenses: [{ expression: licence }] }),
  }
}

const purlOf = ({ name, version }: { name: string; version: string }) =>
  `pkg:npm/${name.replace('@', '%40')}@${version}`

interface BundleOutput {
  type: 'chunk' | 'asset'
  moduleIds?: string[]
  imports?: string[]
  dynamicImports?: string[]
  originalFileNames?: string[]
}

type ImportsOf = (path: string) => readonly string[]

/** Collects the folders of all packages that are shipped in the bundles or next to them. */
function createPackageCollector(root: string) {
  const folders = new Set<string>()

  function add(path: string): void {
    const folder = packageFolderOf(path)
    if (folder && existsSync(join(folder, 'package.json'))) folders.add(folder)
  }

  /**
   * Adds a package that is shipped unbundled, and the installed packages of the same npm scope that it depends on.
   */
  function addExternal(name: string): void {
    const folder = packageFolderOf(`${root}/node_modules/${name}`)
    if (!folder || folders.has(folder)) return
    add(folder)
    if (!folders.has(folder)) return
    const { dependencies = {}, optionalDependencies = {} } = JSON.parse(
      readFileSync(join(folder, 'package.json'), 'utf8'),
    ) as PackageDescription
    const [scope] = /^@[^/]+\//.exec(name) ?? [null]
    if (scope === null) return
    for (const dependency of Object.keys({ ...dependencies, ...optionalDependencies })) {
      if (dependency.startsWith(scope)) addExternal(dependency)
    }
  }

  function addBundle(bundle: Record<string, BundleOutput>, importsOf: ImportsOf): void {
    for (const output of Object.values(bundle)) {
      for (const path of output.moduleIds ?? []) {
        add(path)
        // A package that only re-exports others leaves no code in the bundle, so packages that our sources import are
        // added too.
        if (!packageFolderOf(path)) for (const importedPath of importsOf(path)) add(importedPath)
      }
      // Paths of fonts and images are relative to the page's folder.
      for (const path of output.originalFileNames ?? [])
        add(path.replace(/^(\.\.\/)+node_modules\//, `${root}/node_modules/`))
      // External packages are shipped next to the bundle.
      for (const name of [...(output.imports ?? []), ...(output.dynamicImports ?? [])])
        if (!name.startsWith('.') && !(name in bundle)) addExternal(name)
    }
  }

  return { folders, addBundle }
}

/**
 * Returns two functions that create build plugins. The plugin of `record` collects the packages of a bundle. The plugin
 * of `write`, for the last bundle, also writes the licences and the bill of materials. The list is complete, because it
 * is read from the bundles themselves.
 */
export function shippedPackages(root: string): { record: () => Plugin; write: () => Plugin } {
  const { folders, addBundle } = createPackageCollector(root)

  const record = (): Plugin => ({
    name: 'perpscope:record-packages',
    apply: 'build',
    generateBundle(_options, bundle) {
      addBundle(bundle as Record<string, BundleOutput>, (path) => this.getModuleInfo(path)?.importedIds ?? [])
    },
  })

  const write = (): Plugin => ({
    name: 'perpscope:write-packages',
    apply: 'build',
    generateBundle(options, bundle) {
      addBundle(bundle as Record<string, BundleOutput>, (path) => this.getModuleInfo(path)?.importedIds ?? [])
      const integrityOf = readIntegrities(root)
      const packages = [...folders]
        .map((folder) => readPackage(folder, integrityOf))
        .sort((a, b) => a.name.localeCompare(b.name, 'en') || a.version.localeCompare(b.version, 'en'))
      const unlicensed = packages.filter(({ licence }) => !licence)
      if (unlicensed.length > 0)
        this.error(`Packages without a license: ${unlicensed.map(({ name }) => name).join(', ')}`)
      this.emitFile({ type: 'asset', fileName: LICENCES_FILE, source: licencesModule(packages) })
      writeBillOfMaterials(join(options.dir ?? '', '..', BILL_OF_MATERIALS_FILE), root, packages)
    },
  })

  return { record, write }
}

/**
 * Builds the text of the licences file: a JavaScript module, because the page's content security policy lets it load
 * nothing but its own scripts.
 */
const licencesModule = (packages: PackageFacts[]) =>
  `export const packages = ${JSON.stringify(packages.map(({ name, version, licence, licenceText }) => ({ name, version, licence, licenceText })))}\n`

function writeBillOfMaterials(file: string, root: string, packages: PackageFacts[]): void {
  const app = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Record<
    'name' | 'version' | 'license',
    string
  >
  mkdirSync(join(file, '..'), { recursive: true })
  writeFileSync(file, `${JSON.stringify(billOfMaterials({ ...app, licence: app.license }, packages), null, 2)}\n`)
}
