/** Finds or downloads the Electron binary, which npm does not install by itself, and writes a stub of it. */
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runProgram } from './processes.mjs'
import { at, projectNode } from './project.mjs'

const DOWNLOAD_LIMIT_MS = 120_000
const RETRY_AFTER_MS = 24 * 3_600_000
const attemptFile = at('node_modules', '.electron-tried')

const programByPlatform = { darwin: 'Electron.app/Contents/MacOS/Electron', win32: 'electron.exe' }

const textOf = (file) => (existsSync(file) ? readFileSync(file, 'utf8').trim() : null)

/**
 * Returns the path of the Electron binary, or null if it is missing or its installation is incomplete (the installer
 * writes `path.txt` last). The package `electron` is not imported here, because that would start a download.
 */
export function findElectron(env = process.env, folder = at('node_modules', 'electron')) {
  const overrideFolder = env.ELECTRON_OVERRIDE_DIST_PATH
  const name =
    textOf(join(folder, 'path.txt')) ?? (overrideFolder ? (programByPlatform[process.platform] ?? 'electron') : null)
  if (name === null) return null
  const distFolder = overrideFolder || join(folder, 'dist')
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const isComplete = overrideFolder || textOf(join(distFolder, 'version'))?.replace(/^v/, '') === version
  const program = join(distFolder, name)
  return isComplete && existsSync(program) ? program : null
}

/**
 * Tries to download Electron within a time limit, but not within a day after a failed attempt.
 * @returns the path of the binary, or null
 */
export async function downloadElectron(say) {
  if (existsSync(attemptFile) && Date.now() - statSync(attemptFile).mtimeMs < RETRY_AFTER_MS) return null
  say('Downloading Electron (once; at most two minutes) …')
  const { status } = await runProgram(projectNode(), [at('node_modules', 'electron', 'install.js')], {
    show: false,
    timeoutMs: DOWNLOAD_LIMIT_MS,
  })
  const program = status === 0 ? findElectron() : null
  if (!program) writeFileSync(attemptFile, '')
  return program
}

/**
 * Marker by which the packer finds the fuses in the binary. After it come the version of the fuse list, its length and
 * one byte per fuse.
 */
const FUSE_MARKER = 'dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX'
const FUSE_COUNT = 9

const fuseWire = Buffer.concat([
  Buffer.from(FUSE_MARKER),
  Buffer.from([1, FUSE_COUNT]),
  Buffer.from('1'.repeat(FUSE_COUNT)),
])

/**
 * Writes a stub of Electron's distribution, so that the packer runs without Electron and its result can be inspected.
 * The stub works for Linux and Windows; macOS needs a real bundle.
 */
export function writeStubElectron(folder) {
  const { version } = JSON.parse(readFileSync(at('node_modules', 'electron', 'package.json'), 'utf8'))
  for (const name of ['locales', 'resources']) mkdirSync(join(folder, name), { recursive: true })
  const program = join(folder, process.platform === 'win32' ? 'electron.exe' : 'electron')
  writeFileSync(
    program,
    Buffer.concat([Buffer.from('#!/bin/sh\necho "This is not Electron." >&2\nexit 1\n'), fuseWire]),
  )
  chmodSync(program, 0o755)
  writeFileSync(join(folder, 'version'), version)
  writeFileSync(join(folder, 'LICENSE'), '')
  writeFileSync(join(folder, 'LICENSES.chromium.html'), '')
  writeFileSync(join(folder, 'locales', 'en-US.pak'), '')
  writeFileSync(join(folder, 'locales', 'de.pak'), '')
  return folder
}
