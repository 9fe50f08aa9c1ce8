#!/usr/bin/env node
/** Retakes the README's screenshots: it runs the tour of the end-to-end tests, which saves them. */
import { build, isBuilt } from './builds.mjs'
import { runProgram } from './processes.mjs'
import { at, findChromium, projectNode, root } from './project.mjs'

async function pictures() {
  if (!isBuilt() && (await build()).status !== 0) return 1
  const env = { ...process.env, PERPSCOPE_PICTURES: '1', PERPSCOPE_CHROMIUM: findChromium() ?? '' }
  const vitest = [at('node_modules', 'vitest', 'vitest.mjs'), 'run', '--project', 'e2e', 'test/e2e/tour.test.ts']
  return (await runProgram(projectNode(), vitest, { cwd: root, env })).status
}

process.exitCode = await pictures()
