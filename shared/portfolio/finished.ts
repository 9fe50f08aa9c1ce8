/** Runs a computation in pieces to its end at once, for callers without a window to keep responsive. */
export function finished<Value>(steps: Generator<void, Value, void>): Value {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}
