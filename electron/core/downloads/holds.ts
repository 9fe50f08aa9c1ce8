import type { AppError } from '#shared/contract/errors.ts'
import type { Clock } from '#core/ports.ts'
import type { Hold, HoldStore } from '#core/store/holdStore.ts'

/** Which connections stand still, and which are being felt out after a failure. */
export interface Holds {
  isHeld(connectionId: string): boolean
  /** Failed lately: one job at a time until something succeeds. */
  isSuspect(connectionId: string): boolean
  hold(connectionId: string, error: AppError, delayMs: number | null): void
  /** The store itself refuses: nothing runs for a while, and nothing is written about it. */
  holdWithoutStore(error: AppError): void
  /** Those that could not be written down: only this process knows. */
  unstored(): Hold[]
  release(connectionId: string): void
  /** What another process released is released here too. */
  lookAgain(): void
  noteSuccess(connectionId: string): void
  /** @returns when the job that failed may run again */
  noteFailure(connectionId: string, error: AppError, delayMs: number): number
}

/** So many failures in a row, of any jobs, say that it is the connection and not a file. */
const SUSPICIOUS_FAILURES = 3
const STORE_RETRY_MS = 5000

interface Held {
  error: AppError
  sinceMs: number
  untilMs: number | null
  isStored: boolean
}

export function createHolds(store: HoldStore, clock: Clock): Holds {
  const held = new Map<string, Held>()
  const failures = new Map<string, number>()

  function isHeld(connectionId: string): boolean {
    const found = held.get(connectionId)
    if (!found) return false
    const nowMs = clock.nowMs()
    // Before its beginning: the clock was set back, and the end may be far away.
    if (found.untilMs === null || (nowMs >= found.sinceMs && nowMs < found.untilMs)) return true
    held.delete(connectionId)
    if (found.isStored) store.clear(connectionId)
    return false
  }

  function release(connectionId: string): void {
    held.delete(connectionId)
    failures.delete(connectionId)
    store.clear(connectionId)
  }

  const isSuspect = (connectionId: string) => (failures.get(connectionId) ?? 0) >= SUSPICIOUS_FAILURES

  function hold(connectionId: string, error: AppError, delayMs: number | null): void {
    const sinceMs = clock.nowMs()
    const untilMs = delayMs === null ? null : sinceMs + delayMs
    held.set(connectionId, { error, sinceMs, untilMs, isStored: true })
    store.set({ connectionId, error: error.toShape(), untilMs })
  }

  return {
    isHeld,
    isSuspect,
    hold,
    holdWithoutStore(error) {
      const sinceMs = clock.nowMs()
      held.set('', { error, sinceMs, untilMs: sinceMs + STORE_RETRY_MS, isStored: false })
    },
    unstored: () =>
      [...held]
        .filter(([connectionId, { isStored }]) => !isStored && isHeld(connectionId))
        .map(([connectionId, { error, untilMs }]) => ({ connectionId, error: error.toShape(), untilMs })),
    release,
    lookAgain() {
      if (held.size === 0) return
      const stored = new Set(store.list().map(({ connectionId }) => connectionId))
      for (const [connectionId, { isStored }] of held) {
        if (!isStored || stored.has(connectionId)) continue
        held.delete(connectionId)
        failures.delete(connectionId)
      }
    },
    noteSuccess: (connectionId) => void failures.delete(connectionId),
    noteFailure(connectionId, error, delayMs) {
      failures.set(connectionId, (failures.get(connectionId) ?? 0) + 1)
      if (isSuspect(connectionId)) hold(connectionId, error, delayMs)
      return clock.nowMs() + delayMs
    },
  }
}
