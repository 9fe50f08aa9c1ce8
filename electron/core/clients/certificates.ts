/** Adds certificate files to what this process trusts, and explains why the certificate of a server is not trusted. */
import { X509Certificate } from 'node:crypto'
import type { Socket } from 'node:net'
import type { DetailedPeerCertificate } from 'node:tls'
import { AppError } from '#shared/contract/errors.ts'
import { isLoopback } from '#shared/contract/loopback.ts'
import type { ProxySettings } from '#core/ports.ts'
import { readSmallFile } from '#core/smallFile.ts'
import { proxyAddress } from './httpRequest.ts'

const pemBlock = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g

/** Reads the certificates of a PEM file; throws an AppError that names the file if it has none or one is damaged. */
function readCaFile(path: string): string[] {
  const certificates = textOf(path).match(pemBlock) ?? []
  if (certificates.length === 0)
    throw unusableFileError(path, 'it has no certificate in PEM form (“BEGIN CERTIFICATE”)')
  for (const [index, certificate] of certificates.entries()) {
    try {
      new X509Certificate(certificate)
    } catch (thrown) {
      throw unusableFileError(path, `certificate ${index + 1} in it is damaged`, thrown)
    }
  }
  return certificates
}

function textOf(path: string): string {
  try {
    return readSmallFile(path)
  } catch (thrown) {
    if (thrown instanceof AppError)
      throw unusableFileError(path, (thrown.detail ?? thrown.sentence).replace(/\.$/, ''), thrown)
    throw unusableFileError(path, (thrown as NodeJS.ErrnoException).code ?? 'it cannot be read', thrown)
  }
}

const unusableFileError = (path: string, reason: string, cause?: unknown) =>
  new AppError(
    'network',
    `The certificate file ${path} cannot be used: ${reason}. Correct it under Settings → Network, or where it was set (--ca-file, NODE_EXTRA_CA_CERTS).`,
    { cause },
  )

/**
 * JSON list of the certificate files that are trusted in addition to the system's certificates; null while only Node's
 * own certificates are trusted.
 */
let trustedFilesKey: string | null = null
let version = 0

/** Counts how often this process has changed which certificates it trusts. */
export const trustVersion = (): number => version

/**
 * Makes all later TLS connections of this process also trust the certificates of the system, of `NODE_EXTRA_CA_CERTS`
 * and of the given files. It is called only after a server's certificate was not trusted, because reading the system's
 * certificates takes up to half a second and most services do not need them. If a file cannot be used, an AppError is
 * thrown and nothing changes.
 * @returns the trust version, which is unchanged if the same files are trusted already
 */
export function extendTrust(files: readonly string[]): number {
  const key = JSON.stringify(files)
  if (key === trustedFilesKey) return version
  const ownCertificates = files.flatMap(readCaFile)
  const knownCertificates = (['bundled', 'extra', 'system'] as const).flatMap(certificatesOf)
  process
    .getBuiltinModule('node:tls')
    .setDefaultCACertificates([...new Set([...knownCertificates, ...ownCertificates])])
  trustedFilesKey = key
  return ++version
}

/** Replaces the trusted files if the setting has changed; does nothing until `extendTrust` has been needed once. */
export function refreshTrust(files: readonly string[]): void {
  if (trustedFilesKey !== null) extendTrust(files)
}

/** Reads the certificates of a store; an unreadable store of the system counts as empty. */
function certificatesOf(store: 'bundled' | 'extra' | 'system'): string[] {
  try {
    return process.getBuiltinModule('node:tls').getCACertificates(store)
  } catch {
    return []
  }
}

/** Facts about the certificate of a server, to explain why it is not trusted. */
export interface CertificateFacts {
  /** Name of the authority at the top of the chain: the one that would have to be trusted. */
  issuer: string
  /** Host names that the certificate is valid for. */
  names: string
  validFrom: string
  validTo: string
}

const TIMEOUT_MS = 5000
/** Maximum length of a text shown from a certificate, because anybody may have written it. */
const MOST_CHARACTERS = 120

