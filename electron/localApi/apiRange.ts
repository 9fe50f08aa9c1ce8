import { AppError } from '#shared/contract/errors.ts'
import { MS_PER_DAY, parseDay } from '#shared/time.ts'
import type { TimeRange } from '#shared/time/ranges.ts'

const FIRST_MS = Date.UTC(1900, 0)
const LAST_MS = Date.UTC(2200, 0)

/** Parses a range; an end that is a day is included, an end that is an instant is not. */
export function timeRange(start: string, end: string): TimeRange {
  const startMs = parseDay(start) ?? Date.parse(start)
  const endDayMs = parseDay(end)
  const endMs = endDayMs === null ? Date.parse(end) : endDayMs + MS_PER_DAY
  if (!(endMs > startMs)) throw new AppError('bad-input', 'The range ends before it begins.')
  if (startMs < FIRST_MS || endMs > LAST_MS)
    throw new AppError('bad-input', 'The range is outside the years 1900 to 2200.')
  return { startMs, endMs }
}
