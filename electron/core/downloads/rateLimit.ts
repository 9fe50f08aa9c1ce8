import { setTimeout as sleep } from 'node:timers/promises'

/** Delays transfers so that all of them together stay below a rate; null where no wait is needed. */
export type Throttle = (bytes: number, signal: AbortSignal) => Promise<void> | null

/** Largest delay that the limiter remembers, because a clock that jumps back must not stop every transfer. */
const MAX_BACKLOG_MS = 60_000
/** Waits below this are not worth a timer. */
const MIN_WAIT_MS = 5

/** @param megabytesPerSecond read for every chunk, so that a changed setting applies at once; null for no limit */
export function createRateLimit(megabytesPerSecond: () => number | null, nowMs: () => number): Throttle {
  let freeAtMs = 0
  return (bytes, signal) => {
    const limit = megabytesPerSecond()
    if (limit === null) return null
    const now = nowMs()
    freeAtMs = Math.min(Math.max(freeAtMs, now), now + MAX_BACKLOG_MS) + bytes / (limit * 1000)
    const waitMs = freeAtMs - now
    return waitMs < MIN_WAIT_MS ? null : sleep(waitMs, undefined, { signal })
  }
}

/** Bytes per second over the last few seconds. */
export interface RateMeter {
  add(bytes: number): void
  perSecond(): number
}

const SLOT_MS = 250
const SLOTS = 20
/** Shortest time that a rate is computed over, so that the first of many files does not show as a peak. */
const SHORTEST_MS = 500

export function createRateMeter(nowMs: () => number): RateMeter {
  const slots = new Map<number, number>()
  /** Time of the first byte after a pause as long as the meter's window. */
  let startedMs: number | null = null
  let lastSlot = -1
  const dropOldSlots = () => {
    const oldest = Math.floor(nowMs() / SLOT_MS) - SLOTS
    for (const slot of slots.keys()) if (slot <= oldest) slots.delete(slot)
    if (slots.size === 0) startedMs = null
  }
  return {
    add(bytes) {
      if (bytes <= 0) return
      const slot = Math.floor(nowMs() / SLOT_MS)
      if (slot !== lastSlot) dropOldSlots()
      lastSlot = slot
      startedMs ??= nowMs()
      slots.set(slot, (slots.get(slot) ?? 0) + bytes)
    },
    perSecond() {
      dropOldSlots()
      if (startedMs === null) return 0
      const bytes = [...slots.values()].reduce((sum, each) => sum + each, 0)
      const overMs = Math.min(SLOT_MS * SLOTS, Math.max(SHORTEST_MS, nowMs() - startedMs))
      return Math.round((bytes * 1000) / overMs)
    },
  }
}
