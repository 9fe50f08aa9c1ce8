/** Runs the tests against the mutants of a folder and finds the mutants that survive. */
import { addProbes, mutate } from './draw.mjs'
import { createRunner } from './runner.mjs'

/** Computes the timeout of a test run in milliseconds: five times its duration without a mutant, plus 30 s. */
const timeoutMsOf = (seconds) => 30_000 + seconds * 5000

/**
 * Runs every test file once without mutants, on sources with probes.
 * @returns `found`: the test files, each with its duration and the mutants whose code it runs; `broken`: the files that
 * fail without any mutant
 */
export async function surveyTests(checkout, sources, mutants, tests) {
  const runner = createRunner(checkout, { hasProbes: true })
  const found = []
  const broken = []
  try {
    for (const { path, text } of sources)
      runner.write(
        path,
        addProbes(
          text,
          mutants.filter((mutant) => mutant.path === path),
        ),
      )
    for (const path of tests) {
      const startedAt = performance.now()
      const result = await runner.run([{ path }], [], 300_000)
      const seconds = (performance.now() - startedAt) / 1000
      const reached = runner.takeReached()
      if (result.ended || result.failures.length > 0) broken.push({ path, why: result.ended ?? result.failures[0] })
      else found.push(testFileOf(path, seconds, result.tests, reached))
    }
  } finally {
    runner.close()
  }
  return { found, broken }
}

/** A test file that takes longer than this is split: for each mutant only its tests that reach the mutant run. */
const SLOW_FILE_SECONDS = 5
/** A test of a split file that takes longer than this runs by itself, after all faster tests have passed. */
const SLOW_TEST_SECONDS = 4

function testFileOf(path, seconds, tests, reached) {
  const isSlow = seconds > SLOW_FILE_SECONDS && tests.length > 1
  const testsWithReach = tests.map((test) => ({ ...test, reached: reached.get(test.id) ?? new Set() }))
  const allReached = new Set([...reached.values()].flatMap((ids) => [...ids]))
  return {
    path,
    seconds,
    isSplit: isSlow,
    tests: testsWithReach,
    reachedOutsideTests: reached.get(''),
    reached: allReached,
    kills: 0,
  }
}

/** Divides the tests that reach a mutant into runs: one with all quick tests, then one for each slow test. */
function runsFor(mutant, files) {
  const reaching = files.filter(({ reached }) => reached.has(mutant.id))
  // Files that have killed the most mutants per second come first.
  reaching.sort((a, b) => (b.kills + 0.1) / (b.seconds + 0.2) - (a.kills + 0.1) / (a.seconds + 0.2))
  const quick = []
  const slow = []
  for (const file of reaching) {
    if (!file.isSplit) {
      quick.push({ file, seconds: file.seconds })
      continue
    }
    const tests = file.tests.filter(({ reached }) => reached.has(mutant.id) || file.reachedOutsideTests.has(mutant.id))
    const [quickTests, slowTests] = [false, true].map((isSlow) =>
      tests.filter(({ seconds }) => seconds > SLOW_TEST_SECONDS === isSlow),
    )
    if (quickTests.length > 0) quick.push(partOf(file, quickTests))
    for (const test of slowTests) slow.push(partOf(file, [test]))
  }
  slow.sort((a, b) => a.seconds - b.seconds)
  return [quick, ...slow.map((part) => [part])].filter((parts) => parts.length > 0)
}

const partOf = (file, tests) => ({
  file,
  ids: tests.map(({ id }) => id),
  // Loading the test file takes about a second.
  seconds: 1 + tests.reduce((sum, { seconds }) => sum + seconds, 0),
})

/**
 * Maximum number of attempts to judge a mutant. An attempt decides nothing if the failed tests also fail, or take too
 * long, without the mutant, because then the machine may just be too busy.
 */
const MOST_ATTEMPTS = 3

async function judgeMutant(runner, mutant, text, files, attempt = 1) {
  const runs = runsFor(mutant, files)
  if (runs.length === 0) return { ...mutant, state: 'not reached' }
  for (const parts of runs) {
    const result = await runMutated(runner, mutant, text, parts)
    if (!result.ended && result.failures.length === 0) continue
    const suspects = suspectsOf(result, parts)
    if (suspects.length > 0 && !(await passesWithout(runner, mutant, suspects))) {
      // The failed test may depend on tests that ran before it, so after the second such failure its file is no
      // longer split.
      for (const { file } of suspects) if (attempt > 1) file.isSplit = false
      if (attempt < MOST_ATTEMPTS) return judgeMutant(runner, mutant, text, files, attempt + 1)
      return { ...mutant, state: 'undecided' }
    }
    const killer = failedFileOf(result, parts)
    if (killer) killer.kills++
    return { ...mutant, state: 'killed', by: result.ended ?? result.failures[0] }
  }
  return { ...mutant, state: 'survived' }
}

async function runMutated(runner, mutant, text, parts) {
  runner.write(mutant.path, mutate(text, mutant))
  const result = await runParts(runner, mutant, parts)
  runner.write(mutant.path, text)
  return result
}

function runParts(runner, mutant, parts) {
  const seconds = parts.reduce((sum, part) => sum + part.seconds, 0)
  const tests = parts.map(({ file, ids }) => ({ path: file.path, ids }))
  return runner.run(tests, [mutant.path], timeoutMsOf(seconds))
}

const endsWith = (path, end) => path.replaceAll('\\', '/').endsWith(end)

const failedFileOf = ({ files = [] }, parts) => {
  const failed = files.find(({ passed }) => !passed)
  return failed && parts.find(({ file }) => endsWith(failed.path, file.path))?.file
}

/**
 * Lists the tests to run again without the mutant, because their failure may only mean that the machine is busy: all
 * tests of a run that timed out; else the failed test, if it timed out itself or belongs to a slow file, whose tests
 * wait for other threads or processes.
 */
function suspectsOf(result, parts) {
  if (result.ended === 'timeout') return parts
  const failed = result.tests?.find(({ state }) => state === 'failed')
  const file = failedFileOf(result, parts)
  if (!failed || !file) return []
  const isSuspect = file.isSplit || result.failures.some((message) => message.includes('timed out'))
  return isSuspect ? [{ file, ids: [failed.id], seconds: failed.seconds }] : []
}

async function passesWithout(runner, mutant, parts) {
  const result = await runParts(runner, mutant, parts)
  return !result.ended && result.failures.length === 0
}

/** Judges all mutants in parallel runners, each of which judges one at a time. */
export async function judgeMutants(checkout, sources, mutants, testFiles, { cores, onJudged }) {
  const textByPath = new Map(sources.map(({ path, text }) => [path, text]))
  const waiting = [...mutants]
  const judged = []
  async function work() {
    const runner = createRunner(checkout)
    try {
      let lastPath = null
      for (let mutant = waiting.shift(); mutant; mutant = waiting.shift()) {
        // This run without tests tells Vitest that the previous mutant's file was restored; otherwise Vitest would
        // still use the mutant.
        if (lastPath !== null && lastPath !== mutant.path) await runner.run([], [lastPath], 60_000)
        lastPath = mutant.path
        const result = await judgeMutant(runner, mutant, textByPath.get(mutant.path), testFiles)
        judged.push(result)
        onJudged(result)
      }
    } finally {
      runner.close()
    }
  }
  await Promise.all(Array.from({ length: cores }, work))
  return judged.sort((a, b) => a.id - b.id)
}
