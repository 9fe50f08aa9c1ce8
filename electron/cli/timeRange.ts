import type { TimeRange } from '#shared/time/ranges.ts'
import { usageText } from './text/messages.ts'
import { MS_PER_DAY, parseDay } from '#shared/time.ts'
import { UsageError } from './usageError.ts'

/** Bounds of the times that can have data; a range outside them is replaced by the nearest day inside. */
export const FIRST_MS = Date.UTC(1900, 0)
export const LAST_MS = Date.UTC(2200, 0)

/** Parses a range into milliseconds. An end given as a day is included, an end given as an instant is not. */
export function parseTimeRange(start: string, end: string): TimeRange {
  const startMs = parseDay(start) ?? instantOption('start', start)
  const endDayMs = parseDay(end)
  const endMs = endDayMs === null ? instantOption('end', end) : endDayMs + MS_PER_DAY
  if (endMs <= startMs) throw new UsageError(usageText.endNotAfterStart)
  return {
    startMs: Math.min(LAST_MS - MS_PER_DAY, Math.max(FIRST_MS, startMs)),
    endMs: Math.max(FIRST_MS + MS_PER_DAY, Math.min(LAST_MS, endMs)),
  }
}

/** Largest number of days before or after 1970 in a filter; a day farther away is replaced by this limit. */
const FARTHEST_DAY = 200_000

/** Parses a range of whole days into day numbers since 1970-01-01, end excluded. */
export function parseDayRange(start: string | undefined, end: string | undefined) {
  const dayOf = (option: string, text: string) => {
    const startMs = parseDay(text)
    if (startMs === null) throw new UsageError(usageText.notDay(option, text))
    return Math.min(FARTHEST_DAY, Math.max(-FARTHEST_DAY, startMs / MS_PER_DAY))
  }
  const startDay = start === undefined ? undefined : dayOf('start', start)
  const endDay = end === undefined ? undefined : Math.min(FARTHEST_DAY, dayOf('end', end) + 1)
  if (start !== undefined && end !== undefined && end < start) throw new UsageError(usageText.endBeforeStart)
  return { startDay, endDay }
}

const instantPattern = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(Z|[+-]\d{2}:?\d{2})?$/

/** Parses a time, in UTC unless the text has a zone. */
export function instantOption(option: string, text: string): number {
  const match = instantPattern.exec(text)
  const ms = match && parseDay(match[1]) !== null ? Date.parse(`${match[1]}T${match[2]}${match[3] ?? 'Z'}`) : NaN
  if (!Number.isNaN(ms)) return ms
  throw new UsageError(usageText.notInstant(option, text))
}
