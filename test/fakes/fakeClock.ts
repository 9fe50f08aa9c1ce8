import type { Clock } from '#core/ports.ts'

export interface FakeClock extends Clock {
  advance(ms: number): void
}

export function fakeClock(startMs = Date.UTC(2026, 8, 1, 12)): FakeClock {
  let nowMs = startMs
  return {
    nowMs: () => nowMs,
    advance(ms) {
      nowMs += ms
    },
  }
}
