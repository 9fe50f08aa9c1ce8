import { beforeAll, onTestFinished } from 'vitest'

/** Function that registers work for the end of one test, or of all tests that share a value. */
export type Ending = (end: () => unknown) => void

export const endOfTest: Ending = (end) => onTestFinished(async () => void (await end()))

/**
 * Makes something once for all tests of the surrounding suite, where starting it takes longer than the tests
 * themselves.
 */
export function sharedByTests<Value>(make: (ending: Ending) => Value | Promise<Value>): () => Value {
  let made: { value: Value }
  beforeAll(async () => {
    const ends: (() => unknown)[] = []
    made = { value: await make((end) => ends.push(end)) }
    return async () => {
      for (const end of ends.toReversed()) await end()
    }
  })
  return () => made.value
}
