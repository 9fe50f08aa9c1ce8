/** The packages that only the benchmark needs: they have a package.json and a lock of their own in test/bench. */
import { existsSync, readFileSync } from 'node:fs'
import { npmCommand } from '../bootstrap/packages.mjs'
import { runProgram } from '../processes.mjs'
import { at } from '../project.mjs'

const folder = at('test', 'bench')
const readJson = (...path) => JSON.parse(readFileSync(at('test', 'bench', ...path), 'utf8'))

/** Version of an installed package of the benchmark, or null. */
export const peerVersion = (name) =>
  existsSync(at('test', 'bench', 'node_modules', name, 'package.json'))
    ? readJson('node_modules', name, 'package.json').version
    : null

/** Names of those among `packages` that are missing or have another version than test/bench/package.json names. */
export function missingPackages(packages, versionOf = peerVersion, wanted = readJson('package.json').dependencies) {
  return packages.filter((name) => versionOf(name) !== wanted[name])
}

/**
 * Installs what the lines to be measured need and is not there yet. Without a registry the benchmark goes on, and those lines say
 * how to install it.
 * @param {{ packages?: readonly string[] }[]} lines
 */
export async function installPeerPackages(lines, say) {
  const missing = missingPackages([...new Set(lines.flatMap(({ packages = [] }) => packages))])
  if (missing.length === 0) return
  say(`Installing ${missing.join(' and ')} in test/bench …`)
  const [program, ...args] = npmCommand()
  const flags = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  const { status, output } = await runProgram(program, [...args, ...flags], { cwd: folder, show: false })
  if (status !== 0) say(`${output.trim()}\nThey could not be installed; the lines that need them are left open.`)
}
