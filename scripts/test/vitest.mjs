/** Runs vitest for the parts of a test run, and says which test files share their workers. */
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join, matchesGlob } from 'node:path'
import { findElectron } from '../electronBinary.mjs'
import { runProgram } from '../processes.mjs'
import { at, findChromium, projectNode, root } from '../project.mjs'
import { countsOfOne } from './counts.mjs'

/** Runs vitest with a report of counts. @param {string[]} args projects, paths and options of vitest */
export async function runVitest(name, args, runFolder, { show = true, face = '', venues = '', program = '' } = {}) {
  const reportFile = join(runFolder, `${name.replaceAll(/\W+/g, '-')}.json`)
  const env = {
    ...process.env,
    PERPSCOPE_TEST_FOLDER: runFolder,
    NODE_COMPILE_CACHE: join(runFolder, 'compiled'),
    PERPSCOPE_TEST_REPORT: reportFile,
    PERPSCOPE_CHROMIUM: findChromium() ?? '',
    PERPSCOPE_FACE: face,
    PERPSCOPE_TEST_VENUES: venues,
    PERPSCOPE_TEST_PROGRAM: program,
    PERPSCOPE_ELECTRON: findElectron() ?? '',
  }
  const reporters = ['--reporter=default', '--reporter=./scripts/test/counts.mjs']
  const vitest = [at('node_modules', 'vitest', 'vitest.mjs'), 'run', '--passWithNoTests', ...reporters, ...args]
  const { status, output } = await runProgram(projectNode(), vitest, { cwd: root, env, show })
  if (!existsSync(reportFile)) return { ...countsOfOne(`${name}: vitest ended without a result`, false), output }
  const counts = { ...JSON.parse(readFileSync(reportFile, 'utf8')), output }
  // vitest can also fail without a failed test, for example if a project does not exist.
  const isUnexplained = status !== 0 && counts.failed === 0
  return isUnexplained ? { ...countsOfOne(`${name}: vitest ended with status ${status}`, false), output } : counts
}

/** Folders below test/ whose files need neither a browser, nor a second process, nor a build. */
export const unitFolders = ['unit', 'contract', 'migrations', 'components']
export const integrationFolders = ['integration', 'security', 'conformance', 'electron']
export const nodeProjects = ['--project', 'node', '--project', 'components']

/** Lists the test files below a folder of test/, as paths from the root. */
const filesBelow = (folder) =>
  readdirSync(at('test', folder), { recursive: true })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => `test/${folder}/${name.replaceAll('\\', '/')}`)

/**
 * Tells whether a test file needs a worker of its own: because it replaces modules, or because it records what the
 * window stores and so must be the first to load the window. The others share their workers, and with them the loaded
 * modules, which takes less than half the time.
 */
const needsOwnWorker = (path) =>
  path === 'test/components/promises.test.ts' ||
  // Measures the memory of its process.
  path === 'test/integration/guard/fuzz.test.ts' ||
  readFileSync(at(path), 'utf8').includes('vi.mock(')

export const nodeFiles = [...unitFolders, ...integrationFolders].flatMap(filesBelow)
export const ownWorkerFiles = nodeFiles.filter(needsOwnWorker)

/** Returns the arguments of vitest for the files of folders that share their workers. */
export const inSharedWorkers = (folders, leftOut = []) => [
  '--no-isolate',
  ...[...ownWorkerFiles, ...leftOut].flatMap((path) => ['--exclude', path]),
  ...folders.map((folder) => `test/${folder}/`),
]

/**
 * Tests that only the full run includes, because they are slow: the sandbox's own tests take a fifth of the time of all
 * unit tests, and the sandbox rarely changes; the promises test opens every screen on a real core; the WebSocket test
 * repeats contract calls that other tests make in process; the last two wait until processes that hang are killed.
 */
export const leftOutOfQuick = [
  'test/unit/sandbox/**',
  'test/components/promises.test.ts',
  'test/contract/webSocket.test.ts',
  'test/unit/guard/guard.test.ts',
  'test/unit/downloads/validationPool.test.ts',
]

/** Tells whether the quick run includes a test file. */
export const isQuick = (path) =>
  unitFolders.some((folder) => path.startsWith(`test/${folder}/`)) &&
  !leftOutOfQuick.some((pattern) => matchesGlob(path, pattern))

/** Runs test files that need no browser, those that share workers first. @returns the results, one or two */
export async function runNodeFiles(name, paths, runFolder, options) {
  const own = paths.filter((path) => ownWorkerFiles.includes(path))
  const shared = paths.filter((path) => !own.includes(path))
  const results = []
  if (shared.length > 0)
    results.push(await runVitest(name, [...nodeProjects, '--no-isolate', ...shared], runFolder, options))
  if (own.length > 0) results.push(await runVitest(`${name} isolated`, [...nodeProjects, ...own], runFolder, options))
  return results
}
