import { MS_PER_DAY, MS_PER_HOUR } from '#shared/time.ts'
import { dayNumberAt, marketDay } from '../market/days.ts'

const REFRESH_DELAY_MS = 5 * 60_000
/** Time from which `as_of` is `close` by default. */
const closeIsDefaultFromMs = marketDay('2026-05-29') * MS_PER_DAY

export type SnapshotAsOf = 'latest' | 'close'

/** Times of the snapshots that the service offers at a given time. */
export interface SnapshotClock {
  /** Number of the previous trading day, the last one with end-of-day values. */
  closeDay: number
  closeCreatedAt: string
  /** Day and hour of the latest intraday snapshot. */
  liveDay: number
  liveHour: number
  liveCreatedAt: string
  defaultAsOf: SnapshotAsOf
}

/**
 * Returns the times of the latest snapshots at a given time. Days end at 00:00 UTC; each hourly
 * snapshot is published five minutes past the hour.
 */
export function snapshotClockAt(nowMs: number): SnapshotClock {
  const closeDay = dayNumberAt(nowMs) - 1
  const liveMs = Math.floor((nowMs - REFRESH_DELAY_MS) / MS_PER_HOUR) * MS_PER_HOUR
  const liveDay = dayNumberAt(liveMs)
  return {
    closeDay,
    closeCreatedAt: new Date((closeDay + 1) * MS_PER_DAY).toISOString(),
    liveDay,
    liveHour: (liveMs - liveDay * MS_PER_DAY) / MS_PER_HOUR,
    liveCreatedAt: new Date(liveMs + REFRESH_DELAY_MS).toISOString(),
    defaultAsOf: nowMs < closeIsDefaultFromMs ? 'latest' : 'close',
  }
}
