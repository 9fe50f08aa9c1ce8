/** Runs the tests against the mutants of a folder and finds the mutants that survive. */
import { addProbes, mutate } from './draw.mjs'
import { createRunner } from './runner.mjs'

/** Computes the timeout of a test run: five times its duration without a mutant, plus 30 s. */
const timeoutOf = (seconds) => 30_000 + seconds * 5000

/**
 * Runs every test file once on sources with probes.
 * @returns per test file its seconds and the mutants that it reaches, and the files that fail without any mutant
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
      const result = await runner.run([path], [], 300_000)
      const seconds = (performance.now() - startedAt) / 1000
      const reached = runner.takeReached()
      if (result.ended || result.failures.length > 0) broken.push({ path, why: result.ended ?? result.failures[0] })
      else found.push({ path, seconds, reached, kills: 0 })
    }
  } finally {
    runner.close()
  }
  return { found, broken }
}

/** Lists the tests that reach a mutant, those that kill most mutants per second first. */
function testsFor(mutant, tests) {
  const reaching = tests.filter(({ reached }) => reached.has(mutant.id))
  return reaching.sort((a, b) => (b.kills + 0.1) / (b.seconds + 0.2) - (a.kills + 0.1) / (a.seconds + 0.2))
}

async function judgeOne(runner, mutant, text, tests) {
  const reaching = testsFor(mutant, tests)
  if (reaching.length === 0) return { ...mutant, state: 'not reached' }
  const seconds = reaching.reduce((sum, test) => sum + test.seconds, 0)
  runner.write(mutant.path, mutate(text, mutant))
  const paths = reaching.map(({ path }) => path)
  const result = await runner.run(paths, [mutant.path], timeoutOf(seconds))
  runner.write(mutant.path, text)
  if (result.ended) return { ...mutant, state: 'killed', by: result.ended }
  if (result.failures.length === 0) return { ...mutant, state: 'survived' }
  const killer = result.files.find(({ passed }) => !passed)?.path.replaceAll('\\', '/')
  const test = reaching.find(({ path }) => killer?.endsWith(path))
  if (test) test.kills++
  return { ...mutant, state: 'killed', by: result.failures[0] }
}

/** Judges all mutants, one at a time in each runner. */
export async function judgeMutants(checkout, sources, mutants, tests, { cores, onJudged }) {
  const textOf = new Map(sources.map(({ path, text }) => [path, text]))
  const waiting = [...mutants]
  const judged = []
  async function work() {
    const runner = createRunner(checkout)
    try {
      let last = null
      for (let mutant = waiting.shift(); mutant; mutant = waiting.shift()) {
        // The file of the previous mutant has its original text again.
        if (last !== null && last !== mutant.path) await runner.run([], [last], 60_000)
        last = mutant.path
        const result = await judgeOne(runner, mutant, textOf.get(mutant.path), tests)
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
