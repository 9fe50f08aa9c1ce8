/**
 * The parts of a test run, in their order. Each says why it cannot run here, or runs and counts. The early ones need nothing of the
 * others; what vitest runs is given a folder for what its tests share.
 */
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { build, isBuilt } from '../builds.mjs'
import { findElectron } from '../electronBinary.mjs'
import { runProgram } from '../processes.mjs'
import { at, findChromium, hasDisplay, projectNode, root } from '../project.mjs'
import { nothing, single } from './counts.mjs'

/** A check that passes or fails as a whole. */
function check(name, script, ...args) {
  return {
    name,
    run: async () => {
      const { status } = await runProgram(projectNode(), [at('node_modules', ...script), ...args], { cwd: root })
      return single(name, status === 0)
    },
  }
}

/** The same, beside others: its output comes with its result. */
function earlyCheck(name, script, ...args) {
  return {
    name,
    isEarly: true,
    run: async () => {
      const program = [at('node_modules', ...script), ...args]
      const { status, output } = await runProgram(projectNode(), program, { cwd: root, show: false })
      return { ...single(name, status === 0), output }
    },
  }
}

async function runVitest(name, projects, runFolder) {
  const report = join(runFolder, `${name}.json`)
  const env = {
    ...process.env,
    PERPSCOPE_TEST_FOLDER: runFolder,
    NODE_COMPILE_CACHE: join(runFolder, 'compiled'),
    PERPSCOPE_TEST_REPORT: report,
    PERPSCOPE_CHROMIUM: findChromium() ?? '',
    PERPSCOPE_ELECTRON: findElectron() ?? '',
  }
  const reporters = ['--reporter=default', '--reporter=./scripts/test/countReporter.mjs']
  const args = [at('node_modules', 'vitest', 'vitest.mjs'), 'run', '--passWithNoTests', ...reporters]
  for (const project of projects) args.push('--project', project)
  const { status } = await runProgram(projectNode(), args, { cwd: root, env })
  if (!existsSync(report)) return single(`${name}: vitest ended without a result`, false)
  const counts = JSON.parse(readFileSync(report, 'utf8'))
  // vitest knows reasons to fail that are not a test, such as a project that does not exist.
  return status !== 0 && counts.failed === 0 ? single(`${name}: vitest ended with status ${status}`, false) : counts
}

async function runOnBuild(name, project, runFolder) {
  if (!isBuilt() && (await build()).status !== 0) return single(`${name}: the build failed`, false)
  return runVitest(name, [project], runFolder)
}

const hasTests = (folder) => existsSync(at('test', folder)) && readdirSync(at('test', folder)).length > 0

export const suites = [
  check('lint', ['eslint', 'bin', 'eslint.js'], '.', '--max-warnings', '0'),
  check('format', ['oxfmt', 'bin', 'oxfmt'], '--check', '.'),
  { name: 'build', run: async () => single('build', (await build()).status === 0) },
  earlyCheck('types', ['vue-tsc', 'bin', 'vue-tsc.js'], '--build', 'tsconfig.json', '--pretty'),
  { name: 'unit', run: (runFolder) => runVitest('unit', ['node', 'components'], runFolder) },
  {
    name: 'e2e',
    obstacle: () => (findChromium() ? null : 'no Chromium or Chrome was found'),
    run: (runFolder) => (hasTests('e2e') ? runOnBuild('e2e', 'e2e', runFolder) : nothing),
  },
  {
    name: 'electron',
    obstacle: () => {
      if (!findElectron()) return 'the Electron program is not installed (npm could not download it)'
      if (!hasDisplay()) return 'there is no display'
      return hasTests('electronReal') ? null : 'there are no tests for it yet'
    },
    run: (runFolder) => runOnBuild('electron', 'electronReal', runFolder),
  },
]
