/** Finds the test files that import changed files, directly or through other files, nearest first. */
import { readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { targetOf } from '../lint/zones.js'
import { root } from '../project.mjs'

/** Specifiers after `from`, `import` and `import(`; names of threads, each with its file beside this one. */
const specifiers = /\b(?:from|import)\s*\(?\s*['"]([^'"\n]+)['"]/g
const threads = /\bthreadEntry\(\s*['"]([^'"\n]+)['"]/g

/** Lists the files that a file imports or starts as a thread. A pattern finds them ten times faster than a parser. */
export function importsOf(path, text) {
  const imported = [...text.matchAll(specifiers)].map(([, specifier]) => targetOf(path, specifier))
  const started = [...text.matchAll(threads)].map(([, name]) => posix.join(posix.dirname(path), `${name}.ts`))
  return [...imported, ...started]
}

function importersByFile(paths, read) {
  const importers = new Map()
  for (const path of paths)
    for (const target of importsOf(path, read(path))) importers.set(target, [...(importers.get(target) ?? []), path])
  return importers
}

const readFromRoot = (path) => readFileSync(join(root, path), 'utf8')

/**
 * Lists the test files among `paths` that reach one of the changed files by imports.
 * @returns {{ path: string, distance: number }[]} nearest first; a changed test file has distance 0
 */
export function testsOf(changed, paths, read = readFromRoot) {
  const importers = importersByFile(paths, read)
  const distances = new Map(changed.map((path) => [path, 0]))
  // A Map visits entries that are added while it is iterated.
  for (const [path, distance] of distances)
    for (const importer of importers.get(path) ?? [])
      if (!distances.has(importer)) distances.set(importer, distance + 1)
  return [...distances]
    .filter(([path]) => path.endsWith('.test.ts') && paths.includes(path))
    .map(([path, distance]) => ({ path, distance }))
    .sort((a, b) => a.distance - b.distance || (a.path < b.path ? -1 : 1))
}

/** Number of test files that take about as long as the other checks beside them. */
const MOST_TESTS = 25

/**
 * Chooses among the tests that import the changed files: every changed test, and then the nearest ones.
 * @param {{ path: string, distance: number }[]} tests nearest first
 * @param {{ isRunnable: (path: string) => boolean, isQuick: (path: string) => boolean }} suites
 * @returns {{ chosen: string[], leftOut: string[] }}
 */
export function chooseTests(tests, { isRunnable, isQuick }) {
  const chosen = []
  const leftOut = []
  for (const { path, distance } of tests) {
    const isChosen = distance === 0 ? isRunnable(path) : isQuick(path) && chosen.length < MOST_TESTS
    ;(isChosen ? chosen : leftOut).push(path)
  }
  return { chosen, leftOut }
}
