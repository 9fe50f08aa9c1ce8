import type { TimeRange } from '../time/ranges.ts'
import { MS_PER_DAY, MS_PER_HOUR } from '../time.ts'
import type { FundingStretch } from './fundingPeriods.ts'

/** Periods that are looked for, longest first. */
const periodsMs = [24, 8, 4, 2, 1].map((hours) => hours * MS_PER_HOUR)
const LEAST_CHANGES = 20

/** What the served rates of a part of a month tell about its period. */
export interface RateChanges {
  intervalMs: number
  /** Number of bars whose rate differs from that of the bar before. */
  count: number
  /** Longest of the periods that explains all changes; 0 if none does, null without a change. */
  longestMs: number | null
  first: RateBar | null
  last: RateBar | null
}

interface RateBar {
  timeMs: number
  rate: number
}

/** Finds the changes of the rate in bars, given in ascending order; a rate that is missing is NaN. */
export function rateChanges(intervalMs: number, times: ArrayLike<number>, rates: ArrayLike<number>): RateChanges {
  let changes: RateChanges = { intervalMs, count: 0, longestMs: null, first: null, last: null }
  for (let row = 0; row < times.length; row++) {
    if (Number.isNaN(rates[row])) continue
    const bar = { timeMs: times[row], rate: rates[row] }
    changes = joinedChanges(changes, { ...changes, count: 0, longestMs: null, first: bar, last: bar })
  }
  return changes
}

/** Joins what two parts tell, of which the second begins after the first; a change may stand where they meet. */
export function joinedChanges(before: RateChanges, after: RateChanges): RateChanges {
  const { last } = before
  const { first } = after
  const isNext = last !== null && first !== null && first.timeMs === last.timeMs + after.intervalMs
  const isChange = isNext && first.rate !== last.rate
  const longestHere = isChange ? longestPeriod(first.timeMs) : null
  return {
    intervalMs: after.intervalMs,
    count: before.count + after.count + (isChange ? 1 : 0),
    longestMs: shorter(shorter(before.longestMs, longestHere), after.longestMs),
    first: before.first ?? after.first,
    last: after.last ?? before.last,
  }
}

// Each period divides the longer ones, so the shortest of what each change allows explains all of them.
const shorter = (a: number | null, b: number | null) => (a === null ? b : b === null ? a : Math.min(a, b))

const longestPeriod = (timeMs: number): number => periodsMs.find((periodMs) => timeMs % periodMs === 0) ?? 0

/** A UTC month, and what its served rates tell. */
export interface MonthOfRates extends TimeRange {
  changes: RateChanges
}

/** Infers the period of each month from the bars at which the served rate changed. */
export const inferredFunding = (months: readonly MonthOfRates[]): FundingStretch[] =>
  months.flatMap(({ startMs, endMs, changes: { count, longestMs, intervalMs } }) =>
    count >= LEAST_CHANGES && longestMs !== null && longestMs > intervalMs && longestMs <= MS_PER_DAY
      ? [{ startMs, endMs, everyMs: longestMs, offsetMs: 0, ratePerMs: longestMs, basis: 'inferred' as const }]
      : [],
  )
