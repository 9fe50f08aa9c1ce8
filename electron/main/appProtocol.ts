import { protocol } from 'electron'
import { createContent, securityHeaders } from '../web/content.ts'

/**
 * Registers the app scheme; must run before the app is ready. `standard` gives the pages an origin, `secure` the rights
 * of https.
 */
export function registerAppScheme(): void {
  protocol.registerSchemesAsPrivileged([{ scheme: appScheme, privileges: { standard: true, secure: true } }])
}

/** Answers the window's requests with the built pages and the same headers as the browser host. */
export function serveAppScheme(rendererDir: string): void {
  const content = createContent(rendererDir)
  protocol.handle(appScheme, async ({ url, method }) => {
    if (!isAppAddress(url) || method !== 'GET') {
      return new Response('Not found.', { status: 404, headers: securityHeaders('') })
    }
    const { status, headers, body } = await content(new URL(url).pathname)
    return new Response(typeof body === 'string' ? body : new Uint8Array(body), { status, headers })
  })
}

/** Scheme of the window's pages; a scheme of our own, because the CSP header does not apply to `file:`. */
const appScheme = 'app'
const appHost = 'perpscope'

/** @param route the part after `#`, e.g. `/catalog` */
export const pageAddress = (route: string) => `${appScheme}://${appHost}/index.html#${route}`

export function isAppAddress(address: string): boolean {
  if (!URL.canParse(address)) return false
  const { protocol, host, username, password } = new URL(address)
  return protocol === `${appScheme}:` && host === appHost && !username && !password
}
