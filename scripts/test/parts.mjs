/**
 * Lists the parts of a test run, in their order. A part either runs and returns the counts of its tests, or says why it
 * cannot run here. Early parts depend on no other part, so they start at once and run beside the others. Parts of the
 * same lane run in parallel if the machine has enough cores.
 */
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { build, isBuilt } from '../builds.mjs'
import { findElectron } from '../electronBinary.mjs'
import { runProgram } from '../processes.mjs'
import { renderingObstacle } from '../pictures/renderer.mjs'
import { at, findChromium, hasDisplay, projectNode, root } from '../project.mjs'
import { noTests, countsOfOne } from './counts.mjs'
import { dealShards, shardsAtOnce, testFilesIn } from './shards.mjs'

/** Creates a part that passes or fails as a whole. The output of an early part is printed only with its result. */
function check(name, script, args, { isEarly = false } = {}) {
  return {
    name,
    isEarly,
    run: async () => {
      const program = [at('node_modules', ...script), ...args]
      const { status, output } = await runProgram(projectNode(), program, { cwd: root, show: !isEarly })
      return { ...countsOfOne(name, status === 0), output }
    },
  }
}

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

let building

/** Resolves to whether a build of the current sources exists; shards that start together build only once. */
const ensureBuilt = () => (building ??= isBuilt() ? Promise.resolve(true) : build().then(({ status }) => status === 0))

async function runOnBuild(name, args, runFolder, options) {
  return (await ensureBuilt())
    ? runVitest(name, args, runFolder, options)
    : countsOfOne(`${name}: the build failed`, false)
}

/** Folders below test/ whose files need neither a browser, nor a second process, nor a build. */
const unitFolders = ['unit', 'contract', 'migrations', 'components']
const integrationFolders = ['integration', 'security', 'conformance', 'electron']
const nodeProjects = ['--project', 'node', '--project', 'components']

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

const nodeFiles = [...unitFolders, ...integrationFolders].flatMap(filesBelow)
const ownWorkerFiles = nodeFiles.filter(needsOwnWorker)

/** Returns the arguments of vitest for the files of folders that share their workers. */
const inSharedWorkers = (folders, leftOut = []) => [
  '--no-isolate',
  ...[...ownWorkerFiles, ...leftOut].flatMap((path) => ['--exclude', path]),
  ...folders.map((folder) => `test/${folder}/`),
]

/** Tests start the built command line, because it starts in half the time that the sources need. */
const builtProgram = () => ({ program: isBuilt() ? at('out', 'main', 'cli.js') : '' })

const hasTests = (folder) => existsSync(at('test', folder)) && readdirSync(at('test', folder)).length > 0

/** Number of shards of the end-to-end test files, chosen so that each one takes a few minutes. */
const E2E_SHARDS = 4
/** Number of shards of the stories that run through the preload's bridge. */
const BRIDGE_SHARDS = 2

/**
 * Tells whether the stories of a test file open the whole app rather than a single component. Such stories run in every
 * host of the app.
 */
const isForEveryFace = ({ name }) => /\bopen(Window|Shell)\b/.test(readFileSync(at('test', 'e2e', name), 'utf8'))

/**
 * Venues of the sandbox in the stories that run through the bridge, so that every story runs once with other names than
 * those of the service documents.
 */
const otherVenues =
  'alpha-futures,short=alpha,sizes=base;beta-perps,short=beta,sizes=contracts;gamma-perps,short=gamma,sizes=base,times=modelled'

/** The end-to-end shards of all faces share a lane: as many run at the same time as the machine has cores for. */
const e2eLane = { limit: shardsAtOnce() }

/**
 * Creates the parts that run shards of the end-to-end test files. `node scripts/test.mjs e2e` runs all shards in the
 * browser host, `node scripts/test.mjs bridge` those through the preload's bridge.
 */
