import { AppError } from '#shared/contract/errors.ts'

/** Takes secrets out of text before it is logged, shown, saved or sent anywhere. */
export interface Redactor {
  /** From now on this value is taken out wherever it stands. */
  hide(secret: string): void
  text(text: string): string
  /** The same error without secrets. */
  error(error: AppError): AppError
}

const HIDDEN = '[hidden]'
/** Shorter values occur by chance; taking them out would only make nonsense of the text. */
const SHORTEST_SECRET = 6

/** The services' own query parameters. A query with any other may be a signature and is taken out whole. */
const plainParameters = new Set(
  'timestamp interval exchange symbol start_date end_date portfolio smoothing as_of id tickers universe_size size overlay ticker'.split(
    ' ',
  ),
)

export function createRedactor(): Redactor {
  const secrets = new Set<string>()

  function text(original: string): string {
    let redacted = original
    for (const secret of secrets) redacted = redacted.replaceAll(secret, HIDDEN)
    return redactPatterns(redacted)
  }

  return {
    hide(secret) {
      if (secret.length < SHORTEST_SECRET) return
      secrets.add(secret)
      secrets.add(encodeURIComponent(secret))
      secrets.add(JSON.stringify(secret).slice(1, -1))
    },
    text,
    error({ code, detail, service, cause }) {
      return new AppError(code, detail === null ? null : text(detail), {
        cause,
        ...(service && { service: { ...service, message: service.message === null ? null : text(service.message) } }),
      })
    },
  }
}

/**
 * Redacts what is recognisable without knowing the secrets: key headers, user names in addresses, signed queries,
 * tokens.
 */
export function redactPatterns(text: string): string {
  return text
    .replace(
      /(x-api-key|proxy-authorization|authorization)(["']?\s*[:=]\s*["']?)[^\s"',}]+(?: [\w+/=.-]{8,})?/gi,
      `$1$2${HIDDEN}`,
    )
    .replace(/\b[a-z][a-z0-9+.-]*:\/\/[^\s"'<>\\]*[^\s"'<>\\.,:;)”]/gi, redactAddress)
    .replace(
      /\b(x-amz-[\w-]+|x-goog-[\w-]+|signature|sig|token|api[_-]?key|access_?key(?:_?id)?|policy)=[^\s"'<>&]+/gi,
      `$1=${HIDDEN}`,
    )
}

/** An address as it may be shown: no user name, no fragment, no query that could be a signature. */
export function redactAddress(address: string): string {
  const [, start, rest] = /^([a-z][a-z0-9+.-]*:\/\/)(.*)$/is.exec(address) ?? ['', '', address]
  const [beforeFragment] = rest.split('#', 1)
  const query = beforeFragment.indexOf('?')
  const place = query < 0 ? beforeFragment : beforeFragment.slice(0, query)
  const slash = place.indexOf('/')
  const host = slash < 0 ? place : place.slice(0, slash)
  const path = slash < 0 ? '' : place.slice(slash)
  const shownHost = host.includes('@') ? `…@${host.slice(host.lastIndexOf('@') + 1)}` : host
  return `${start}${shownHost}${path}${query < 0 ? '' : shownQuery(beforeFragment.slice(query + 1))}`
}

function shownQuery(query: string): string {
  const names = [...new URLSearchParams(query).keys()]
  return names.every((name) => plainParameters.has(name)) ? `?${query}` : '?…'
}
