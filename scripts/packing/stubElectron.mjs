/** A stand-in for Electron's distribution: enough for the packer, so that what goes into a package can be looked at without it. */
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { at } from '../project.mjs'

/** The packer turns the fuses here: a marker, the version of the list, its length, one letter a fuse. */
const FUSE_MARKER = 'dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX'
const FUSES = 8

const fuseWire = Buffer.concat([Buffer.from(FUSE_MARKER), Buffer.from([1, FUSES]), Buffer.from('1'.repeat(FUSES))])

/** The system of the machine only: on Windows the program is called so, and macOS wants a bundle, which this is not. */
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
