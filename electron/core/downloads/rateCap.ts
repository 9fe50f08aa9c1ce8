import { setTimeout as sleep } from 'node:timers/promises'

/** Holds all transfers together below a rate. Null while there is room. */
export type Paced = (bytes: number, signal: AbortSignal) => Promise<void> | null

/** @param megabytesPerSecond asked each time, so that a changed setting counts at once; null for no limit */
export function createRateCap(megabytesPerSecond: () => number | null, nowMs: () => number): Paced {
  let freeAtMs = 0
  return (bytes, signal) => {
    const cap = megabytesPerSecond()
    if (cap === null) return null
    const now = nowMs()
    // Never more ahead than a second: a clock that jumps back must not stop everything.
    freeAtMs = Math.min(Math.max(freeAtMs, now), now + 60_000) + bytes / (cap * 1000)
    const waitMs = freeAtMs - now
    return waitMs < 5 ? null : sleep(waitMs, undefined, { signal })
  }
}
