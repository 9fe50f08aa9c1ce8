import type { DayNumber } from '#shared/time/periods.ts'
import type { DayRange } from '#shared/time/ranges.ts'

/** Stands for "from the beginning": before any day a service could have. */
export const BEGINNING: DayNumber = -719_528

/** The last days of a history are asked for again: a service may still correct them. */
const OVERLAP_DAYS = 5

/** Days of a history that are stored. */
export interface KnownDays {
  span: DayRange
  /** The last day within the span that has values. */
  lastDay: DayNumber | null
  isFresh: boolean
}

/**
 * Computes the ranges to request so that the wanted days are known: the part before the known days, and their end where
 * it may have grown. The ranges always touch the span, so that what is known stays one stretch without holes.
 */
export function rangesToAsk(want: DayRange, known: KnownDays | null, all: boolean): DayRange[] {
  if (!known) return [want]
  const { span, lastDay, isFresh } = known
  if (all) return [{ start: Math.min(want.start, span.end), end: Math.max(want.end, span.start) }]
  const tail = lastDay === null ? span.start : Math.max(span.start, lastDay - OVERLAP_DAYS)
  const ranges: DayRange[] = []
  if (want.end > span.end || (!isFresh && want.end > tail))
    ranges.push({ start: tail, end: Math.max(want.end, span.end) })
  if (want.start < span.start) ranges.push({ start: want.start, end: span.start })
  return ranges
}
