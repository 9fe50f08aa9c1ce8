/** What a computation in pieces comes to. */
export function finished<Value>(steps: Generator<void, Value, void>): Value {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}