function e2eShards(group, files, count, face, venues = '') {
  return dealShards(files, count).map((names, index) => ({
    name: `${group} ${index + 1}/${count}`,
    group,
    lane: e2eLane,
    obstacle: () => (findChromium() ? null : 'no Chromium or Chrome was found'),
    run: async (runFolder) => {
      if (names.length === 0) return noTests
      const args = ['--project', 'e2e', '--no-isolate', ...names.map((name) => `test/e2e/${name}`)]
      return runOnBuild(`${group} ${index + 1}`, args, runFolder, { show: e2eLane.limit === 1, face, venues })
    },
  }))
}

const e2eFiles = hasTests('e2e') ? testFilesIn(at('test', 'e2e')) : []
const hostedFiles = e2eFiles.filter(isForEveryFace)

const types = check('types', ['vue-tsc', 'bin', 'vue-tsc.js'], ['--build', 'tsconfig.json', '--pretty'], {
  isEarly: true,
})
const eslint = ['eslint', 'bin', 'eslint.js']
const lintAll = ['.', '--max-warnings', '0']
const lintCache = ['--cache', '--cache-location', 'node_modules/.cache/eslint/', '--cache-strategy', 'content']

/** Parts that `npm test` runs, as far as this machine can. */
export const parts = [
  check('lint', eslint, lintAll),
  check('format', ['oxfmt', 'bin', 'oxfmt'], ['--check', '.']),
  { name: 'build', run: async () => countsOfOne('build', (await build()).status === 0) },
  types,
  {
    name: 'unit',
    run: (runFolder) => runVitest('unit', [...nodeProjects, ...inSharedWorkers(unitFolders)], runFolder),
  },
  {
    name: 'integration',
    run: (runFolder) => {
      const args = [...nodeProjects, ...inSharedWorkers(integrationFolders)]
      return runVitest('integration', args, runFolder, builtProgram())
    },
  },
  {
    name: 'isolated',
    run: (runFolder) => runVitest('isolated', [...nodeProjects, ...ownWorkerFiles], runFolder, builtProgram()),
  },
  ...e2eShards('e2e', e2eFiles, E2E_SHARDS, 'browser'),
  ...e2eShards('bridge', hostedFiles, BRIDGE_SHARDS, 'bridge', otherVenues),
  {
    name: 'pictures',
    obstacle: () => (findChromium() ? renderingObstacle() : 'no Chromium or Chrome was found'),
    run: (runFolder) => runOnBuild('pictures', ['--project', 'pictures'], runFolder),
  },
  {
    name: 'electron',
    obstacle: () => {
      if (!findElectron()) return 'the Electron program is not installed (npm could not download it)'
      return hasDisplay() ? null : 'there is no display'
    },
    // This runs the tests of the desktop app itself, and the end-to-end stories in its window.
    run: (runFolder) => {
      const files = hostedFiles.map(({ name }) => `test/e2e/${name}`)
      const args = ['--project', 'electronReal', '--project', 'e2e', 'test/electronReal/', ...files]
      return runOnBuild('electron', args, runFolder, { face: 'electron' })
    },
  },
]

/**
 * Tests that only the full run includes, because they are slow: the sandbox's own tests take a fifth of the time of all
 * unit tests, and the sandbox rarely changes; the promises test opens every screen on a real core; the WebSocket test
 * repeats contract calls that other tests make in process; the last two wait until processes that hang are killed.
 */
const leftOutOfQuick = [
  'test/unit/sandbox/**',
  'test/components/promises.test.ts',
  'test/contract/webSocket.test.ts',
  'test/unit/guard/guard.test.ts',
  'test/unit/downloads/validationPool.test.ts',
]

/** Parts that every commit must pass: `npm run test:quick`. They need no browser, no second process and no build. */
export const partsOfQuickRun = [
  types,
  check('lint', eslint, [...lintAll, ...lintCache], { isEarly: true }),
  {
    name: 'tests',
    showsFolders: true,
    run: (runFolder) => {
      const args = [...nodeProjects, ...inSharedWorkers(unitFolders, leftOutOfQuick)]
      return runVitest('quick', args, runFolder)
    },
  },
]
