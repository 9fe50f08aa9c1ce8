import { MS_PER_DAY } from '../time.ts'
import { dayFromNumber } from '../time/periods.ts'
import type { TimeRange } from '../time/ranges.ts'
import { formatNumber } from '../units/numbers.ts'

/** Kinds of findings in display order. */
export const findingKinds = [
  'missing',
  'stale',
  'spike',
  'duplicate',
  'order',
  'impossible',
  'overlap',
  'computed',
  'venue',
  'republished',
] as const
export type FindingKind = (typeof findingKinds)[number]

/** A finding before its series is known. */
export interface RowFinding {
  kind: FindingKind
  column: string | null
  /** Half-open range in milliseconds, within one UTC day. */
  from: number
  to: number
  /** Number of missing intervals (`missing`), of surplus rows (`duplicate`), or of affected rows (other kinds). */
  count: number
  value: number | null
  expected: number | null
  detail: string
}

/** A finding as the command line and the page show it; scripts rely on the keys, so they must not change. */
export interface Finding extends RowFinding {
  dataset: string
  exchange: string
  symbol: string
  interval: string
  timestamp: string
  day: string
  /** `computed` for a fault in a file that was computed here; absent for files of the service and imported ones. */
  origin?: 'computed'
}

/** Limits that decide what counts as a finding; the definitions quote them. */
export const qualityLimits = {
  /**
   * A gap between two files is reported only if it is longer than their longest run of rows without events, multiplied
   * by this factor.
   */
  emptyRuns: 2,
  /** Number of rows on each side for the rolling median of a spike. */
  spikeReach: 5,
  /** Distance of a spike from the rolling median, in deviations (1.4826 × MAD). */
  spikeDeviations: 20,
  /** Minimum distance of a spike from the rolling median, as a fraction. */
  spikeLeast: 0.01,
  /** Minimum number of equal rows in a stale run. */
  staleRows: 20,
  /** A run of equal rows counts as stale only if chance would make at most this many such runs in the file. */
  staleChance: 1e-9,
  /** Fraction of the other rows above which an amount counts as common and may repeat. */
  commonShare: 0.01,
  /** Largest plausible distance between the mid prices of two venues, as a fraction. */
  venuePrice: 0.02,
  /** Largest plausible distance between the funding rates of two venues, per funding period. */
  venueFunding: 0.005,
  /**
   * A silence between trades or quotes is reported if it is longer than `silenceLeastMs` and than `silenceFactor` times
   * the silence that `silenceQuantile` of the others do not exceed.
   */
  silenceLeastMs: 300_000,
  silenceQuantile: 0.99,
  silenceFactor: 8,
  /** Relative difference up to which two files agree. */
  sameValue: 1e-5,
} as const

const percent = (share: number) => `${share * 100} %`

/** Definition of each kind, in words. */
export const findingDefinitions: Readonly<Record<FindingKind, string>> = {
  missing: `Intervals of the grid without a row between two rows of the series; days that the service lacks between days that it has also count. A file has no rows before its first and after its last event, so a gap between two files counts if it is more than ${qualityLimits.emptyRuns} times as long as their longest run of rows without events. Nothing counts as missing before the first row or after the last one. In raw trades and quotes: silences longer than ${qualityLimits.silenceLeastMs / 60_000} minutes and than ${qualityLimits.silenceFactor} times the silence that ${percent(qualityLimits.silenceQuantile)} of the others do not exceed.`,
  stale: `A column that should move keeps one value over at least ${qualityLimits.staleRows} rows with activity, where that would happen by chance less often than once in ${formatNumber(1 / qualityLimits.staleChance, 0)}. Funding rates, rows without activity and amounts that more than ${percent(qualityLimits.commonShare)} of the other rows have are left out.`,
  spike: `A price, an open interest or a value of your own dataset farther than ${percent(qualityLimits.spikeLeast)} and ${qualityLimits.spikeDeviations} deviations (1.4826 × MAD of the file) from the rolling median of ${2 * qualityLimits.spikeReach + 1} rows; a price that moves and stays there is not a spike.`,
  duplicate: 'Rows with the same time as another row of the file.',
  order: 'Rows whose time is before that of the previous row.',
  impossible:
    'Negative counts and volumes, prices that are not above 0, shares outside 0 to 1, infinite values, bid above ask, high below low, open or close outside low to high, open interest 0 despite trades, rows without a time, times outside the years 1970 to 2199 or the period of the file.',
  overlap: 'Rows of a monthly file that differ from those of a daily file of the same time.',
  computed: 'Rows of the service that differ from those computed here from raw events.',
  venue: `Mid prices of one base farther apart than ${percent(qualityLimits.venuePrice)}, or funding rates farther apart than ${percent(qualityLimits.venueFunding)}: reported for the venue farthest from the median, or for the alphabetically later of two.`,
  republished: 'A refresh returned a file that differs from the cached one.',
}

/** Plausible times of rows, in milliseconds: the years 1970 to 2199. */
const FIRST_TIME_MS = 0
const END_TIME_MS = Date.UTC(2200, 0, 1)

/**
 * Tells whether a row's time is in the years 1970 to 2199. All earlier rows make one finding, and all later rows
 * another, because one finding per day could be thousands.
 */
export const isPlausibleTime = (timeMs: number): boolean => timeMs >= FIRST_TIME_MS && timeMs < END_TIME_MS

/** Tells whether times are strictly ascending. */
export function isRising(times: Float64Array): boolean {
  for (let row = 1; row < times.length; row++) if (!(times[row] > times[row - 1])) return false
  return true
}

const plausibleRange: TimeRange = { startMs: FIRST_TIME_MS, endMs: END_TIME_MS }

/** Returns the nearest time in a range, by default that of plausible times; a missing time becomes the first one. */
export const nearestTime = (timeMs: number, { startMs, endMs } = plausibleRange): number =>
  timeMs >= endMs ? endMs - 1 : timeMs >= startMs ? timeMs : startMs

/** Splits a finding at every midnight, so that each part is within one day; `countOf` gives the count of a part. */
export function splitByDay(finding: RowFinding, countOf: (from: number, to: number) => number): RowFinding[] {
  const parts: RowFinding[] = []
  for (let from = finding.from; from < finding.to;) {
    const to = Math.min(finding.to, (Math.floor(from / MS_PER_DAY) + 1) * MS_PER_DAY)
    parts.push({ ...finding, from, to, count: countOf(from, to) })
    from = to
  }
  return parts
}

export const dayOfFinding = ({ from }: RowFinding): string => dayFromNumber(Math.floor(from / MS_PER_DAY))

/** Counts findings by kind, with 0 for kinds that were not found. */
export function countKinds(findings: readonly { kind: FindingKind }[]): Record<FindingKind, number> {
  const counts = Object.fromEntries(findingKinds.map((kind) => [kind, 0])) as Record<FindingKind, number>
  for (const { kind } of findings) counts[kind]++
  return counts
}
