import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

/**
 * Host names that our servers accept: only the loopback names, which DNS rebinding cannot fake. Any port is allowed,
 * because a tunnel may use another one.
 */
const loopbackHost = /^(127\.0\.0\.1|localhost|\[::1\])(:\d{1,5})?$/

/**
 * Tells whether a request is for a loopback host; one that names two hosts is refused, because Node shows only the
 * first.
 */
export function isOwnHost({ headers, rawHeaders }: IncomingMessage): boolean {
  const hostCount = rawHeaders.filter((each, index) => index % 2 === 0 && each.toLowerCase() === 'host').length
  return hostCount === 1 && loopbackHost.test(headers.host ?? '')
}

/** Tells whether a request comes from our own page; required for requests that change something, and for sockets. */
export function isOwnOrigin({ headers }: IncomingMessage): boolean {
  return headers.origin === `http://${headers.host}`
}

export function isToken(offeredToken: string | undefined, token: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(offeredToken ?? ''), digest(token))
}
