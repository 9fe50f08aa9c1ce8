import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { app } from 'electron'
import { chooseDataDir, prepareDataDir } from '#core/dataDir.ts'

/** Switches that the launcher in resources/bin may put before `--cli`, so that the engine needs no display. */
const forTheEngine = ['--no-sandbox', '--ozone-platform=headless', '--disable-gpu']

/**
 * The words of a command where the program was started as the command line (`… --cli -- ARGS`), else null. Only as the first
 * words: what the system adds for a link or a file that someone hands us is behind, and must not choose a command.
 */
export function commandLineOf(argv: readonly string[]): string[] | null {
  const first = argv.findIndex((word) => !forTheEngine.includes(word))
  return argv[first] === '--cli' && argv[first + 1] === '--' ? argv.slice(first + 2) : null
}

/** Reads the folder of `--data-dir DIR` or `--data-dir=DIR`. */
export function askedDataDir(argv: readonly string[]): string | undefined {
  const flag = '--data-dir'
  const at = argv.findIndex((argument) => argument === flag || argument.startsWith(`${flag}=`))
  if (at < 0) return undefined
  return argv[at] === flag ? argv[at + 1] : argv[at].slice(flag.length + 1)
}

/**
 * Settles the data folder, which is the same for all faces of the app. The browser engine's own files go below it, and
 * the lock against a second start follows it.
 * @throws `read-only` where the folder cannot be used
 */
export function settleDataDir(wanted: string | undefined): string {
  const dataDir = chooseDataDir(wanted)
  prepareDataDir(dataDir)
  const engineDir = join(dataDir, 'window')
  // Electron takes only folders that exist.
  mkdirSync(engineDir, { recursive: true, mode: 0o700 })
  app.setPath('userData', dataDir)
  app.setPath('sessionData', engineDir)
  return dataDir
}
