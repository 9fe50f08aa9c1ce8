// This script runs before any other: it moves the token from the address bar to the session storage of this tab.
;(() => {
  const match = /^#token=([\w-]+)$/.exec(location.hash)
  if (!match) return
  sessionStorage.setItem('perpscope.token', match[1])
  history.replaceState(null, '', `${location.pathname}#/`)
})()
