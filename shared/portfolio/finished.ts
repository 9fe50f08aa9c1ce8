/** What a computation in pieces comes to, all of it at once: where nothing waits for a window. */
export function finished<Value>(steps: Generator<void, Value, void>): Value {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}
