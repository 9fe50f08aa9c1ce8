/** Installs the npm packages that only the benchmark needs; test/bench has a package.json and a lock file for them. */
import { existsSync, readFileSync } from 'node:fs'
import { runNpmCi } from '../bootstrap/packages.mjs'
import { at } from '../project.mjs'

const folder = at('test', 'bench')
const readJson = (...path) => JSON.parse(readFileSync(at('test', 'bench', ...path), 'utf8'))

/** Returns the version of a benchmark package, or null if it is not installed. */
export const peerVersion = (name) =>
  existsSync(at('test', 'bench', 'node_modules', name, 'package.json'))
    ? readJson('node_modules', name, 'package.json').version
    : null

/** Lists the given packages that are missing, or whose version is not the one in test/bench/package.json. */
export function missingPackages(
  packages,
  versionOf = peerVersion,
  wantedVersions = readJson('package.json').dependencies,
) {
  return packages.filter((name) => versionOf(name) !== wantedVersions[name])
}

/**
 * Installs the packages that the chosen lines need. If that fails, the benchmark continues, and those lines say how to
 * install them.
 * @param {{ packages?: readonly string[] }[]} lines
 */
export async function installPeerPackages(lines, say) {
  const missing = missingPackages([...new Set(lines.flatMap(({ packages = [] }) => packages))])
  if (missing.length === 0) return
  say(`Installing ${missing.join(' and ')} in test/bench …`)
  const { status, output } = await runNpmCi(folder, ['--ignore-scripts'])
  if (status !== 0)
    say(`${output.trim()}\nThe packages could not be installed, so the lines that need them are not measured.`)
}
