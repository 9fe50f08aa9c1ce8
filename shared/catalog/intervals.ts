import type { Tier } from './tiers.ts'

/** The intervals the metrics service offers; the engine also computes any other one that divides a day. */
export const intervals = ['15s', '30s', '1m', '5m', '15m', '30m', '1h', '4h', '1d'] as const

export type Interval = (typeof intervals)[number]

export const isInterval = (text: string): text is Interval => (intervals as readonly string[]).includes(text)

/** The lowest tier that may ask the service for this interval. */
export const intervalTier = (interval: Interval): Tier => (interval === '15s' || interval === '30s' ? 3 : 0)

/** `exchange`: when the venue says it happened; `true`: when it reached the capture machine. */
export const timestampSources = ['exchange', 'true'] as const

export type TimestampSource = (typeof timestampSources)[number]

export const isTimestampSource = (text: string): text is TimestampSource =>
  (timestampSources as readonly string[]).includes(text)
