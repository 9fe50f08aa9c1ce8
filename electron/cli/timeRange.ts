import { MS_PER_DAY, parseDay } from '#shared/time.ts'
import { UsageError } from './usageError.ts'

/** Beyond these there is nothing to find: whoever writes such a day means all that there is. */
export const FIRST_MS = Date.UTC(1900, 0)
export const LAST_MS = Date.UTC(2200, 0)

/** A range as a person writes it: days count whole and both belong to it; instants are half-open. In milliseconds. */
export function parseTimeRange(start: string, end: string): { startMs: number; endMs: number } {
  const startMs = parseDay(start) ?? parseInstant('start', start)
  const endDayMs = parseDay(end)
  const endMs = endDayMs === null ? parseInstant('end', end) : endDayMs + MS_PER_DAY
  if (endMs <= startMs) throw new UsageError('--end must be after --start.')
  return {
    startMs: Math.min(LAST_MS - MS_PER_DAY, Math.max(FIRST_MS, startMs)),
    endMs: Math.max(FIRST_MS + MS_PER_DAY, Math.min(LAST_MS, endMs)),
  }
}

/** Beyond it there is nothing to find, and nothing is asked. */
const LAST_DAY = 200_000

/** The same where days alone make sense; as days since 1970-01-01, the end exclusive. */
export function parseDayRange(start: string | undefined, end: string | undefined) {
  const dayOf = (option: string, text: string) => {
    const startMs = parseDay(text)
    if (startMs === null) throw new UsageError(`--${option} must be a day as YYYY-MM-DD, not “${text.slice(0, 40)}”.`)
    return Math.min(LAST_DAY, Math.max(-LAST_DAY, startMs / MS_PER_DAY))
  }
  const startDay = start === undefined ? undefined : dayOf('start', start)
  const endDay = end === undefined ? undefined : Math.min(LAST_DAY, dayOf('end', end) + 1)
  if (start !== undefined && end !== undefined && end < start) throw new UsageError('--end must not be before --start.')
  return { startDay, endDay }
}

const instantShape = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(Z|[+-]\d{2}:?\d{2})?$/

/** UTC where the text names no zone. */
function parseInstant(option: string, text: string): number {
  const match = instantShape.exec(text)
  const ms = match && parseDay(match[1]) !== null ? Date.parse(`${match[1]}T${match[2]}${match[3] ?? 'Z'}`) : NaN
  if (!Number.isNaN(ms)) return ms
  const shown = text.slice(0, 40)
  throw new UsageError(
    `--${option} must be a day or an instant, as 2026-09-01 or 2026-09-01T12:30:00Z, not “${shown}”.`,
  )
}
