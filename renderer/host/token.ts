const KEPT_AS = 'perpscope.token'

/**
 * The token of this start: from the address the host printed, once; then from this tab's own memory, so that reload
 * works while nobody reads it over a shoulder, in a history or in a bookmark.
 */
export function takeToken(): string | null {
  const match = /^#token=([\w-]+)$/.exec(location.hash)
  if (match) {
    sessionStorage.setItem(KEPT_AS, match[1])
    history.replaceState(null, '', `${location.pathname}#/`)
  }
  return sessionStorage.getItem(KEPT_AS)
}
