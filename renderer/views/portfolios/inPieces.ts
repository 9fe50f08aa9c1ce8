import { createPace } from '../../tables/sortRows.ts'

/**
 * Runs a long computation in pieces, between which the window stays responsive. Rejects where nobody waits any more.
 */
export async function inPieces<Value>(steps: Generator<void, Value, void>, signal: AbortSignal): Promise<Value> {
  const pace = createPace(signal)
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
    // Most pieces are short: no promise for each.
    const breath = pace()
    if (breath) await breath
  }
}
