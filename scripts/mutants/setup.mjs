/**
 * Runs before each test file of a mutation test. Property tests get the same values for every mutant, and failures are
 * not shrunk. In the run with probes it records where each test starts and ends.
 */
import fc from 'fast-check'
import { afterEach, beforeEach } from 'vitest'

fc.configureGlobal({ seed: 20261122, endOnFailure: true })
globalThis.__markTest?.('')
beforeEach(({ task }) => globalThis.__markTest?.(task.id))
afterEach(() => globalThis.__markTest?.(''))
