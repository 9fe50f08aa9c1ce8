/**
 * Lists the parts of a test run, in their order. A part either runs and returns the counts of its tests, or says why it
 * cannot run here. Early parts depend on no other part, so they start at once and run beside the others. Parts of the
 * same lane run in parallel if the machine has enough cores.
 */
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { build, isBuilt } from '../builds.mjs'
import { findElectron } from '../electronBinary.mjs'
import { runProgram } from '../processes.mjs'
import { renderingObstacle } from '../pictures/renderer.mjs'
import { at, findChromium, hasDisplay, projectNode, root } from '../project.mjs'
import { noTests, countsOfOne } from './counts.mjs'
import { dealShards, shardsAtOnce, testFilesIn } from './shards.mjs'
import {
  inSharedWorkers,
  integrationFolders,
  leftOutOfQuick,
  nodeProjects,
  ownWorkerFiles,
  runVitest,
  unitFolders,
} from './vitest.mjs'
import { checkFormat, checkTypes, lintAfresh, lintChanges } from './tools.mjs'

/** Creates a part that passes or fails as a whole. The output of an early part is printed only with its result. */
function check(name, { script, args, env = {} }, { isEarly = false } = {}) {
  return {
    name,
    isEarly,
    run: async () => {
      const program = [at('node_modules', ...script), ...args]
      const options = { cwd: root, env: { ...process.env, ...env }, show: !isEarly }
      const { status, output } = await runProgram(projectNode(), program, options)
      return { ...countsOfOne(name, status === 0), output }
    },
  }
}

let building

/** Resolves to whether a build of the current sources exists; shards that start together build only once. */
const ensureBuilt = () => (building ??= isBuilt() ? Promise.resolve(true) : build().then(({ status }) => status === 0))

async function runOnBuild(name, args, runFolder, options) {
  return (await ensureBuilt())
    ? runVitest(name, args, runFolder, options)
    : countsOfOne(`${name}: the build failed`, false)
}

/**
 * Tests of programs that wait for each other are tried twice, because a busy machine may delay one of them by more than
 * any sensible wait. The run names each test that needed its second try.
 */
const twoTries = ['--retry', '1']

/** Tests start the built command line, because it starts in half the time that the sources need. */
const builtProgram = () => ({ program: isBuilt() ? at('out', 'main', 'cli.js') : '' })

const hasTests = (folder) => existsSync(at('test', folder)) && readdirSync(at('test', folder)).length > 0

/** Number of shards of the test files that need the browser host or none, chosen so that each takes a minute or two. */
const E2E_SHARDS = 2
/** Number of shards of the stories that run through the preload's bridge. */
const BRIDGE_SHARDS = 4

const textOf = ({ name }) => readFileSync(at('test', 'e2e', name), 'utf8')

/**
 * Tells whether the stories of a test file open the whole app, and not a single component or what only the browser host
 * has, so that any host fits.
 */
const isForEveryFace = (file) => /\bopen(Window|Shell)\b/.test(textOf(file)) && !/\bbrowserOnly\b/.test(textOf(file))

/**
 * Venues of the sandbox in the stories that run through the bridge, so that every story runs once with other names than
 * those of the service documents.
 */
const otherVenues =
  'alpha-futures,short=alpha,sizes=base;beta-perps,short=beta,sizes=contracts;gamma-perps,short=gamma,sizes=base,times=modelled'

/** The end-to-end shards of all faces share a lane: as many run at the same time as the machine has cores for. */
const e2eLane = { limit: shardsAtOnce() }

/**
 * Creates the parts that run shards of the end-to-end test files. `node scripts/test.mjs bridge` runs stories through
 * the preload's bridge, where more can go wrong than in the browser host: every value of the window has to survive a
 * structured clone. `node scripts/test.mjs e2e` runs those that need the browser host, or no host.
 */
function e2eShards(group, files, count, face, venues = '') {
  return dealShards(files, count).map((names, index) => ({
    name: `${group} ${index + 1}/${count}`,
    group,
    lane: e2eLane,
    obstacle: () => (findChromium() ? null : 'no Chromium or Chrome was found'),
    run: async (runFolder) => {
      if (names.length === 0) return noTests
      const args = ['--project', 'e2e', '--no-isolate', ...twoTries, ...names.map((name) => `test/e2e/${name}`)]
      return runOnBuild(`${group} ${index + 1}`, args, runFolder, { show: e2eLane.limit === 1, face, venues })
    },
  }))
}

const e2eFiles = hasTests('e2e') ? testFilesIn(at('test', 'e2e')) : []
const hostedFiles = e2eFiles.filter(isForEveryFace)

/** Parts that `npm test` runs, as far as this machine can. */
export const parts = [
  check('lint', lintAfresh),
  check('format', checkFormat()),
  { name: 'build', run: async () => countsOfOne('build', (await build()).status === 0) },
  check('types', checkTypes(), { isEarly: true }),
  {
    name: 'unit',
    run: (runFolder) => runVitest('unit', [...nodeProjects, ...inSharedWorkers(unitFolders)], runFolder),
  },
  {
    name: 'integration',
    run: (runFolder) => {
      const args = [...nodeProjects, ...twoTries, ...inSharedWorkers(integrationFolders)]
      return runVitest('integration', args, runFolder, builtProgram())
    },
  },
  {
    name: 'isolated',
    run: (runFolder) =>
      runVitest('isolated', [...nodeProjects, ...twoTries, ...ownWorkerFiles], runFolder, builtProgram()),
  },
  ...e2eShards('bridge', hostedFiles, BRIDGE_SHARDS, 'bridge', otherVenues),
  ...e2eShards(
    'e2e',
    e2eFiles.filter((file) => !isForEveryFace(file)),
    E2E_SHARDS,
    'browser',
  ),
  {
    name: 'pictures',
    lane: e2eLane,
    obstacle: () => (findChromium() ? renderingObstacle() : 'no Chromium or Chrome was found'),
    run: (runFolder) => runOnBuild('pictures', ['--project', 'pictures'], runFolder, { show: e2eLane.limit === 1 }),
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

/** Parts that every commit must pass: `npm run test:quick`. They need no browser, no second process and no build. */
export const partsOfQuickRun = [
  // The program of the tests has all sources; the other two only keep Node out of the window and pages out of the core.
  check('types', checkTypes('tsconfig.test.json'), { isEarly: true }),
  check('lint', lintChanges(), { isEarly: true }),
  {
    name: 'tests',
    showsFolders: true,
    run: (runFolder) => {
      const args = [...nodeProjects, ...inSharedWorkers(unitFolders, leftOutOfQuick)]
      return runVitest('quick', args, runFolder)
    },
  },
]
