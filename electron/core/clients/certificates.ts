/** Extends what this process trusts by certificate files, and explains the certificate of a server that is not trusted. */
import { X509Certificate } from 'node:crypto'
import type { Socket } from 'node:net'
import type { DetailedPeerCertificate } from 'node:tls'
import { AppError } from '#shared/contract/errors.ts'
import { isLoopback } from '#shared/contract/loopback.ts'
import type { ProxySettings } from '#core/ports.ts'
import { readSmallFile } from '#core/smallFile.ts'
import { proxyAddress } from './httpRequest.ts'

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

/** Facts about a certificate that a server showed, to explain why it is not trusted. */
export interface CertificateFacts {
  /** Name of the authority at the top of the chain: the one that would have to be trusted. */
  issuer: string
  /** Names that the certificate is for. */
  names: string
  validFrom: string
  validTo: string
}

const TIMEOUT_MS = 5000
/** A certificate is a stranger's text: only its beginning is shown. */
const MOST_CHARACTERS = 120

/** Explains an untrusted certificate as the end of a sentence on a request. */
export function untrustedText(code: string, { issuer, names, validFrom, validTo }: CertificateFacts): string {
  if (code === 'CERT_HAS_EXPIRED') return `its certificate from “${issuer}” expired on ${validTo}`
  if (code === 'CERT_NOT_YET_VALID')
    return `its certificate from “${issuer}” is valid from ${validFrom}; check the clock of this machine`
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return `its certificate from “${issuer}” is for other names (${names || 'none'})`
  return (
    `its certificate was issued by “${issuer}”, which this machine does not trust; ` +
    'if that is your organization, name its certificate file under Settings → Network or with --ca-file'
  )
}

/**
 * Looks at the certificate of a server that is not trusted, over a connection that sends nothing; null where it cannot be
 * seen. The error of the connection that failed does not have it.
 */
export async function certificateFacts(
  url: URL,
  proxy: ProxySettings | null,
  signal: AbortSignal,
): Promise<CertificateFacts | null> {
  const within = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)])
  const tunnel = proxyFor(url, proxy)
  try {
    return factsOf(await peerCertificate(url, tunnel ? await openTunnel(url, new URL(tunnel), within) : null, within))
  } catch {
    return null
  }
}

function peerCertificate(url: URL, socket: Socket | null, signal: AbortSignal): Promise<DetailedPeerCertificate> {
  const { promise, resolve, reject } = Promise.withResolvers<DetailedPeerCertificate>()
  const host = url.hostname.replace(/^\[|\]$/g, '')
  // An import of the modules for HTTP and TLS would delay every start, so they are loaded when they are needed.
  const line = process.getBuiltinModule('node:tls').connect({
    ...(socket ? { socket } : { host, port: Number(url.port || 443) }),
    ...(/^[\d.]+$|:/.test(host) ? {} : { servername: host }),
    // Nothing is sent on this connection, so no certificate needs to be trusted.
    rejectUnauthorized: false,
  })
  signal.addEventListener('abort', () => line.destroy(signal.reason as Error), { once: true })
  line.once('secureConnect', () => {
    resolve(line.getPeerCertificate(true))
    line.destroy()
  })
  line.once('error', reject)
  line.once('close', () => reject(new Error('closed')))
  return promise
}

function openTunnel(url: URL, proxy: URL, signal: AbortSignal): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>()
  const target = `${url.hostname}:${url.port || 443}`
  const { username, password } = proxy
  const credentials = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64')
  const isSecure = proxy.protocol === 'https:'
  const request = process.getBuiltinModule(isSecure ? 'node:https' : 'node:http').request({
    host: proxy.hostname,
    port: proxy.port || (isSecure ? 443 : 80),
    method: 'CONNECT',
    path: target,
    headers: { host: target, ...(username && { 'proxy-authorization': `Basic ${credentials}` }) },
    signal,
  })
  request.once('connect', ({ statusCode }, socket) => {
    if (statusCode === 200) return resolve(socket)
    socket.destroy()
    reject(new Error(`the proxy answered ${statusCode}`))
  })
  request.once('error', reject)
  request.end()
  return promise
}

/** Returns the proxy's address for a secure address; null for a direct connection. */
export function proxyFor({ hostname, port }: URL, proxy: ProxySettings | null): string | null {
  if (!proxy || proxy.https === '' || isLoopback(hostname)) return null
  const isExcepted = proxy.except
    .split(/[\s,]+/)
    .filter(Boolean)
    .some((entry) => {
      const [, host, only = ''] = /^(?:\*?\.)?(.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? []
      if (only && only !== (port || '443')) return false
      return host === '*' || hostname === host || hostname.endsWith(`.${host}`)
    })
  return isExcepted ? null : proxyAddress(proxy.https)
}

function factsOf(certificate: DetailedPeerCertificate): CertificateFacts {
  let top = certificate
  for (let depth = 0; depth < 10 && top.issuerCertificate && top.issuerCertificate !== top; depth++)
    top = top.issuerCertificate
  const { CN, O, OU } = top.issuer
  return {
    issuer: shown([CN, O, OU].flat().find(Boolean) ?? 'an unnamed authority'),
    names: shown((certificate.subjectaltname ?? '').replaceAll(/(DNS|IP Address):/g, '')),
    validFrom: dayOf(certificate.valid_from),
    validTo: dayOf(certificate.valid_to),
  }
}

const shown = (text: string) => (text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text)

function dayOf(text: string): string {
  const timeMs = Date.parse(text)
  return Number.isNaN(timeMs) ? shown(text) : new Date(timeMs).toISOString().slice(0, 10)
}
