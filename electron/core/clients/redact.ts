/** Removes the API key and other secrets from text before it is logged, shown, saved or sent. */
import { setImmediate } from 'node:timers/promises'
import { AppError } from '#shared/contract/errors.ts'
import { createSecretFinder } from './secretForms.ts'

export interface Redactor {
  /** Adds a secret, which is removed wherever it occurs from now on. */
  hide(secret: string): void
  text(text: string): string
  /** Removes the known secrets only, so that the rest of an address stays as it was sent. */
  hideIn(text: string): string
  /** Tells whether the text contains a secret in any form. */
  contains(text: string): boolean
  /** Creates a search for secrets in a body that arrives in parts. */
  search(): SecretSearch
  /** Tells whether a large body contains a secret; works in slices so that other work can run in between. */
  containsIn(bytes: Uint8Array): Promise<boolean>
  /**
   * Decodes the start of a body, without secrets.
   * @param isCut true if the body goes on; the last characters may then be half of a secret and are dropped
   */
  startOf(bytes: Uint8Array, isCut: boolean): string
  /** Returns a copy without secrets in its names and texts; a number that contains a secret becomes null. */
  value(value: unknown): unknown
  /** Returns the error without secrets. */
  error(error: AppError): AppError
}

interface SecretSearch {
  add(bytes: Uint8Array): void
  hasFound(): boolean
}

export const HIDDEN = '[hidden]'
/** Tells whether a name from a service may be used: it is well-formed Unicode and did not contain a secret. */
export const isUsableName = (name: string): boolean => name.isWellFormed() && !name.includes(HIDDEN)

/** Length below which a secret is not removed, because so short a text also occurs by chance. */
const SHORTEST_SECRET = 6

/**
 * Parameters of requests to the services, none of which contains a secret. A query with any other parameter may be a
 * signature and is removed entirely.
 */
const plainParameters = new Set(
  'timestamp interval exchange symbol start_date end_date portfolio smoothing as_of id tickers universe_size size overlay ticker'.split(
    ' ',
  ),
)

/** Bytes of a body that are searched without a pause. */
const SLICE_BYTES = 512 * 1024

/** Creates a redactor of its own; its secrets are also removed from whatever this process logs. */
export function createRedactor(): Redactor {
  const redactor = newRedactor()
  return {
    ...redactor,
    hide(secret) {
      redactor.hide(secret)
      processRedactor.hide(secret)
    },
  }
}

function newRedactor(): Redactor {
  const secrets = new Set<string>()
  const finder = createSecretFinder(secrets)
  /** Forms of the secrets that are also replaced verbatim, because punctuation in a key might look like an escape. */
  const literals = new Set<string>()

  const hasLiteral = (text: string | Buffer) => [...literals].some((literal) => text.includes(literal))
  const contains = (text: string) => secrets.size > 0 && (hasLiteral(text) || finder.contains(text))

  function withoutSecrets(original: string): string {
    if (secrets.size === 0) return original
    let text = original
    for (const literal of literals) text = text.replaceAll(literal, HIDDEN)
    if (!finder.contains(text)) return text
    let redacted = ''
    let from = 0
    for (const [start, end] of finder.rangesIn(text)) {
      redacted += text.slice(from, start) + HIDDEN
      from = end
    }
    return redacted + text.slice(from)
  }

  function search(): SecretSearch {
    /** End of what was searched, where a secret may begin that goes on in the next part. */
    let end = Buffer.alloc(0)
    let isFound = false
    return {
      add(bytes) {
        if (isFound || secrets.size === 0) return
        const part = Buffer.concat([end, bytes])
        isFound = hasLiteral(part) || finder.containsIn(part)
        end = part.subarray(Math.max(0, part.length - finder.longestFormLength()))
      },
      hasFound: () => isFound,
    }
  }

  const text = (original: string) => redactPatterns(withoutSecrets(original))

  function value(original: unknown): unknown {
    if (typeof original === 'string') return withoutSecrets(original)
    if (typeof original === 'number') return contains(String(original)) ? null : original
    if (typeof original !== 'object' || original === null || ArrayBuffer.isView(original)) return original
    if (Array.isArray(original)) return original.map(value)
    return Object.fromEntries(Object.entries(original).map(([name, entry]) => [withoutSecrets(name), value(entry)]))
  }

  return {
    hide(secret) {
      if (secret.length < SHORTEST_SECRET) return
      secrets.add(secret)
      for (const form of [secret, encodeURIComponent(secret.toWellFormed()), JSON.stringify(secret).slice(1, -1)])
        literals.add(form)
    },
    text,
    hideIn: withoutSecrets,
    contains,
    search,
    async containsIn(bytes) {
      const found = search()
      for (let start = 0; start < bytes.length && !found.hasFound(); start += SLICE_BYTES) {
        if (start > 0) await setImmediate()
        found.add(bytes.subarray(start, start + SLICE_BYTES))
      }
      return found.hasFound()
    },
    startOf(bytes, isCut) {
      const redacted = text(new TextDecoder().decode(bytes))
      return isCut ? redacted.slice(0, Math.max(0, redacted.length - finder.longestFormLength())) : redacted
    },
    value,
    error({ code, detail, service, field, cause }) {
      const textOrNull = (original: string | null) => (original === null ? null : text(original))
      return new AppError(code, textOrNull(detail), {
        cause,
        field: field === undefined ? undefined : text(field),
        ...(service && {
          service: { ...service, message: textOrNull(service.message), requestId: textOrNull(service.requestId) },
        }),
      })
    },
  }
}

/** Knows the secrets of all redactors of this process, for logs that are written outside of the core. */
const processRedactor = newRedactor()

/** Removes every secret that this process knows, and what `redactPatterns` recognises. */
export const redactKnown = (text: string): string => processRedactor.text(text)

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
    .replace(/[a-z][a-z0-9+.-]{0,20}:\/\/[^\s"'<>\\]*[^\s"'<>\\.,:;)”]/gi, redactAddress)
    .replace(
      /\b(x-amz-[\w-]{1,60}|x-goog-[\w-]{1,60}|signature|sig|token|api[_-]?key|access_?key(?:_?id)?|policy)=[^\s"'<>&]+/gi,
      `$1=${HIDDEN}`,
    )
}

/** Makes an address safe to show: no user name, no fragment, no query that could be a signature. */
export function redactAddress(address: string): string {
  const [, start, rest] = /^([a-z][a-z0-9+.-]*:\/\/)(.*)$/is.exec(address) ?? ['', '', address]
  const [beforeFragment] = rest.split('#', 1)
  const query = beforeFragment.indexOf('?')
  const hostAndPath = query < 0 ? beforeFragment : beforeFragment.slice(0, query)
  const slash = hostAndPath.indexOf('/')
  const host = slash < 0 ? hostAndPath : hostAndPath.slice(0, slash)
  const path = slash < 0 ? '' : hostAndPath.slice(slash)
  const shownHost = host.includes('@') ? `…@${host.slice(host.lastIndexOf('@') + 1)}` : host
  return `${start}${shownHost}${path}${query < 0 ? '' : shownQuery(beforeFragment.slice(query + 1))}`
}

function shownQuery(query: string): string {
  const names = [...new URLSearchParams(query).keys()]
  return names.every((name) => plainParameters.has(name)) ? `?${query}` : '?…'
}
