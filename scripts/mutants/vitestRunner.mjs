/**
 * Keeps one vitest process alive in a copy of the checkout. For each message of its parent it runs test files until the
 * first failure. The parent kills the process if a mutant does not terminate.
 */
import { join } from 'node:path'
import { createVitest } from 'vitest/node'

const folder = process.argv[2]

/** Paths of the test files in the order in which they should run. */
let orderedPaths = []

class GivenOrder {
  sort(specifications) {
    return specifications.toSorted((a, b) => orderedPaths.indexOf(a.moduleId) - orderedPaths.indexOf(b.moduleId))
  }
  shard(specifications) {
    return specifications
  }
}

const vitest = await createVitest('test', {
  root: folder,
  config: false,
  watch: false,
  include: ['test/**/*.test.ts'],
  setupFiles: [join(import.meta.dirname, 'setup.mjs')],
  pool: 'threads',
  isolate: false,
  maxWorkers: 1,
  fileParallelism: false,
  bail: 1,
  reporters: [{}],
  sequence: { sequencer: GivenOrder },
  testTimeout: 30_000,
  hookTimeout: 30_000,
})
await vitest.standalone()

function failuresOf({ testModules, unhandledErrors }) {
  const failures = unhandledErrors.map(({ message }) => String(message))
  for (const module of testModules) {
    for (const each of [module, ...module.children.allSuites()])
      if (each.errors().length > 0)
        failures.push(`${each.fullName ?? module.relativeModuleId}: ${each.errors()[0].message}`)
    for (const test of module.children.allTests('failed')) failures.push(test.fullName)
  }
  return failures
}

const factsOf = (test) => ({
  id: test.id,
  path: test.module.moduleId,
  seconds: (test.diagnostic()?.duration ?? 0) / 1000,
  state: test.result().state,
})

/** Runs test files; of a file with `ids` only the tests with these ids run. */
async function run({ tests, changed }) {
  orderedPaths = tests.map(({ path }) => join(folder, path))
  for (const path of changed) vitest.invalidateFile(join(folder, path))
  const project = vitest.getRootProject()
  const specifications = tests.map(({ ids }, index) =>
    project.createSpecification(orderedPaths[index], ids ? { testIds: ids } : undefined),
  )
  // Vitest keeps a failed test in its state until that test runs again. The state is cleared, so that the failure does
  // not also count against the mutants that follow.
  vitest.state.filesMap.clear()
  vitest.state.idMap.clear()
  const result = await vitest.runTestSpecifications(specifications)
  const modules = result.testModules
  const files = modules.map((module) => ({ path: module.moduleId, passed: module.state() === 'passed' }))
  const ran = modules.flatMap((module) => [...module.children.allTests()].map(factsOf))
  vitest.state.clearErrors?.()
  return { failures: failuresOf(result), files, tests: ran.filter(({ state }) => state !== 'skipped') }
}

process.on('message', async (message) => {
  try {
    process.send(await run(message))
  } catch (error) {
    process.send({ failures: [`vitest: ${error.stack}`], files: [], tests: [] })
  }
})
process.on('disconnect', () => process.exit())
process.send({ ready: true })
