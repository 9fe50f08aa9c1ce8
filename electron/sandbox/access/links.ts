import { createHmac, timingSafeEqual } from 'node:crypto'

export const LINK_LIFETIME_SECONDS = 300
/** Lifetime of the links of `/data/raw`. */
export const RAW_LINK_LIFETIME_SECONDS = 3600

const sign = (secret: Uint8Array, path: string, issued: string, expires: string) =>
  createHmac('sha256', secret).update(`${path}\n${issued}\n${expires}`).digest('hex')

/** Returns the query that makes a storage path downloadable for a limited time. */
export function presign(secret: Uint8Array, path: string, nowMs: number, lifetimeSeconds: number): string {
  const issued = String(Math.floor(nowMs / 1000))
  const expires = String(lifetimeSeconds)
  return `X-Link-Date=${issued}&X-Link-Expires=${expires}&X-Link-Signature=${sign(secret, path, issued, expires)}`
}

type LinkVerdict = 'valid' | 'expired' | 'foreign'

/**
 * Judges whether a link allows this path to be downloaded now. A link is valid only for the path it was created for.
 */
export function judgeLink(secret: Uint8Array, path: string, query: URLSearchParams, nowMs: number): LinkVerdict {
  const issued = query.get('X-Link-Date') ?? ''
  const expires = query.get('X-Link-Expires') ?? ''
  const givenSignature = Buffer.from(query.get('X-Link-Signature') ?? '')
  const expectedSignature = Buffer.from(sign(secret, path, issued, expires))
  if (givenSignature.length !== expectedSignature.length || !timingSafeEqual(givenSignature, expectedSignature))
    return 'foreign'
  return nowMs / 1000 < Number(issued) + Number(expires) ? 'valid' : 'expired'
}
