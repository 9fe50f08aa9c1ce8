import { app } from 'electron'

export const linkScheme = 'perpscope'

const screens = ['workbench', 'catalog', 'coverage', 'downloads', 'portfolios', 'raw', 'settings', 'guide']
const MAX_LENGTH = 2000

/**
 * Finds the route of `perpscope://screen/selection?query`, e.g. `/workbench?symbol=BTC`; null where it is no link of
 * ours. Anyone can hand us a link: it only ever chooses what is shown.
 */
export function routeOfLink(link: string): string | null {
  if (link.length > MAX_LENGTH || !URL.canParse(link)) return null
  const { protocol, host, pathname, search, username, password, port } = new URL(link)
  if (protocol !== `${linkScheme}:` || username || password || port || !screens.includes(host)) return null
  const path = pathname.replace(/\/$/, '')
  if (!/^(\/[\w.~%@:+-]+)*$/.test(path)) return null
  const query = new URLSearchParams(search).toString()
  const route = `/${host}${path}${query ? `?${query}` : ''}`
  return route.length > MAX_LENGTH ? null : route
}

/** The installed app only: a development copy would leave the system pointing at a folder that moves. */
export function claimLinks(): void {
  if (app.isPackaged) app.setAsDefaultProtocolClient(linkScheme)
}
