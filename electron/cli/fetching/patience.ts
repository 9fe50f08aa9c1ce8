/** Without a new file or byte for so long, a script is told rather than kept waiting. */
const PATIENCE_MS = 45_000
/** From one look to the next, on a very busy machine. */
const LONGEST_LOOK_MS = 2000

/** @returns tells at each look whether nothing moved for too long; time in which this machine slept does not count */
export function createPatience(nowMs: () => number) {
  let lookedAtMs = nowMs()
  let stillMs = 0
  let lastMark = ''
  return (mark: string, isExcused: boolean): boolean => {
    const sinceMs = Math.min(nowMs() - lookedAtMs, LONGEST_LOOK_MS)
    lookedAtMs = nowMs()
    stillMs = mark !== lastMark || isExcused ? 0 : stillMs + sinceMs
    lastMark = mark
    return stillMs > PATIENCE_MS
  }
}
