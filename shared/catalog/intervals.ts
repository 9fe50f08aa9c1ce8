import type { Tier } from './tiers.ts'

/** Intervals that the metrics service offers; the engine also computes any other interval that divides a day. */
export const intervals = ['15s', '30s', '1m', '5m', '15m', '30m', '1h', '4h', '1d'] as const

type Interval = (typeof intervals)[number]

export const isInterval = (text: string): text is Interval => (intervals as readonly string[]).includes(text)

/** Returns the lowest tier that may download this interval. */
export const intervalTier = (interval: Interval): Tier => (interval === '15s' || interval === '30s' ? 3 : 0)

/**
 * `exchange` is the time at which, according to the venue, an event happened; `true` is the time at which it reached
 * the capture machine.
 */
export const timestampSources = ['exchange', 'true'] as const

export type TimestampSource = (typeof timestampSources)[number]

export const isTimestampSource = (text: string): text is TimestampSource =>
  (timestampSources as readonly string[]).includes(text)
