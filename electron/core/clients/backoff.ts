import type { AppError, ErrorCode } from '#shared/contract/errors.ts'

/** When to try again, and whether. Pure: time and chance come from the caller. */

const FIRST_DELAY_MS = 500
const LONGEST_DELAY_MS = 60_000
/** A service that asks for more than this is not waited for; it is tried then all the same. */
const LONGEST_ASKED_MS = 15 * 60_000

const worthRetrying = new Set<ErrorCode>(['network', 'timeout', 'rate-limited', 'service'])

export const isWorthRetrying = (error: AppError) => worthRetrying.has(error.code)

/**
 * @param failures how many attempts failed in a row since the last progress, at least 1
 * @param askedMs what the service asked for; it wins over our own delay
 * @param random from 0 to below 1
 */
export function retryDelayMs(failures: number, askedMs: number | null, random: number): number {
  if (askedMs !== null) return Math.min(askedMs, LONGEST_ASKED_MS)
  const ceiling = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** (failures - 1))
  return Math.round(ceiling / 2 + (ceiling / 2) * random)
}

/** `Retry-After` in milliseconds from now: seconds or an HTTP date; null where there is none or it is not understood. */
export function parseRetryAfter(header: string | null, nowMs: number): number | null {
  if (header === null) return null
  const text = header.trim()
  if (/^\d{1,9}(\.\d+)?$/.test(text)) return Math.round(Number(text) * 1000)
  const dateMs = /[a-z]{3}/i.test(text) ? Date.parse(text) : NaN
  return Number.isNaN(dateMs) ? null : Math.max(0, dateMs - nowMs)
}
