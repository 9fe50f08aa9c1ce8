import { protocol } from 'electron'
import { createContent, securityHeaders } from '../web/content.ts'
import { appScheme, isAppAddress } from './appAddress.ts'

/** Must run before the app is ready. `standard` gives the pages an origin, `secure` the rights of https. */
export function registerAppScheme(): void {
  protocol.registerSchemesAsPrivileged([{ scheme: appScheme, privileges: { standard: true, secure: true } }])
}

/** Answers the window's requests from the built pages, with the same headers as the browser host. */
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
