import { X509Certificate } from 'node:crypto'
import { AppError } from '#shared/contract/errors.ts'
import { readSmallFile } from '#core/smallFile.ts'

const pemBlock = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g

/** Reads the certificates of a PEM file; throws an AppError that names the file where it has none that can be used. */
export function readCaFile(path: string): string[] {
  const certificates = textOf(path).match(pemBlock) ?? []
  if (certificates.length === 0) throw unusable(path, 'it has no certificate in PEM form (“BEGIN CERTIFICATE”)')
  for (const [index, certificate] of certificates.entries()) {
    try {
      new X509Certificate(certificate)
    } catch (thrown) {
      throw unusable(path, `certificate ${index + 1} in it is damaged`, thrown)
    }
  }
  return certificates
}

function textOf(path: string): string {
  try {
    return readSmallFile(path)
  } catch (thrown) {
    if (thrown instanceof AppError) throw unusable(path, (thrown.detail ?? thrown.sentence).replace(/\.$/, ''), thrown)
    throw unusable(path, (thrown as NodeJS.ErrnoException).code ?? 'it cannot be read', thrown)
  }
}

const unusable = (path: string, reason: string, cause?: unknown) =>
  new AppError(
    'network',
    `The certificate file ${path} cannot be used: ${reason}. Correct it under Settings → Network, or where it is named (--ca-file, NODE_EXTRA_CA_CERTS).`,
    { cause },
  )

/** The files that this process trusts besides the system; null while it trusts the certificates of Node alone. */
let trustedFiles: string | null = null
let version = 0

/** Number of times that this process has changed what it trusts. */
export const trustVersion = (): number => version

/**
 * Lets every later TLS connection of this process trust the certificates of the system, of `NODE_EXTRA_CA_CERTS` and of the
 * given files too. Called when a certificate is not trusted, because reading those of the system takes up to half a second
 * that most services do not need. Throws an AppError where a file cannot be used, and changes nothing then.
 * @returns the version of the trust from now on
 */
export function extendTrust(files: readonly string[]): number {
  const key = JSON.stringify(files)
  if (key === trustedFiles) return version
  const own = files.flatMap(readCaFile)
  const known = (['bundled', 'extra', 'system'] as const).flatMap(certificatesOf)
  process.getBuiltinModule('node:tls').setDefaultCACertificates([...new Set([...known, ...own])])
  trustedFiles = key
  return ++version
}

/** Ends the trust in the files of an earlier setting. */
export function refreshTrust(files: readonly string[]): void {
  if (trustedFiles !== null) extendTrust(files)
}

/** A store of the system that cannot be read leaves the certificates of Node and of the files. */
function certificatesOf(store: 'bundled' | 'extra' | 'system'): string[] {
  try {
    return process.getBuiltinModule('node:tls').getCACertificates(store)
  } catch {
    return []
  }
}
