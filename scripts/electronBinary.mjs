/** Electron's own program: npm brings it only where it can be downloaded. */
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runProgram } from './processes.mjs'
import { at, projectNode } from './project.mjs'

const DOWNLOAD_LIMIT_MS = 120_000
const RETRY_AFTER_MS = 24 * 3_600_000
const triedFile = at('node_modules', '.electron-tried')

const names = { darwin: 'Electron.app/Contents/MacOS/Electron', win32: 'electron.exe' }

/** Returns the path of Electron's program, or null. Asking the package itself would start a download. */
export function findElectron(env = process.env) {
  const folder = at('node_modules', 'electron')
  const named = join(folder, 'path.txt')
  const name = existsSync(named) ? readFileSync(named, 'utf8').trim() : (names[process.platform] ?? 'electron')
  const program = join(env.ELECTRON_OVERRIDE_DIST_PATH || join(folder, 'dist'), name)
  return existsSync(program) ? program : null
}

/** Tries to download it, at most once a day and within a time limit. */
export async function fetchElectron(say) {
  if (existsSync(triedFile) && Date.now() - statSync(triedFile).mtimeMs < RETRY_AFTER_MS) return null
  say('Downloading Electron (once; at most two minutes) …')
  const { status } = await runProgram(projectNode(), [at('node_modules', 'electron', 'install.js')], {
    show: false,
    timeoutMs: DOWNLOAD_LIMIT_MS,
  })
  const found = status === 0 ? findElectron() : null
  if (!found) writeFileSync(triedFile, '')
  return found
}