/** Explains an untrusted certificate, worded as the end of a sentence about a request. */
export function untrustedText(code: string, { issuer, names, validFrom, validTo }: CertificateFacts): string {
  if (code === 'CERT_HAS_EXPIRED') return `its certificate from “${issuer}” expired on ${validTo}`
  if (code === 'CERT_NOT_YET_VALID')
    return `its certificate from “${issuer}” is valid from ${validFrom}; check the clock of this machine`
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return `its certificate from “${issuer}” is for other names (${names || 'none'})`
  return (
    `its certificate was issued by “${issuer}”, which this machine does not trust; ` +
    'if that is your organisation, choose its certificate file under Settings → Network or with --ca-file'
  )
}

/**
 * Reads the certificate of an untrusted server over a second connection that sends nothing, because the error of the
 * failed connection does not include the certificate; null if it cannot be read.
 */
export async function certificateFacts(
  url: URL,
  proxy: ProxySettings | null,
  signal: AbortSignal,
): Promise<CertificateFacts | null> {
  const signalWithTimeout = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)])
  const proxyUrl = proxyFor(url, proxy)
  try {
    const socket = proxyUrl ? await openTunnel(url, new URL(proxyUrl), signalWithTimeout) : null
    return factsOf(await peerCertificate(url, socket, signalWithTimeout))
  } catch {
    return null
  }
}

function peerCertificate(url: URL, socket: Socket | null, signal: AbortSignal): Promise<DetailedPeerCertificate> {
  const { promise, resolve, reject } = Promise.withResolvers<DetailedPeerCertificate>()
  const host = url.hostname.replace(/^\[|\]$/g, '')
  // The module is loaded only when needed, because loading the HTTP and TLS modules would slow every start.
  const connection = process.getBuiltinModule('node:tls').connect({
    ...(socket ? { socket } : { host, port: Number(url.port || 443) }),
    ...(/^[\d.]+$|:/.test(host) ? {} : { servername: host }),
    // The certificate need not be trusted, because nothing is sent over this connection.
    rejectUnauthorized: false,
  })
  signal.addEventListener('abort', () => connection.destroy(signal.reason as Error), { once: true })
  connection.once('secureConnect', () => {
    resolve(connection.getPeerCertificate(true))
    connection.destroy()
  })
  connection.once('error', reject)
  connection.once('close', () => reject(new Error('closed')))
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

/** Returns the proxy for an address; null for a direct connection. */
export function proxyFor({ protocol, hostname, port }: URL, proxy: ProxySettings | null): string | null {
  const address = (protocol === 'http:' ? proxy?.http : proxy?.https) ?? ''
  if (!proxy || address === '' || isLoopback(hostname)) return null
  const isExcepted = proxy.except
    .split(/[\s,]+/)
    .filter(Boolean)
    .some((entry) => {
      const [, host, onlyPort = ''] = /^(?:\*?\.)?(.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? []
      if (onlyPort && onlyPort !== (port || (protocol === 'http:' ? '80' : '443'))) return false
      return host === '*' || hostname === host || hostname.endsWith(`.${host}`)
    })
  return isExcepted ? null : proxyAddress(address)
}

function factsOf(certificate: DetailedPeerCertificate): CertificateFacts {
  let top = certificate
  for (let depth = 0; depth < 10 && top.issuerCertificate && top.issuerCertificate !== top; depth++)
    top = top.issuerCertificate
  const { CN, O, OU } = top.issuer
  return {
    issuer: cutText([CN, O, OU].flat().find(Boolean) ?? 'an unnamed authority'),
    names: cutText((certificate.subjectaltname ?? '').replaceAll(/(DNS|IP Address):/g, '')),
    validFrom: dayOf(certificate.valid_from),
    validTo: dayOf(certificate.valid_to),
  }
}

const cutText = (text: string) => (text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text)

function dayOf(text: string): string {
  const timeMs = Date.parse(text)
  return Number.isNaN(timeMs) ? cutText(text) : new Date(timeMs).toISOString().slice(0, 10)
}
