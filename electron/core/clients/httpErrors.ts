import { AppError, type ErrorCode, type ServiceReply } from '#shared/contract/errors.ts'

/** A failed request, with when the service wants to hear from us again. */
export class RequestError extends AppError {
  readonly retryAfterMs: number | null

  constructor(
    code: ErrorCode,
    detail: string,
    options: { service?: ServiceReply; cause?: unknown; retryAfterMs?: number | null } = {},
  ) {
    super(code, detail, options)
    this.retryAfterMs = options.retryAfterMs ?? null
  }
}

/** No connection came about at all: whoever asks next would only find out the same. */
export class OutOfReach extends RequestError {
  constructor(detail: string, options: { cause?: unknown } = {}) {
    super('network', detail, options)
  }
}

const unanswered: readonly ErrorCode[] = ['offline', 'network', 'timeout', 'service', 'rate-limited', 'disconnected']

/**
 * Whether it failed for want of a network or because of trouble at the service: then what is known here answers, and
 * nothing waits for a network that is not there.
 */
export const isUnanswered = (error: AppError) => unanswered.includes(error.code)

export function codeOfStatus(status: number): ErrorCode {
  if (status === 401) return 'unauthorized'
  if (status === 403) return 'forbidden'
  if (status === 404 || status === 410) return 'not-found'
  if (status === 408) return 'timeout'
  if (status === 429) return 'rate-limited'
  if (status >= 500) return 'service'
  return status >= 400 ? 'rejected' : 'bad-answer'
}

const outOfReach: readonly [pattern: RegExp, message: string][] = [
  [/^UND_ERR_CONNECT_TIMEOUT$|^ETIMEDOUT$/, 'no connection came about in time'],
  [/^ECONNREFUSED$/, 'nothing answers there, connection refused'],
  [/^ENOTFOUND$/, 'this host name is not known'],
  [/^EAI_AGAIN$/, 'host names cannot be looked up; this machine may be offline'],
  [/^(ENETUNREACH|EHOSTUNREACH|ENETDOWN|EADDRNOTAVAIL)$/, 'there is no way to this network'],
]

const meanings: readonly [pattern: RegExp, code: ErrorCode, message: string][] = [
  [/^UND_ERR_HEADERS_TIMEOUT$/, 'timeout', 'no answer came in time'],
  [/^UND_ERR_BODY_TIMEOUT$/, 'timeout', 'the answer stopped coming'],
  [/^(ECONNRESET|EPIPE|UND_ERR_SOCKET|UND_ERR_CLOSED|UND_ERR_DESTROYED)$/, 'network', 'the connection broke off'],
  [/^(CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|ERR_TLS_CERT)/, 'network', 'its certificate is not trusted'],
  [/^(EPROTO|ERR_SSL_|ERR_TLS_)/, 'network', 'no secure connection came about'],
  [/^UND_ERR_PRX_TLS$/, 'network', 'the proxy could not be reached securely'],
  [
    /^(HPE_|HTTPParserError|UND_ERR_HEADERS_OVERFLOW|UND_ERR_RES_|Z_|ERR__)/,
    'bad-answer',
    'it is not a proper HTTP answer',
  ],
]

/** What went wrong between us and the service. @param what the request in words, redacted */
export function transportError(thrown: unknown, what: string, signal: AbortSignal): AppError {
  if (thrown instanceof AppError) return thrown
  if (signal.aborted) return new AppError('cancelled')
  const chain = causes(thrown)
  const tunnel = chain.map(({ message }) => /Proxy response \((\d+)\)/i.exec(message)?.[1]).find(Boolean)
  if (tunnel) {
    const message = tunnel === '407' ? 'the proxy wants a user name and password' : `the proxy answered ${tunnel}`
    return new RequestError('network', `${what}: ${message}`, { cause: thrown })
  }
  for (const { code } of chain) {
    const lost = outOfReach.find(([pattern]) => pattern.test(code))
    if (lost) return new OutOfReach(`${what}: ${lost[1]} (${code})`, { cause: thrown })
    const meaning = meanings.find(([pattern]) => pattern.test(code))
    if (meaning) return new RequestError(meaning[1], `${what}: ${meaning[2]} (${code})`, { cause: thrown })
  }
  return new RequestError('network', `${what}: the connection failed`, { cause: thrown })
}

function causes(thrown: unknown): { code: string; message: string }[] {
  const found: { code: string; message: string }[] = []
  for (let each = thrown; each instanceof Error && found.length < 6; each = each.cause) {
    found.push({ code: 'code' in each && each.code ? String(each.code) : each.name, message: each.message })
  }
  return found
}
