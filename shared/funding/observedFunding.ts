import type { DayRange } from '../time/ranges.ts'
import { MS_PER_DAY } from '../time.ts'
import { appendStretch, type FundingStretch, LONGEST_FUNDING_MS } from './fundingPeriods.ts'

/** When raw funding events announced another next funding time, in the order of their publication. */
interface Announcements {
  publishedMs: ArrayLike<number>
  /** Announced funding time; NaN if the event has none. */
  nextMs: ArrayLike<number>
}

/**
 * An event may announce the next funding time up to this long before the current one is due, because the venue is early
 * or its clock is fast.
 */
const EARLY_MS = 60_000

/** Keeps of all announcements those that differ from the one before; that is all that funding times depend on. */
export function changedAnnouncements({ publishedMs, nextMs }: Announcements): Announcements {
  const rows: number[] = []
  let announcedMs = NaN
  for (let row = 0; row < nextMs.length; row++) {
    if (Number.isNaN(nextMs[row]) || nextMs[row] === announcedMs) continue
    announcedMs = nextMs[row]
    rows.push(row)
  }
  return { publishedMs: rows.map((row) => publishedMs[row]), nextMs: rows.map((row) => nextMs[row]) }
}

/**
 * Lists the announced funding times that took place: all except those that a later event replaced more than `EARLY_MS`
 * before they were due.
 */
function observedTimes({ publishedMs, nextMs }: Announcements): number[] {
  const times = new Set<number>()
  let announcedMs = NaN
  for (let row = 0; row <= nextMs.length; row++) {
    const isEnd = row === nextMs.length
    if (!isEnd && Number.isNaN(nextMs[row])) continue
    if (!Number.isNaN(announcedMs) && (isEnd || publishedMs[row] >= announcedMs - EARLY_MS)) times.add(announcedMs)
    if (!isEnd) announcedMs = nextMs[row]
  }
  return [...times].sort((a, b) => a - b)
}

/**
 * Finds the periods between funding times that were observed one after the other, within the days of the files.
 * Nothing is known where two of them are further apart than the longest period.
 */
export function observedFunding(announcements: Announcements, days: readonly DayRange[]): FundingStretch[] {
  const times = observedTimes(announcements)
  const periods: FundingStretch[] = []
  for (const [at, endMs] of times.entries()) {
    const startMs = times[at - 1]
    const everyMs = endMs - startMs
    if (at === 0 || everyMs > LONGEST_FUNDING_MS) continue
    for (const range of days) {
      const part = {
        startMs: Math.max(startMs, range.start * MS_PER_DAY),
        endMs: Math.min(endMs, range.end * MS_PER_DAY),
      }
      if (part.startMs < part.endMs)
        appendStretch(periods, { ...part, everyMs, offsetMs: endMs % everyMs, ratePerMs: everyMs, basis: 'observed' })
    }
  }
  return periods
}
