/** Builds the program into out/ and tells whether the build is up to date with the sources. */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { runProgram } from './processes.mjs'
import { at, projectNode, root } from './project.mjs'

const sources = [
  'shared',
  'electron',
  'renderer',
  'resources',
  'scripts/shippedPackages.ts',
  'electron.vite.config.ts',
  'package-lock.json',
]
const stampFile = at('out', '.built')

function* filesIn(path) {
  if (!existsSync(path)) return
  if (statSync(path).isFile()) return yield path
  for (const name of readdirSync(path).sort()) yield* filesIn(join(path, name))
}

/** Returns a hash that changes with the path or content of any source. */
export function fingerprintSources(folder = root, paths = sources) {
  const hash = createHash('sha256')
  for (const path of paths) {
    for (const file of filesIn(join(folder, path)))
      hash.update(`${relative(folder, file)}\0`).update(readFileSync(file))
  }
  return hash.digest('hex')
}

export const isBuilt = (fingerprint = fingerprintSources()) =>
  existsSync(stampFile) && existsSync(at('out', 'main', 'cli.js')) && readFileSync(stampFile, 'utf8') === fingerprint

/** Builds the main process, the preload script and the renderer. */
export async function build({ show = true } = {}) {
  const fingerprint = fingerprintSources()
  const builder = at('node_modules', 'electron-vite', 'bin', 'electron-vite.js')
  const result = await runProgram(projectNode(), [builder, 'build', '--logLevel', 'warn'], { cwd: root, show })
  if (result.status === 0) {
    mkdirSync(at('out'), { recursive: true })
    writeFileSync(stampFile, fingerprint)
  }
  return result
}
