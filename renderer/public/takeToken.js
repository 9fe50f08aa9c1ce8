// This script runs before anything else of the page: it moves the token out of the address bar into the storage of this tab.
;(() => {
  const match = /^#token=([\w-]+)$/.exec(location.hash)
  if (!match) return
  sessionStorage.setItem('perpscope.token', match[1])
  history.replaceState(null, '', `${location.pathname}#/`)
})()
