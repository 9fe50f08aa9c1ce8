import { lowerBound } from '#shared/search.ts'

/** Funding times of one symbol in milliseconds, ascending. */
export type FundingTimes = Float64Array

/** Lists the times of a fixed period, counted from the epoch, after `startMs` and up to `endMs`. */
export function periodicTimes(startMs: number, endMs: number, everyMs: number): FundingTimes {
  const firstPeriod = Math.floor(startMs / everyMs) + 1
  const count = Math.max(0, Math.floor(endMs / everyMs) - firstPeriod + 1)
  return Float64Array.from({ length: count }, (_, at) => (firstPeriod + at) * everyMs)
}

/**
 * Rows of a raw funding file, ordered by time: when each was published, and the next funding time that it announces.
 */
export interface Announcements {
  publishedMs: Float64Array
  /** Announced funding time; NaN if the row has none. */
  nextMs: Float64Array
}

/**
 * A row may announce the next funding time up to this long before the current one is due, because the venue is early or
 * its clock is fast.
 */
const EARLY_MS = 60_000

/** Half-open range in which all funding times are known, excluding its start and including its end. */
export interface KnownRange {
  startMs: number
  endMs: number
}

/** Announced funding times, and the ranges in which the announcements are complete. */
export interface AnnouncedFunding {
  times: FundingTimes
  /** Non-overlapping ranges in ascending order. */
  known: KnownRange[]
}

/**
 * Finds the announced funding times that took place: all except those that the next row changed more than `EARLY_MS`
 * before they were due. After the time that a row announces, nothing is known until the next row, so that an outage
 * does not hide funding.
 */
export function announcedTimes({ publishedMs, nextMs }: Announcements): AnnouncedFunding {
  const times = new Set<number>()
  const knownRanges: KnownRange[] = []
  let announcedMs = NaN
  for (let row = 0; row <= nextMs.length; row++) {
    const isEnd = row === nextMs.length
    if (!isEnd && Number.isNaN(nextMs[row])) continue
    if (!Number.isNaN(announcedMs) && (isEnd || publishedMs[row] >= announcedMs - EARLY_MS)) times.add(announcedMs)
    if (isEnd) break
    announcedMs = nextMs[row]
    if (announcedMs > publishedMs[row]) extendRanges(knownRanges, publishedMs[row], announcedMs)
  }
  return { times: Float64Array.from(times).sort(), known: knownRanges }
}

/** Appends a range, or extends the last one if they touch; a range never starts before the last one. */
function extendRanges(ranges: KnownRange[], startMs: number, endMs: number): void {
  const last = ranges.at(-1)
  if (last && startMs <= last.endMs) last.endMs = Math.max(last.endMs, endMs)
  else ranges.push({ startMs, endMs })
}

/**
 * Combines funding times: announced ones where announcements are known, and those of a fixed period elsewhere.
 * @param fileRanges ranges of the files with announcements, ascending; nothing is known outside of them
 */
export function combineTimes(
  { times, known }: AnnouncedFunding,
  fileRanges: readonly KnownRange[],
  periodic: FundingTimes,
): FundingTimes {
  const isAnnounced = rangeLookup(known)
  const isInFile = rangeLookup(fileRanges)
  const isKnown = (time: number) => isAnnounced(time) && isInFile(time)
  return Float64Array.from(new Set([...times.filter(isKnown), ...periodic.filter((time) => !isKnown(time))])).sort()
}

/** Returns a predicate for times inside one of the ascending ranges or at its end. */
function rangeLookup(ranges: readonly KnownRange[]): (time: number) => boolean {
  const starts = Float64Array.from(ranges, ({ startMs }) => startMs)
  return (time) => {
    const at = lowerBound(starts, time) - 1
    return at >= 0 && time <= ranges[at].endMs
  }
}

/** Rates of one symbol by bar. */
export interface RateSeries {
  intervalMs: number
  firstSlot: number
  values: Float64Array
  valid: Uint8Array | null
}

export interface BarGrid {
  intervalMs: number
  firstSlot: number
  timeCount: number
}

/** Funding rates of one symbol that are due in each bar. */
export interface DueRates {
  values: Float64Array
  valid: Uint8Array
}

/**
 * Computes the rate that longs pay in each bar: the sum of the rates at its funding times, or 0 if no funding is due.
 * The rate of a funding time is the last one of the bars since the previous funding time; if there is none, the bar is
 * missing.
 * @param rates rates at the interval of the bars
 * @param shorterRates rates at a shorter interval, used for bars with several funding times
 */
export function ratesDue(grid: BarGrid, times: FundingTimes, rates: RateSeries, shorterRates = rates): DueRates {
  const values = new Float64Array(grid.timeCount)
  const valid = new Uint8Array(grid.timeCount).fill(1)
  const slotOf = (time: number | undefined) => (time === undefined ? NaN : Math.ceil(time / grid.intervalMs) - 1)
  times.forEach((time, at) => {
    const slot = slotOf(time)
    const bar = slot - grid.firstSlot
    if (bar < 0 || bar >= grid.timeCount || !valid[bar]) return
    const isOneOfSeveral = slot === slotOf(times[at - 1]) || slot === slotOf(times[at + 1])
    const rate = lastRate(isOneOfSeveral ? shorterRates : rates, at === 0 ? -Infinity : times[at - 1], time)
    if (Number.isNaN(rate)) valid[bar] = 0
    else values[bar] += rate
  })
  for (let bar = 0; bar < grid.timeCount; bar++) if (!valid[bar]) values[bar] = 0
  return { values, valid }
}

/** Finds the last present rate of the bars that start at or after `sinceMs` and before a funding time; NaN if none. */
function lastRate({ intervalMs, firstSlot, values, valid }: RateSeries, sinceMs: number, timeMs: number): number {
  const firstRow = Math.max(0, sinceMs === -Infinity ? 0 : Math.ceil(sinceMs / intervalMs) - firstSlot)
  for (let row = Math.min(values.length, Math.ceil(timeMs / intervalMs) - firstSlot) - 1; row >= firstRow; row--) {
    if (valid === null || valid[row] !== 0) return values[row]
  }
  return NaN
}
