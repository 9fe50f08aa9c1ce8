import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

/**
 * Host names that the browser host answers to: only a page of this host itself may speak to it, under a loopback name.
 * The port is left open because a tunnel may present another one; the name is what DNS rebinding cannot fake.
 */
const loopbackHost = /^(127\.0\.0\.1|localhost|\[::1\])(:\d{1,5})?$/

/** A request that names two hosts is refused, because Node shows the first one only. */
export function isOwnHost({ headers, rawHeaders }: IncomingMessage): boolean {
  const named = rawHeaders.filter((each, at) => at % 2 === 0 && each.toLowerCase() === 'host').length
  return named === 1 && loopbackHost.test(headers.host ?? '')
}

/** Requests that change something, and sockets, must come from our own page. */
export function isOwnOrigin({ headers }: IncomingMessage): boolean {
  return headers.origin === `http://${headers.host}`
}

export function isToken(given: string | undefined, token: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given ?? ''), digest(token))
}
