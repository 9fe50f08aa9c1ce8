import { MS_PER_DAY, MS_PER_HOUR } from '#shared/time.ts'
import { dayNumberAt, dayNumberOf } from '../market/days.ts'

const REFRESH_DELAY_MS = 5 * 60_000
const closeIsDefaultFromMs = dayNumberOf('2026-05-29') * MS_PER_DAY

export type AsOf = 'latest' | 'close'

/** Clock of the snapshots that the service knows at an instant. */
export interface SnapshotClock {
  /** The previous trading day: the last one with end-of-day values (day number). */
  closeDay: number
  closeCreatedAt: string
  /** Day and full hour of the latest intraday snapshot. */
  liveDay: number
  liveHour: number
  liveCreatedAt: string
  defaultAsOf: AsOf
}

/** Days end at 00:00 UTC; the snapshot of a full hour appears five minutes past it. */
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
