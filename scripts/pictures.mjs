#!/usr/bin/env node
/**
 * Retakes the README's screenshots: it runs the end-to-end stories that save them, and copies them to
 * resources/screenshots.
 */
import { copyFileSync } from 'node:fs'
import { build, isBuilt } from './builds.mjs'
import { runProgram } from './processes.mjs'
import { at, findChromium, projectNode, root } from './project.mjs'
import { pictureStories, readmePictures } from './pictures/readmePictures.mjs'

async function pictures() {
  if (!isBuilt() && (await build()).status !== 0) return 1
  const env = { ...process.env, PERPSCOPE_CHROMIUM: findChromium() ?? '' }
  const stories = pictureStories.map((name) => `test/e2e/${name}.test.ts`)
  const vitest = [at('node_modules', 'vitest', 'vitest.mjs'), 'run', '--project', 'e2e', ...stories]
  const { status } = await runProgram(projectNode(), vitest, { cwd: root, env })
  if (status !== 0) return status
  for (const [picture, saved] of Object.entries(readmePictures))
    copyFileSync(at('test', 'artifacts', saved), at('resources', 'screenshots', picture))
  return 0
}

process.exitCode = await pictures()
