import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Plugin } from 'vite'
import { billOfMaterials } from './billOfMaterials.ts'
import { packageFolderOf, readIntegrities, readPackage, type PackageFacts } from './packageFacts.ts'

/** Beside the page: what the About screen shows. */
export const LICENCES_FILE = 'licences.js'
/** Below the folder of the build. */
export const BILL_FILE = join('resources', 'sbom.cdx.json')

interface Output {
  type: 'chunk' | 'asset'
  moduleIds?: string[]
  imports?: string[]
  dynamicImports?: string[]
  originalFileNames?: string[]
}

/**
 * Notes, while the parts of the program are built, which packages went into them, and writes licences and bill of materials
 * with the last part. What was not seen in a part cannot be missing from the list, because the parts themselves make it.
 */
export function shippedPackages(root: string): { record: () => Plugin; write: () => Plugin } {
  const folders = new Set<string>()

  function note(path: string): void {
    const folder = packageFolderOf(path)
    if (folder && existsSync(join(folder, 'package.json'))) folders.add(folder)
  }

  function noteBundle(bundle: Record<string, Output>, importsOf: (path: string) => readonly string[]): void {
    for (const output of Object.values(bundle)) {
      for (const path of output.moduleIds ?? []) {
        note(path)
        // A package that only hands on others leaves no code of its own, yet is what the sources name.
        if (!packageFolderOf(path)) for (const imported of importsOf(path)) note(imported)
      }
      // Fonts and pictures are found from the folder of the page.
      for (const path of output.originalFileNames ?? [])
        note(path.replace(/^(\.\.\/)+node_modules\//, `${root}/node_modules/`))
      // Packages that stay outside of the bundle are shipped beside it.
      for (const name of [...(output.imports ?? []), ...(output.dynamicImports ?? [])])
        if (!name.startsWith('.') && !(name in bundle)) note(`${root}/node_modules/${name}`)
    }
  }

  const record = (): Plugin => ({
    name: 'perpscope:record-packages',
    apply: 'build',
    generateBundle(_options, bundle) {
      noteBundle(bundle as Record<string, Output>, (path) => this.getModuleInfo(path)?.importedIds ?? [])
    },
  })

  const write = (): Plugin => ({
    name: 'perpscope:write-packages',
    apply: 'build',
    generateBundle(options, bundle) {
      noteBundle(bundle as Record<string, Output>, (path) => this.getModuleInfo(path)?.importedIds ?? [])
      const integrityOf = readIntegrities(root)
      const packages = [...folders]
        .map((folder) => readPackage(folder, integrityOf))
        .sort((a, b) => a.name.localeCompare(b.name, 'en') || a.version.localeCompare(b.version, 'en'))
      const unnamed = packages.filter(({ licence }) => !licence)
      if (unnamed.length > 0) this.error(`Without a licence: ${unnamed.map(({ name }) => name).join(', ')}`)
      this.emitFile({ type: 'asset', fileName: LICENCES_FILE, source: licencesModule(packages) })
      writeBill(join(options.dir ?? '', '..', BILL_FILE), root, packages)
    },
  })

  return { record, write }
}

/** A module, because a page may load nothing but scripts of its own. */
const licencesModule = (packages: PackageFacts[]) =>
  `export const packages = ${JSON.stringify(packages.map(({ name, version, licence, licenceText }) => ({ name, version, licence, licenceText })))}\n`

function writeBill(file: string, root: string, packages: PackageFacts[]): void {
  const app = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Record<
    'name' | 'version' | 'license',
    string
  >
  mkdirSync(join(file, '..'), { recursive: true })
  writeFileSync(file, `${JSON.stringify(billOfMaterials({ ...app, licence: app.license }, packages), null, 2)}\n`)
}
