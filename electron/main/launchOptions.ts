import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { app } from 'electron'
import { chooseDataDir, prepareDataDir } from '#core/dataDir.ts'

/** Switches that the launcher in resources/bin may put before `--cli`, so that Chromium needs no display. */
const chromiumSwitches = ['--no-sandbox', '--ozone-platform=headless', '--disable-gpu']

/**
 * Returns the arguments of a command if the program was started as the command line (`… --cli -- ARGS`), else null.
 * `--cli` must come first, because the system appends files and links to open, and these must not start a command.
 */
export function commandLineOf(argv: readonly string[]): string[] | null {
  const firstIndex = argv.findIndex((word) => !chromiumSwitches.includes(word))
  return argv[firstIndex] === '--cli' && argv[firstIndex + 1] === '--' ? argv.slice(firstIndex + 2) : null
}

/** Reads the folder from `--data-dir DIR` or `--data-dir=DIR`. */
export function requestedDataDir(argv: readonly string[]): string | undefined {
  const flag = '--data-dir'
  const index = argv.findIndex((argument) => argument === flag || argument.startsWith(`${flag}=`))
  if (index < 0) return undefined
  return argv[index] === flag ? argv[index + 1] : argv[index].slice(flag.length + 1)
}

/**
 * Chooses the data folder, which is the same for all hosts. The lock against a second start is in this folder,
 * Chromium's own files are in a subfolder.
 * @throws `read-only` if the folder cannot be used
 */
export function settleDataDir(requested: string | undefined): string {
  const dataDir = chooseDataDir(requested)
  prepareDataDir(dataDir)
  const chromiumDir = join(dataDir, 'window')
  // Electron accepts only existing folders.
  mkdirSync(chromiumDir, { recursive: true, mode: 0o700 })
  app.setPath('userData', dataDir)
  app.setPath('sessionData', chromiumDir)
  return dataDir
}
