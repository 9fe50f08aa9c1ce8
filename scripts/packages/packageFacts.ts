import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/** A package of other people that is part of the built program. */
export interface PackageFacts {
  name: string
  version: string
  /** SPDX identifier or expression. */
  licence: string
  /** In full, as the package brings it; empty where it brings none. */
  licenceText: string
  homepage: string
  /** The checksum of package-lock.json, `sha512-…` in base64; empty where the lock file has none. */
  integrity: string
}

interface PackageDescription {
  name: string
  version: string
  license?: string | { type: string }
  homepage?: string
}

/** The folder of a package in `node_modules` that this path lies in, the innermost; null where it lies in none. */
export function packageFolderOf(path: string): string | null {
  return (
    /^(.*\/node_modules\/(?:@[^/]+\/)?[^/?]+)/.exec(path.replaceAll('\\', '/').replace(/^\0[^/]*/, ''))?.[1] ?? null
  )
}

/** @param integrityOf by the folder as package-lock.json writes it, `node_modules/…` */
export function readPackage(folder: string, integrityOf: (place: string) => string): PackageFacts {
  const description = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as PackageDescription
  const { name, version, license, homepage = '' } = description
  const licence = (typeof license === 'object' ? license.type : license) ?? ''
  const place = folder.slice(folder.indexOf('node_modules/'))
  return { name, version, licence, licenceText: licenceTextOf(folder), homepage, integrity: integrityOf(place) }
}

function licenceTextOf(folder: string): string {
  const names = readdirSync(folder).filter((name) => /^(licen[cs]e|copying|notice)(\.|-|$)/i.test(name))
  return names
    .sort()
    .map((name) => readFileSync(join(folder, name), 'utf8').trim())
    .join('\n\n')
}

/** Reads the checksums of package-lock.json, by place. */
export function readIntegrities(root: string): (place: string) => string {
  const file = join(root, 'package-lock.json')
  if (!existsSync(file)) return () => ''
  const { packages } = JSON.parse(readFileSync(file, 'utf8')) as { packages: Record<string, { integrity?: string }> }
  return (place) => packages[place]?.integrity ?? ''
}
