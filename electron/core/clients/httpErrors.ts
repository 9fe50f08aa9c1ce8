import { setTimeout as sleep } from 'node:timers/promises'
import { AppError, toAppError, type ErrorCode, type ServiceReply } from '#shared/contract/errors.ts'
import { withPlanOffer } from '#shared/contract/planOffer.ts'
import type { ResponseHeaders } from './httpRequest.ts'
import { type CertificateFacts, untrustedText } from './certificates.ts'
import { redactAddress } from './redact.ts'

/** A failed request, with the delay until the service accepts the next one. */
export class RequestError extends AppError {
  readonly retryAfterMs: number | null
  /** Headers and start of the body of a response that refused the request, without secrets; null for other failures. */
  readonly refusal: { bodyStart: string; headers: ResponseHeaders } | null

  constructor(
    code: ErrorCode,
    detail: string,
    options: {
      service?: ServiceReply
      cause?: unknown
      retryAfterMs?: number | null
      refusal?: { bodyStart: string; headers: ResponseHeaders }
    } = {},
  ) {
    super(code, detail, options)
    this.retryAfterMs = options.retryAfterMs ?? null
    this.refusal = options.refusal ?? null
  }
}

/** No connection could be established, so the next request would fail the same way. */
export class UnreachableError extends RequestError {
  /** Origin of the server; empty until the sender of the request fills it in. */
  origin = ''

  constructor(detail: string, options: { cause?: unknown } = {}) {
    super('network', detail, options)
  }
}

/**
 * Throws if a key or password has a character that no header may have; keys from the environment were not checked before.
 * @param name subject of the message, such as `The API key`
 */
export function requireValidKey(key: string, name: string): void {
  if (!/[^\x20-\x7e]/.test(key)) return
  const reason = 'has a line break or another character that is not printable ASCII'
  throw new AppError('invalid-key', `${name} ${reason}, so nothing was sent.`)
}

/** A response arrived so slowly that it was given up, because it would hold a place that others can use. */
export class SlowError extends RequestError {
  constructor(detail: string) {
    super('timeout', detail)
  }
}

/** A link returned by a service failed. This says nothing about the service, because links may point anywhere. */
export class LinkError extends RequestError {}

const unansweredCodes: readonly ErrorCode[] = [
  'offline',
  'network',
  'timeout',
  'service',
  'rate-limited',
  'disconnected',
]

/**
 * Tells whether a request got no usable response because the app is offline or the service is unreachable, failing or
 * overloaded; then cached data is used instead.
 */
export const isUnanswered = (error: AppError) => unansweredCodes.includes(error.code)

export function codeOfStatus(status: number): ErrorCode {
  if (status === 401) return 'unauthorized'
  if (status === 403) return 'forbidden'
  if (status === 404 || status === 410) return 'not-found'
  if (status === 408) return 'timeout'
  if (status === 429) return 'rate-limited'
  if (status >= 500) return 'service'
  return status >= 400 ? 'rejected' : 'bad-answer'
}

const unreachablePatterns: readonly [pattern: RegExp, message: string][] = [
  [/^UND_ERR_CONNECT_TIMEOUT$|^ETIMEDOUT$/, 'the connection timed out'],
  [/^ECONNREFUSED$/, 'connection refused'],
  [/^ENOTFOUND$/, 'unknown host name'],
  [/^EAI_AGAIN$/, 'host names cannot be looked up; this machine may be offline'],
  [/^(ENETUNREACH|EHOSTUNREACH|ENETDOWN|EADDRNOTAVAIL)$/, 'the network is unreachable'],
]

export const INSIDE_ADDRESS_MESSAGE =
  'a public service returned a link to an address inside this network; allow private storage for the connection if you trust the service'

const untrustedCodePattern =
  /^(CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|INVALID_CA|PATH_LENGTH|HOSTNAME_MISMATCH|ERR_TLS_CERT)/

