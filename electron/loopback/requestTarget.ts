/** Path and query of a request to one of our own servers. */
export interface RequestTarget {
  /** Path with exactly one leading slash, percent-encoded as it was sent. */
  path: string
  query: URLSearchParams
}

/** Longest request target, more than our own pages send even with long file names. */
const MAX_TARGET_CHARACTERS = 16_000

/**
 * Parses a request target without throwing; null for every form but `/path?query`. The URL class is not used, because
 * it throws on targets such as `//` and reads a host from others.
 */
export function parseRequestTarget(target: string | undefined): RequestTarget | null {
  if (target === undefined || target.length > MAX_TARGET_CHARACTERS) return null
  if (!/^\/(?![/\\])[\x21-\x7e]*$/.test(target) || target.includes('#') || target.includes('\\')) return null
  const queryStart = target.indexOf('?')
  const path = queryStart < 0 ? target : target.slice(0, queryStart)
  return { path, query: new URLSearchParams(queryStart < 0 ? '' : target.slice(queryStart + 1)) }
}
