#!/usr/bin/env node
/**
 * Compares a screenshot of every screen with its reference. `--update` writes the references instead: all of them, or
 * the named ones (`workbench` for all screenshots of that screen, `workbench-dark-1280` for a single one).
 */
import { build, isBuilt } from '../builds.mjs'
import { runProgram } from '../processes.mjs'
import { at, findChromium, projectNode, root } from '../project.mjs'
import { recordRenderer, renderingObstacle } from './renderer.mjs'

async function comparePictures(args) {
  const isUpdating = args.includes('--update')
  const names = args.filter((arg) => arg !== '--update')
  const problem = obstacle(isUpdating, names)
  if (problem) console.error(problem)
  if (problem || (!isBuilt() && (await build()).status !== 0)) return 1
  const env = {
    ...process.env,
    PERPSCOPE_CHROMIUM: findChromium(),
    PERPSCOPE_REFERENCES: isUpdating ? 'update' : '',
    PERPSCOPE_PICTURE_NAMES: names.join(),
  }
  const vitest = [at('node_modules', 'vitest', 'vitest.mjs'), 'run', '--project', 'pictures']
  const { status } = await runProgram(projectNode(), vitest, { cwd: root, env })
  if (status === 0 && isUpdating && names.length === 0) recordRenderer()
  return status
}

function obstacle(isUpdating, names) {
  const option = names.find((name) => name.startsWith('-'))
  if (option) return `There is no option ${option}; the only option is --update.`
  if (!findChromium()) return 'No Chromium or Chrome was found.'
  // If all references are rewritten, this machine's fonts need not match the fonts of the old references.
  const reason = isUpdating && names.length === 0 ? null : renderingObstacle()
  return reason && `The pictures cannot be compared here: ${reason}.`
}

process.exitCode = await comparePictures(process.argv.slice(2))
