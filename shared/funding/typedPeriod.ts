import { MS_PER_DAY, parseDuration } from '../time.ts'

/** Typed instead of a period to remove what was typed. */
export const UNKNOWN_PERIOD = 'unknown'

/** Explains why a typed text is not a funding period; null if it is one. */
export function fundingPeriodProblem(text: string): string | null {
  const lengthMs = parseDuration(text)
  if (lengthMs === null) return `“${text}” is not a period such as 1h, 8h or 30m.`
  if (lengthMs === 0) return `“${text}” is not longer than 0.`
  return lengthMs <= MS_PER_DAY ? null : `“${text}” is longer than 24h, the longest period.`
}