const meanings: readonly [pattern: RegExp, code: ErrorCode, message: string][] = [
  [/^ERR_INSIDE_ADDRESS$/, 'bad-answer', INSIDE_ADDRESS_MESSAGE],
  [/^UND_ERR_HEADERS_TIMEOUT$/, 'timeout', 'there was no response in time'],
  [/^UND_ERR_BODY_TIMEOUT$/, 'timeout', 'the response stalled'],
  [/^(ECONNRESET|EPIPE|UND_ERR_SOCKET|UND_ERR_CLOSED|UND_ERR_DESTROYED)$/, 'network', 'the connection was interrupted'],
  [untrustedCodePattern, 'network', 'its certificate is not trusted'],
  [/^(EPROTO|ERR_SSL_|ERR_TLS_)/, 'network', 'no secure connection could be established'],
  [/^UND_ERR_PRX_TLS$/, 'network', 'the proxy could not be reached securely'],
  [
    /^(HPE_|HTTPParserError|UND_ERR_HEADERS_OVERFLOW|UND_ERR_RES_|Z_|ERR__)/,
    'bad-answer',
    'it is not a valid HTTP response',
  ],
]

/** Tells whether a connection failed because the certificate of its server is not trusted. */
export const isUntrusted = (thrown: unknown) => causes(thrown).some(({ code }) => untrustedCodePattern.test(code))

/** Tells whether trusting more authorities could let a failed connection succeed. */
export const lacksIssuer = (thrown: unknown) =>
  causes(thrown).some(({ code }) => /^(DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_)/.test(code))

/** Status of a proxy that refused to forward a request, in the messages of undici. */
const proxyStatusPattern = /Proxy (?:response|Authentication Required) \((\d+)\)/i

/** Facts about the connection of a failed request. */
interface FailedRoute {
  /** Certificate of the server; null if it is trusted. */
  certificate: CertificateFacts | null
  /** Address of the proxy, which was the only server connected to; null for a direct connection. */
  proxy: string | null
}

/**
 * Turns a transport failure into an error.
 * @param requestText method and redacted address of the request
 */
export function transportError(
  thrown: unknown,
  requestText: string,
  signal: AbortSignal,
  { certificate, proxy }: FailedRoute = { certificate: null, proxy: null },
): AppError {
  if (thrown instanceof AppError) return thrown
  if (signal.aborted) return new AppError('cancelled')
  const chain = causes(thrown)
  const proxyStatus = chain.map(({ message }) => proxyStatusPattern.exec(message)?.[1]).find(Boolean)
  if (proxyStatus) {
    const message =
      proxyStatus === '407' ? 'the proxy requires a user name and password' : `the proxy answered ${proxyStatus}`
    return new RequestError('network', `${requestText}: ${message}`, { cause: thrown })
  }
  for (const { code } of chain) {
    const unreachable = unreachablePatterns.find(([pattern]) => pattern.test(code))
    if (certificate && untrustedCodePattern.test(code))
      return new RequestError('network', `${requestText}: ${untrustedText(code, certificate)} (${code})`, {
        cause: thrown,
      })
    if (unreachable) {
      const whose = proxy === null ? '' : `the proxy ${redactAddress(proxy)} could not be reached: `
      return new UnreachableError(`${requestText}: ${whose}${unreachable[1]} (${code})`, { cause: thrown })
    }
    const meaning = meanings.find(([pattern]) => pattern.test(code))
    if (meaning) return new RequestError(meaning[1], `${requestText}: ${meaning[2]} (${code})`, { cause: thrown })
  }
  return new RequestError('network', `${requestText}: the connection failed`, { cause: thrown })
}

function causes(thrown: unknown): { code: string; message: string }[] {
  const found: { code: string; message: string }[] = []
  for (let each = thrown; each instanceof Error && found.length < 6; each = each.cause) {
    found.push({ code: 'code' in each && each.code ? String(each.code) : each.name, message: each.message })
  }
  return found
}

/** Time over which the rate of a response is measured; only the time spent waiting for the server counts. */
const RATE_WINDOW_MS = 30_000
/** Longest wait that counts: silence ends a response sooner, so a longer one means that the clock was set ahead. */
const LONGEST_WAIT_FOR_PIECE_MS = 60_000
/** Bytes that must arrive within that time; even a bad phone connection transfers far more. */
const LEAST_BYTES = 4096

