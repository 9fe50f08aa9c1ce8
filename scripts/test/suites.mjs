/** The parts of a test run, in their order. Each says why it cannot run here, or runs and counts. */
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
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

async function runVitest(name, projects) {
  const folder = mkdtempSync(join(tmpdir(), 'perpscope-tests-'))
  const report = join(folder, 'counts.json')
  const env = {
    ...process.env,
    PERPSCOPE_TEST_REPORT: report,
    PERPSCOPE_CHROMIUM: findChromium() ?? '',
    PERPSCOPE_ELECTRON: findElectron() ?? '',
  }
  const reporters = ['--reporter=default', '--reporter=./scripts/test/countReporter.mjs']
  const args = [at('node_modules', 'vitest', 'vitest.mjs'), 'run', '--passWithNoTests', ...reporters]
  for (const project of projects) args.push('--project', project)
  try {
    const { status } = await runProgram(projectNode(), args, { cwd: root, env })
    if (!existsSync(report)) return single(`${name}: vitest ended without a result`, false)
    const counts = JSON.parse(readFileSync(report, 'utf8'))
    // vitest knows reasons to fail that are not a test, such as a project that does not exist.
    return status !== 0 && counts.failed === 0 ? single(`${name}: vitest ended with status ${status}`, false) : counts
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function runOnBuild(name, project) {
  if (!isBuilt() && (await build()).status !== 0) return single(`${name}: the build failed`, false)
  return runVitest(name, [project])
}

const hasTests = (folder) => existsSync(at('test', folder)) && readdirSync(at('test', folder)).length > 0

export const suites = [
  check('lint', ['eslint', 'bin', 'eslint.js'], '.', '--max-warnings', '0'),
  check('format', ['oxfmt', 'bin', 'oxfmt'], '--check', '.'),
  check('types', ['vue-tsc', 'bin', 'vue-tsc.js'], '--build', 'tsconfig.json'),
  { name: 'build', run: async () => single('build', (await build()).status === 0) },
  { name: 'unit', run: () => runVitest('unit', ['node', 'components']) },
  {
    name: 'e2e',
    obstacle: () => (findChromium() ? null : 'no Chromium or Chrome was found'),
    run: () => (hasTests('e2e') ? runOnBuild('e2e', 'e2e') : nothing),
  },
  {
    name: 'electron',
    obstacle: () => {
      if (!findElectron()) return 'the Electron program is not installed (npm could not download it)'
      if (!hasDisplay()) return 'there is no display'
      return hasTests('electronReal') ? null : 'there are no tests for it yet'
    },
    run: () => runOnBuild('electron', 'electronReal'),
  },
]
