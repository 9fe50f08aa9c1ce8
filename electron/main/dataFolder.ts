import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { app } from 'electron'

/** `--data-dir DIR` or `--data-dir=DIR`, then PERPSCOPE_DATA_DIR; null for the folder this system gives to apps. */
export function chosenDataDir(argv: readonly string[], env: NodeJS.ProcessEnv): string | null {
  const flag = '--data-dir'
  const at = argv.findIndex((argument) => argument === flag || argument.startsWith(`${flag}=`))
  const chosen = at < 0 ? env.PERPSCOPE_DATA_DIR : argv[at] === flag ? argv[at + 1] : argv[at].slice(flag.length + 1)
  return chosen ? resolve(chosen) : null
}

/** One folder for everything. The browser engine's own files go below it; the lock against a second start follows it. */
export function settleDataDir(chosen: string | null): string {
  const dataDir = chosen ?? app.getPath('userData')
  const engineDir = join(dataDir, 'window')
  // Electron takes only folders that exist.
  mkdirSync(engineDir, { recursive: true })
  app.setPath('userData', dataDir)
  app.setPath('sessionData', engineDir)
  return dataDir
}
