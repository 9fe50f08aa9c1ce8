/** Before each test file of a mutation run: random tests draw the same values for every mutant, and do not shrink what they find. */
import fc from 'fast-check'

fc.configureGlobal({ seed: 20261122, endOnFailure: true })
globalThis.__reachedIds?.clear()
