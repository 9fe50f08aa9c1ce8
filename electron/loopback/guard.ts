import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

/**
 * Host names that the browser host answers to: only a page of this host itself may speak to it, under a loopback name.
 * The port is left open because a tunnel may present another one; the name is what DNS rebinding cannot fake.
 */
const loopbackHost = /^(127\.0\.0\.1|localhost|\[::1\])(:\d{1,5})?$/

export function isOwnHost({ headers }: IncomingMessage): boolean {
  return loopbackHost.test(headers.host ?? '')
}

/** Requests that change something, and sockets, must come from our own page. */
export function isOwnOrigin({ headers }: IncomingMessage): boolean {
  return headers.origin === `http://${headers.host}`
}

export function isToken(given: string | undefined, token: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given ?? ''), digest(token))
}
