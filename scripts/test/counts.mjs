/**
 * Counts the passed, failed and skipped tests of all suites; its default export is the vitest reporter that saves these
 * counts.
 */
import { writeFileSync } from 'node:fs'

export const noTests = { passed: 0, failed: 0, skipped: [], failures: [], secondTries: [] }

export const countsOfOne = (name, passed) => ({
  ...noTests,
  passed: passed ? 1 : 0,
  failed: passed ? 0 : 1,
  failures: passed ? [] : [name],
})

export function addCounts(a, b) {
  return {
    passed: a.passed + b.passed,
    failed: a.failed + b.failed,
    skipped: [...a.skipped, ...b.skipped],
    failures: [...a.failures, ...b.failures],
    secondTries: [...a.secondTries, ...b.secondTries],
  }
}

/**
 * Counts the tests of the modules that vitest ran. A file or hook that fails, and an error outside of any test, counts
 * as a failure too.
 */
export function countModules(modules, unhandledErrors) {
  let counts = noTests
  for (const module of modules) {
    const broken = [module, ...module.children.allSuites()].filter((each) => each.errors().length > 0)
    for (const { fullName, moduleId } of broken) counts = addCounts(counts, countsOfOne(fullName ?? moduleId, false))
    for (const test of module.children.allTests()) counts = addCounts(counts, countTest(test))
  }
  for (const error of unhandledErrors)
    counts = addCounts(counts, countsOfOne(`outside of any test: ${error.message}`, false))
  return counts
}

function countTest(test) {
  const { state, note } = test.result()
  if (state === 'skipped') return { ...noTests, skipped: [{ name: test.fullName, reason: note ?? null }] }
  return {
    ...countsOfOne(test.fullName, state === 'passed'),
    secondTries: test.diagnostic()?.flaky ? [test.fullName] : [],
  }
}

/** Formats the last line of a run. */
export function lastLine({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed${skipped.length > 0 ? `, ${skipped.length} skipped` : ''}`
}

/** Formats a line for each skipped test, grouped by the reason for skipping. */
export function skippedLines(skipped) {
  const byReason = new Map()
  for (const { name, reason } of skipped) byReason.set(reason, [...(byReason.get(reason) ?? []), name])
  return [...byReason].flatMap(([reason, names]) =>
    names.map((name) => `Skipped: ${name} (${reason ?? 'no reason given'})`),
  )
}

/** Returns 1 if a test failed or none ran, because a run without tests proves nothing. */
export const exitStatusOf = ({ passed, failed }) => (failed > 0 || passed === 0 ? 1 : 0)

/**
 * Sums the seconds per folder below test/, imports and hooks included; the largest sum comes first. Files run in
 * parallel, so a sum may exceed the elapsed time.
 */
export function secondsByFolder(modules) {
  const seconds = new Map()
  for (const module of modules) {
    const folder = /\btest[\\/]([^\\/]+)/.exec(module.moduleId)?.[1] ?? 'other'
    const { duration, collectDuration, setupDuration, prepareDuration, environmentSetupDuration } = module.diagnostic()
    const all = duration + collectDuration + setupDuration + prepareDuration + environmentSetupDuration
    seconds.set(folder, (seconds.get(folder) ?? 0) + all / 1000)
  }
  return [...seconds].sort((a, b) => b[1] - a[1])
}

/** Formats durations in a line such as `lint 12.3 s, unit 45.6 s`. @param {(readonly [string, number])[]} named */
export const secondsLine = (named) => named.map(([name, seconds]) => `${name} ${seconds.toFixed(1)} s`).join(', ')

/**
 * Writes the counts, the reasons of skipped tests and the seconds per folder to the file that PERPSCOPE_TEST_REPORT
 * names.
 */
export default class CountReporter {
  onTestRunEnd(modules, unhandledErrors) {
    const report = { ...countModules(modules, unhandledErrors), folders: secondsByFolder(modules) }
    writeFileSync(process.env.PERPSCOPE_TEST_REPORT, JSON.stringify(report))
  }
}