/**
 * Creates a function to call with each piece of a response and the time that was waited for it. It returns the bytes
 * that arrived within the window if they are too few, and otherwise null.
 */
export function createLeastRate(): (waitedMs: number, bytes: number) => number | null {
  let [windowMs, windowBytes] = [0, 0]
  return (waitedMs, bytes) => {
    if (waitedMs > 0 && waitedMs <= LONGEST_WAIT_FOR_PIECE_MS) windowMs += waitedMs
    windowBytes += bytes
    if (windowMs < RATE_WINDOW_MS) return null
    const received = windowBytes
    windowMs = windowBytes = 0
    return received < LEAST_BYTES ? received : null
  }
}

const FIRST_DELAY_MS = 500
const LONGEST_DELAY_MS = 60_000
/** Longest `Retry-After` that is respected; a longer one is cut to this. */
const LONGEST_REQUESTED_MS = 15 * 60_000

const retryableCodes = new Set<ErrorCode>(['network', 'timeout', 'rate-limited', 'service'])

export const isWorthRetrying = (error: AppError) => retryableCodes.has(error.code)

/**
 * Computes the delay before the next attempt: the one that the service asked for, else a random one whose upper bound
 * doubles with each failure.
 * @param failures number of consecutive attempts without progress, at least 1
 * @param requestedMs delay that the service asked for; null if it asked for none
 * @param random a number in [0, 1)
 */
export function retryDelayMs(failures: number, requestedMs: number | null, random: number): number {
  if (requestedMs !== null) return Math.min(requestedMs, LONGEST_REQUESTED_MS)
  const ceiling = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** (failures - 1))
  return Math.round(ceiling / 2 + (ceiling / 2) * random)
}

const MOST_ATTEMPTS = 3
/** Longest wait between attempts, because a person waits for the answer. */
const LONGEST_WAIT_MS = 5000

/** Repeats a request that fails inside the service, as listings do now and then; any other failure is thrown at once. */
export async function withRetries<Answer>(
  request: () => Promise<Answer>,
  signal: AbortSignal,
  wait: (ms: number) => Promise<unknown> = (ms) => sleep(ms, undefined, { signal }),
): Promise<Answer> {
  for (let failures = 1; ; failures++) {
    try {
      return await request()
    } catch (thrown) {
      const error = toAppError(thrown)
      if (error.code !== 'service' || failures >= MOST_ATTEMPTS) throw thrown
      const requestedMs = error instanceof RequestError ? error.retryAfterMs : null
      await wait(Math.min(LONGEST_WAIT_MS, retryDelayMs(failures, requestedMs, Math.random())))
    }
  }
}

/** Parses `Retry-After` (seconds or an HTTP date) to milliseconds from now; null if it is absent or malformed. */
export function parseRetryAfter(header: string | null, nowMs: number): number | null {
  if (header === null) return null
  const text = header.trim()
  if (/^\d{1,9}(\.\d+)?$/.test(text)) return Math.round(Number(text) * 1000)
  const dateMs = /[a-z]{3}/i.test(text) ? Date.parse(text) : NaN
  return Number.isNaN(dateMs) ? null : Math.max(0, dateMs - nowMs)
}

/** Returns the `code` in the body with which a service refused a request; null if it sent none. */
export function refusalCode(error: AppError): string | null {
  if (!(error instanceof RequestError) || error.refusal === null) return null
  try {
    return codeIn(JSON.parse(error.refusal.bodyStart))
  } catch {
    return null
  }
}

function codeIn(value: unknown): string | null {
  if (typeof value !== 'object' || value === null) return null
  const { code, error, detail } = value as Record<string, unknown>
  return typeof code === 'string' ? code : (codeIn(error) ?? codeIn(detail))
}

const MAX_REPLY_LENGTH = 2000
/** Number of entries of a list or an object that are quoted. */
const MAX_REPLY_ENTRIES = 50

/**
 * Extracts a service's error message from a body in any format: JSON of several kinds, XML, HTML or text; null if there
 * is none.
 */
export function replyOfBody(body: string): string | null {
  const value = parsedJson(body)
  return value === undefined ? shortened(fromMarkup(body)) : quoted(value)
}

