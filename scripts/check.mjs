/**
 * Checks what this branch changes, committed or not, in the time between two edits: lint and format of the changed
 * files, the types of everything, and the tests nearest to the changes. It passes less than `npm run test:quick` asks.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { changedFiles } from './check/changedFiles.mjs'
import { chooseTests, testsOf } from './check/nearestTests.mjs'
import { runProgram } from './processes.mjs'
import { at, projectNode, root } from './project.mjs'
import { sourcePaths } from './shape/sources.mjs'
import { addCounts, lastLine, noTests } from './test/counts.mjs'
import { checkFormat, checkTypes, lintChanges } from './test/tools.mjs'
import { isQuick, nodeFiles, runNodeFiles } from './test/vitest.mjs'

const say = (line) => console.log(line)

/** Runs a tool of the packages. @returns whether it passed, and its output */
async function runTool({ script, args }) {
  const { status, output } = await runProgram(projectNode(), [at('node_modules', ...script), ...args], {
    cwd: root,
    env: { ...process.env, FORCE_COLOR: process.stdout.isTTY ? '1' : '0' },
    show: false,
  })
  return { passed: status === 0, output }
}

const isLinted = (path) => /\.(ts|vue|js|mjs)$/.test(path)

async function runTests(changed) {
  const tests = testsOf(changed, sourcePaths(['shared', 'electron', 'renderer', 'scripts', 'test']))
  const { chosen, leftOut } = chooseTests(tests, { isRunnable: (path) => nodeFiles.includes(path), isQuick })
  const runFolder = mkdtempSync(join(tmpdir(), 'perpscope-run-'))
  try {
    const results = await runNodeFiles('check', chosen, runFolder, { show: false })
    const counts = results.reduce(addCounts, noTests)
    const further = leftOut.length > 0 ? `; ${leftOut.length} further test files import the changes` : ''
    return {
      passed: counts.failed === 0,
      output: results.map(({ output }) => output).join('\n'),
      summary: `${lastLine(counts)} in ${chosen.length} files${further}`,
    }
  } finally {
    rmSync(runFolder, { recursive: true, force: true })
  }
}

/** Lists the checks as functions that resolve to `{ passed, output, summary? }`. */
function checksOf(changed) {
  const linted = changed.filter(isLinted)
  const checks = [
    ['types', () => runTool(checkTypes('tsconfig.test.json'))],
    ['format', () => runTool(checkFormat(changed))],
    ['tests', () => runTests(changed)],
  ]
  if (linted.length > 0) checks.unshift(['lint', () => runTool(lintChanges(linted))])
  return checks
}

async function runCheck([name, run]) {
  const startedAt = performance.now()
  const { passed, output, summary } = await run()
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  if (!passed) say(`\n${output.trim()}\n`)
  say(`${name}: ${passed ? 'passed' : 'failed'}${summary ? `, ${summary}` : ''} (${seconds} s)`)
  return passed
}

async function main() {
  const changed = changedFiles()
  if (changed.length === 0) {
    say('No file differs from the main branch.')
    return 0
  }
  say(`Checking ${changed.length === 1 ? changed[0] : `${changed.length} changed files`}`)
  const passed = await Promise.all(checksOf(changed).map(runCheck))
  return passed.every(Boolean) ? 0 : 1
}

process.exitCode = await main()
