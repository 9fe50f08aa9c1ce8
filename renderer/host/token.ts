const KEPT_AS = 'perpscope.token'
const inAddress = /^#token=([\w-]+)$/

/**
 * The token of this start: from the address the host printed, once; then from this tab's own memory, so that reload
 * works while nobody reads it over a shoulder, in a history or in a bookmark.
 */
export function takeToken(): string | null {
  const match = inAddress.exec(location.hash)
  if (match) {
    sessionStorage.setItem(KEPT_AS, match[1])
    history.replaceState(null, '', `${location.pathname}#/`)
  }
  return sessionStorage.getItem(KEPT_AS)
}

/** A new address pasted into this tab changes only the fragment, which loads nothing by itself. */
export function reloadOnNewToken(): void {
  addEventListener('popstate', (event) => {
    if (!inAddress.test(location.hash)) return
    // The router, which listens after this, would take the token for a screen's address.
    event.stopImmediatePropagation()
    location.reload()
  })
}
