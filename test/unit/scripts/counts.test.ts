import { describe, expect, it } from 'vitest'
import {
  addCounts,
  countModules,
  exitStatusOf,
  lastLine,
  noTests,
  countsOfOne,
  skippedLines,
} from '../../../scripts/test/counts.mjs'

const testOf = (fullName: string, state: string, note?: string, flaky = false) => ({
  fullName,
  result: () => ({ state, note }),
  diagnostic: () => ({ flaky }),
})

function moduleOf(tests: unknown[], errors: unknown[] = [], suites: unknown[] = []) {
  return {
    moduleId: 'file.test.ts',
    errors: () => errors,
    children: { allTests: () => tests, allSuites: () => suites },
  }
}

describe('counting', () => {
  it('counts tests by what became of them', () => {
    const tests = [
      testOf('a', 'passed'),
      testOf('b', 'failed'),
      testOf('c', 'skipped', 'no keychain'),
      testOf('d', 'pending'),
    ]
    const counts = countModules([moduleOf(tests)], [])
    expect(counts).toMatchObject({ passed: 1, failed: 2, failures: ['b', 'd'] })
    expect(lastLine(counts)).toBe('1 passed, 2 failed, 1 skipped')
    expect(skippedLines(counts.skipped)).toEqual(['Skipped: c (no keychain)'])
  })

  it('names the tests that passed on their second try', () => {
    const tests = [testOf('a', 'passed'), testOf('b', 'passed', undefined, true)]
    const counts = countModules([moduleOf(tests)], [])
    expect(addCounts(counts, noTests)).toMatchObject({ passed: 2, failed: 0, secondTries: ['b'] })
  })

  it('counts a file that cannot be loaded, a hook that fails and an error outside of tests as failures', () => {
    const suite = { fullName: 'hooked', errors: () => [new Error('hook')] }
    const counts = countModules([moduleOf([], [new Error('syntax')]), moduleOf([], [], [suite])], [new Error('late')])
    expect(counts).toMatchObject({ passed: 0, failed: 3 })
    expect(counts.failures).toEqual(['file.test.ts', 'hooked', 'outside of any test: late'])
  })

  it('adds up, and succeeds only where something ran and nothing failed', () => {
    expect(lastLine(addCounts(countsOfOne('lint', true), countsOfOne('build', true)))).toBe('2 passed, 0 failed')
    expect(exitStatusOf(countsOfOne('lint', true))).toBe(0)
    expect(exitStatusOf(addCounts(countsOfOne('lint', true), countsOfOne('build', false)))).toBe(1)
    expect(exitStatusOf(noTests)).toBe(1)
  })
})