/**
 * Extracts the error message of a document that a service sent as if it were the requested one; null if it has none.
 */
export function errorInDocument(value: unknown): string | null {
  const hasError = typeof value === 'object' && value !== null && 'error' in value
  return hasError ? quoted(value) : null
}

/** Quotes a document: its texts, cut if they are long, then the address of the plans that it offers. */
function quoted(value: unknown): string | null {
  const message = shortened(replyText(value))
  const address = upgradeAddress(value)
  return address === null ? message : withPlanOffer(message ?? '', address)
}

function shortened(message: string): string | null {
  const short = message.replace(/\s+/g, ' ').trim()
  if (short === '') return null
  return short.length > MAX_REPLY_LENGTH ? `${short.slice(0, MAX_REPLY_LENGTH)}…` : short
}

/** Parses JSON; undefined if a body is none. */
function parsedJson(body: string): unknown {
  try {
    return JSON.parse(body) as unknown
  } catch {
    return undefined
  }
}

/** Describes what a service calls `details`: a list of texts or places with messages, or an object of any fields. */
function detailsText(value: unknown): string {
  const text = replyText(value)
  if (text !== '' || typeof value !== 'object' || value === null || Array.isArray(value)) return text
  const entries = Object.entries(value).slice(0, MAX_REPLY_ENTRIES)
  return entries.map(([name, entry]) => `${name}: ${detailsText(entry) || JSON.stringify(entry)}`).join('; ')
}

const replyFields = ['error', 'message', 'detail', 'description', 'title', 'msg']

/** Finds the address at which a service offers a plan that has what was refused; null if it names none. */
function upgradeAddress(value: unknown): string | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null
  const fieldByName = new Map(Object.entries(value))
  const named: unknown = fieldByName.get('upgrade_url')
  if (typeof named === 'string' && URL.canParse(named)) {
    // Its query is left out, because queries are hidden like those of signed links, and half an address leads elsewhere.
    const { protocol, origin, pathname } = new URL(named)
    if (/^https?:$/.test(protocol)) return `${origin}${pathname}`
  }
  const nested = [...replyFields, 'details'].map((name) => upgradeAddress(fieldByName.get(name)))
  return nested.find((address) => address !== null) ?? null
}

function replyText(value: unknown): string {
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return value.slice(0, MAX_REPLY_ENTRIES).map(replyText).filter(Boolean).join('; ')
  if (typeof value !== 'object' || value === null) return ''
  const fieldByName = new Map(Object.entries(value))
  const texts = replyFields.map((name) => replyText(fieldByName.get(name)))
  const found = [...texts, detailsText(fieldByName.get('details'))].filter(Boolean)
  const place = fieldByName.get('loc')
  const where = Array.isArray(place) ? `${place.join('.')}: ` : ''
  const code = fieldByName.get('code')
  const suffix = found.length > 0 && (typeof code === 'string' || typeof code === 'number') ? ` (${code})` : ''
  return `${where}${[...new Set(found)].join(': ')}${suffix}`
}

/**
 * Number of characters of markup to search: a message is near the start of a page, and the searches below take
 * quadratic time.
 */
const MAX_MARKUP_LENGTH = 8000

function fromMarkup(page: string): string {
  const body = page.slice(0, MAX_MARKUP_LENGTH)
  const message = /<message>([^<]*)<\/message>/i.exec(body)?.[1]
  if (message !== undefined) {
    const code = /<code>([^<]*)<\/code>/i.exec(body)?.[1]
    return code ? `${message} (${code})` : message
  }
  if (!/^\s*</.test(body)) return body
  const title = /<title[^>]*>([^<]*)<\/title>/i.exec(body)?.[1]
  return title ?? body.replace(/<(script|style)[\s\S]*?<\/\1>/gi, ' ').replace(/<[^>]*>/g, ' ')
}

const requestIdHeaders = ['x-request-id', 'x-amzn-requestid', 'x-amz-request-id', 'x-correlation-id', 'cf-ray']

export function requestIdOf(headers: ResponseHeaders): string | null {
  const id = requestIdHeaders.map((name) => headers.get(name)).find((value) => value !== null)
  return id?.slice(0, 100) ?? null
}
