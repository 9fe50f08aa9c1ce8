/** Address of the window's pages. A scheme of our own, so that `file:` gets no say and the CSP header applies. */
export const appScheme = 'app'
const appHost = 'perpscope'

/** @param route the part after `#`, e.g. `/catalog` */
export const pageAddress = (route: string) => `${appScheme}://${appHost}/index.html#${route}`

export function isAppAddress(address: string): boolean {
  if (!URL.canParse(address)) return false
  const { protocol, host, username, password } = new URL(address)
  return protocol === `${appScheme}:` && host === appHost && !username && !password
}
