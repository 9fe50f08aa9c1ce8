/**
 * Caches the facts about each source between runs, because parsing all sources takes seconds and most do not change.
 */
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { root } from '../project.mjs'
import { factsOf } from './facts.mjs'
import { parseSource, sourcePaths } from './sources.mjs'

const cacheFile = join(root, 'node_modules', '.cache', 'shape.json')

/** Returns a hash of the code that finds the facts, so that facts found by older code are not used. */
function rulesVersion() {
  const hash = createHash('sha256')
  for (const folder of ['scripts/shape', 'scripts/lint'])
    for (const name of readdirSync(join(root, folder)).sort()) hash.update(readFileSync(join(root, folder, name)))
  return hash.digest('hex')
}

function readCache(version) {
  try {
    const cached = JSON.parse(readFileSync(cacheFile, 'utf8'))
    return cached.version === version ? cached.files : {}
  } catch {
    return {}
  }
}

/** Returns the facts of all sources; files with the same size and modification time as before are not read again. */
export function allFacts() {
  const version = rulesVersion()
  const known = readCache(version)
  const files = {}
  let isChanged = false
  for (const path of sourcePaths()) {
    const { mtimeMs, size } = statSync(join(root, path))
    const stamp = `${mtimeMs} ${size}`
    if (known[path]?.stamp === stamp) files[path] = known[path]
    else {
      files[path] = { stamp, facts: factsOf(parseSource(path, readFileSync(join(root, path), 'utf8'))) }
      isChanged = true
    }
  }
  if (isChanged) {
    mkdirSync(dirname(cacheFile), { recursive: true })
    writeFileSync(cacheFile, JSON.stringify({ version, files }))
  }
  return Object.values(files).map(({ facts }) => facts)
}
