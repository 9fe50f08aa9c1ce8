#!/usr/bin/env node
/**
 * Makes packages of the app with electron-builder; its own options follow. `--dir` makes a folder instead of installers, and
 * does so even where Electron could not be downloaded: then with a stand-in, to look at what would be packed.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { build, isBuilt } from './builds.mjs'
import { findElectron } from './electronBinary.mjs'
import { writeStubElectron } from './packing/stubElectron.mjs'
import { runProgram } from './processes.mjs'
import { at, projectNode, root } from './project.mjs'

const say = (line) => console.error(line)

function electronFolder(temporary) {
  const program = findElectron()
  if (!program) {
    say('Electron is not here: packing with a stand-in. The result shows what is packed; it does not start.')
    return writeStubElectron(temporary)
  }
  // On macOS the program lies three folders deep in its bundle, which is what has to be copied.
  return process.platform === 'darwin' ? join(program, '..', '..', '..', '..') : dirname(program)
}

async function dist(args) {
  if (!isBuilt() && (await build()).status !== 0) return 1
  const temporary = mkdtempSync(join(tmpdir(), 'perpscope-electron-'))
  const settled = args.includes('--dir') || findElectron() ? [`-c.electronDist=${electronFolder(temporary)}`] : []
  const builder = at('node_modules', 'electron-builder', 'cli.js')
  const { status } = await runProgram(projectNode(), [builder, '--publish', 'never', ...settled, ...args], {
    cwd: root,
  })
  rmSync(temporary, { recursive: true, force: true })
  return status
}

process.exitCode = await dist(process.argv.slice(2))
