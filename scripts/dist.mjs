#!/usr/bin/env node
/**
 * Builds installers with electron-builder and passes options on to it. `--dir` builds a folder instead of installers,
 * with a stub if Electron is not installed, so that the content of a package can still be inspected.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { keychainProblem, WITHOUT_KEYCHAIN } from './bootstrap/packages.mjs'
import { build, isBuilt } from './builds.mjs'
import { findElectron, writeStubElectron } from './electronBinary.mjs'
import { runProgram } from './processes.mjs'
import { at, projectNode, root } from './project.mjs'

const say = (line) => console.error(line)

function electronFolder(temporary) {
  const program = findElectron()
  if (!program) {
    say(
      'Electron is not installed, so a stand-in is packed. The result shows what a package contains, but does not start.',
    )
    return writeStubElectron(temporary)
  }
  // On macOS the program is three folders deep in the bundle, and the builder copies the bundle's folder.
  return process.platform === 'darwin' ? join(program, '..', '..', '..', '..') : dirname(program)
}

async function dist(allArgs) {
  const args = allArgs.filter((argument) => argument !== WITHOUT_KEYCHAIN)
  const problem = keychainProblem(allArgs)
  if (problem) {
    say(problem)
    return 1
  }
  if (!isBuilt() && (await build()).status !== 0) return 1
  const files = await runProgram(projectNode(), [at('scripts', 'packing', 'linuxFiles.ts'), ...args], { cwd: root })
  if (files.status !== 0) return files.status
  const temporary = mkdtempSync(join(tmpdir(), 'perpscope-electron-'))
  const distribution = args.includes('--dir') || findElectron() ? [`-c.electronDist=${electronFolder(temporary)}`] : []
  const builder = at('node_modules', 'electron-builder', 'cli.js')
  const { status } = await runProgram(projectNode(), [builder, '--publish', 'never', ...distribution, ...args], {
    cwd: root,
  })
  rmSync(temporary, { recursive: true, force: true })
  return status
}

process.exitCode = await dist(process.argv.slice(2))
