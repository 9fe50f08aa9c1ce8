/**
 * Runs before each test file of a mutation run. Property tests draw the same values for every mutant, and failures are
 * not shrunk. In the first run it marks each test in the notes of what was reached.
 */
import fc from 'fast-check'
import { afterEach, beforeEach } from 'vitest'

fc.configureGlobal({ seed: 20261122, endOnFailure: true })
globalThis.__markTest?.('')
beforeEach(({ task }) => globalThis.__markTest?.(task.id))
afterEach(() => globalThis.__markTest?.(''))
