import type { TimeRange } from '../time/ranges.ts'

/** Where a funding period is known from, strongest first. */
export const fundingBases = ['observed', 'announced', 'inferred', 'asked'] as const
export type FundingBasis = (typeof fundingBases)[number]

/** Longest funding period. */
export const LONGEST_FUNDING_MS = 86_400_000

/**
 * A range in which an instrument pays funding at a fixed period: at all times of the form `offsetMs + k × everyMs`
 * since the epoch. A funding time belongs to the stretch that ends at it or contains it, but not to the one that starts
 * at it. The range is infinite where the source sets no limit.
 */
export interface FundingStretch extends TimeRange {
  everyMs: number
  offsetMs: number
  /** Period to which the published rate refers. */
  ratePerMs: number
  basis: FundingBasis
}

/** What is known of the funding of one instrument: stretches in ascending order that do not overlap. */
export type FundingPeriods = readonly FundingStretch[]

/** A time at which funding is due. */
export interface FundingTime {
  timeMs: number
  /** Funding time before; the rate that is paid was published after it. */
  sinceMs: number
  stretch: FundingStretch
}

/** Returns the periods of an instrument that pays at one period at all times. */
export const alwaysEvery = (everyMs: number, basis: FundingBasis): [FundingStretch] => [
  { startMs: -Infinity, endMs: Infinity, everyMs, offsetMs: 0, ratePerMs: everyMs, basis },
]

/** Finds the period at a time; null if it is unknown. */
export function periodAt(periods: FundingPeriods, timeMs: number): FundingStretch | null {
  let [low, high] = [0, periods.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (periods[middle].startMs <= timeMs) low = middle + 1
    else high = middle
  }
  const stretch = periods.at(low - 1)
  return low > 0 && timeMs < stretch!.endMs ? stretch! : null
}

/** Counts the whole minutes until the next funding time, by the period at a time; null if that is unknown. */
export function minutesToFunding(periods: FundingPeriods, timeMs: number): number | null {
  const period = periodAt(periods, timeMs)
  return period && Math.floor((timeFrom(period, timeMs) - timeMs) / 60_000)
}

/** Returns the first funding time at or after a time, as if the period were in force forever. */
const timeFrom = ({ everyMs, offsetMs }: FundingStretch, timeMs: number): number =>
  Math.ceil((timeMs - offsetMs) / everyMs) * everyMs + offsetMs

const timeAfter = (stretch: FundingStretch, timeMs: number): number => {
  const next = timeFrom(stretch, timeMs)
  return next > timeMs ? next : next + stretch.everyMs
}

const isFundingTime = ({ everyMs, offsetMs }: FundingStretch, timeMs: number): boolean =>
  Number.isInteger((timeMs - offsetMs) / everyMs)

/**
 * Tells whether funding is due at the end of a stretch that another one follows: by its own period, or because the
 * first time that was observed stands there.
 */
const isDueAtEnd = (stretch: FundingStretch, after: FundingStretch): boolean =>
  isFundingTime(stretch, stretch.endMs) || (after.basis === 'observed' && isFundingTime(after, after.startMs))

/** Lists the times after `startMs` and up to `endMs` at which funding is due. */
export function fundingTimes(periods: FundingPeriods, { startMs, endMs }: TimeRange): FundingTime[] {
  const times: FundingTime[] = []
  /** Funding time before, as long as all periods since then are known. */
  let sinceMs = NaN
  for (const [at, stretch] of periods.entries()) {
    if (stretch.startMs >= endMs) break
    const before = periods.at(at - 1)
    const isContinued = at > 0 && before!.endMs === stretch.startMs
    if (!isContinued) sinceMs = isFundingTime(stretch, stretch.startMs) ? stretch.startMs : NaN
    // Earlier times than one period before the range are not needed to know which time was before.
    const fromMs = Math.max(stretch.startMs, startMs - stretch.everyMs)
    const toMs = Math.min(stretch.endMs, endMs)
    const add = (timeMs: number) => {
      if (timeMs > startMs && timeMs <= endMs)
        times.push({ timeMs, sinceMs: Number.isNaN(sinceMs) ? timeMs - stretch.everyMs : sinceMs, stretch })
      sinceMs = timeMs
    }
    for (let timeMs = timeAfter(stretch, fromMs); timeMs <= toMs; timeMs += stretch.everyMs) add(timeMs)
    const after = periods.at(at + 1)
    const isNextObserved = after?.startMs === stretch.endMs && isDueAtEnd(stretch, after)
    if (isNextObserved && !isFundingTime(stretch, stretch.endMs)) add(stretch.endMs)
  }
  return times
}

/** Tells for each bar of a grid whether all of its periods are known. */
export function coveredBars(
  periods: FundingPeriods,
  { intervalMs, firstSlot, timeCount }: { intervalMs: number; firstSlot: number; timeCount: number },
): Uint8Array {
  const covered = new Uint8Array(timeCount)
  const barAt = (timeMs: number) => Math.max(0, Math.min(timeCount, timeMs / intervalMs - firstSlot))
  for (const { startMs, endMs } of knownRanges(periods))
    covered.fill(1, Math.ceil(barAt(startMs)), Math.floor(barAt(endMs)))
  return covered
}

/** Joins the stretches that follow each other without a gap. */
function knownRanges(periods: FundingPeriods): TimeRange[] {
  const ranges: TimeRange[] = []
  for (const { startMs, endMs } of periods) {
    const last = ranges.at(-1)
    if (last?.endMs === startMs) last.endMs = endMs
    else ranges.push({ startMs, endMs })
  }
  return ranges
}

/** Returns the parts of stretches within a range. */
export const withinRange = (periods: FundingPeriods, range: TimeRange): FundingStretch[] =>
  periods.flatMap((stretch) => partWithin(stretch, range) ?? [])

/** Returns the part of a stretch within a range; null if they do not overlap. */
function partWithin(stretch: FundingStretch, range: TimeRange): FundingStretch | null {
  const startMs = Math.max(stretch.startMs, range.startMs)
  const endMs = Math.min(stretch.endMs, range.endMs)
  return startMs < endMs ? { ...stretch, startMs, endMs } : null
}

/** Appends a stretch, or extends the last one if they touch and say the same. */
export function appendStretch(periods: FundingStretch[], stretch: FundingStretch): void {
  const last = periods.at(-1)
  const isSame =
    last?.endMs === stretch.startMs &&
    last.everyMs === stretch.everyMs &&
    last.offsetMs === stretch.offsetMs &&
    last.ratePerMs === stretch.ratePerMs &&
    last.basis === stretch.basis
  if (isSame) last.endMs = stretch.endMs
  else periods.push({ ...stretch })
}

/** Fills what a stronger source leaves open with what a weaker one says. */
export function filledWith(stronger: FundingPeriods, weaker: FundingPeriods): FundingStretch[] {
  const filled: FundingStretch[] = []
  let first = 0
  const fill = (startMs: number, endMs: number) => {
    while (first < weaker.length && weaker[first].endMs <= startMs) first++
    for (let at = first; at < weaker.length && weaker[at].startMs < endMs; at++) {
      const part = partWithin(weaker[at], { startMs, endMs })
      if (part) appendStretch(filled, part)
    }
  }
  let openMs = -Infinity
  for (const stretch of stronger) {
    fill(openMs, stretch.startMs)
    appendStretch(filled, stretch)
    openMs = stretch.endMs
  }
  fill(openMs, Infinity)
  return filled
}
