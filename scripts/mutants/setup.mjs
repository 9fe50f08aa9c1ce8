/**
 * Runs before each test file of a mutation run. Property tests draw the same values for every mutant, and failures are
 * not shrunk.
 */
import fc from 'fast-check'

fc.configureGlobal({ seed: 20261122, endOnFailure: true })
globalThis.__reachedIds?.clear()
