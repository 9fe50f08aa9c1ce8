/** Computes the figures of `npm run shape` from the facts of all sources. */
import { posix } from 'node:path'

export const LONGEST_FUNCTION = 120
export const USUAL_FUNCTION = 45
/**
 * Functions of at most this many lines are left out of the share of long functions, because they are so numerous that
 * the share would always be tiny.
 */
export const TINY_FUNCTION = 5
const LONG_FILE = 500
const FRAGMENT_LINES = 60

export const definitions = {
  fragments: `a .ts file of shared, electron or renderer with fewer than ${FRAGMENT_LINES} lines whose only importer is in the same folder (type imports count, importers may be .vue files); “components” are .vue files of that kind, counted separately`,
  functions: `everything with a body: functions, methods, arrow functions, callbacks and closures that build an object, counted from the first to the last line; a component's script is not a function`,
  comments: `a comment hangs in the air if its first sentence begins with a forbidden word or pronoun, or is a fragment without a verb that is not on a field, parameter, constant or type; “noun phrases” are comments on functions that have no verb`,
  duplicates:
    'pairs of files, or of places of a file, in shared, electron and renderer that share six lines in a row: the same, or the same but for names, texts and numbers; runs of little but punctuation, and runs in more than eight places, are left out',
  forbidden: 'declared names, file names and phrases of messages on the list in scripts/lint/language.js',
}

const isApp = ({ path }) => /^(shared|electron|renderer)\/.*\.(ts|vue)$/.test(path)

function importersOf(facts) {
  const importers = new Map()
  for (const { path, imports } of facts)
    for (const target of imports) importers.set(target, [...(importers.get(target) ?? []), path])
  return importers
}

/**
 * Finds small files whose only importer is in the same folder. `rawLines` also counts the empty line after the last
 * newline.
 */
function singleImporterFiles(facts) {
  const importers = importersOf(facts)
  return facts.filter(isApp).flatMap(({ path, lines, rawLines }) => {
    const [importer, ...others] = importers.get(path) ?? []
    const isUsedByNeighbour = importer && others.length === 0 && posix.dirname(importer) === posix.dirname(path)
    return isUsedByNeighbour && rawLines <= FRAGMENT_LINES ? [{ path, line: 1, lines, importer }] : []
  })
}

const median = (numbers) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1]

const flatten = (facts, key) => facts.flatMap(({ path, [key]: items }) => items.map((item) => ({ path, ...item })))

/** Computes all figures, and the lists of what breaks a rule. */
export function measure(facts) {
  const singleImporter = singleImporterFiles(facts)
  const functions = flatten(facts, 'functions')
  const faults = flatten(facts, 'faults')
  const isComponent = ({ path }) => path.endsWith('.vue')
  const appFacts = facts.filter(isApp)
  const longFunctions = functions.filter(({ lines }) => lines > USUAL_FUNCTION).sort((a, b) => b.lines - a.lines)
  return {
    files: {
      count: appFacts.length,
      scripts: facts.length - appFacts.length,
      medianLines: median(appFacts.map(({ lines }) => lines)),
    },
    fragments: singleImporter.filter((file) => !isComponent(file)),
    components: singleImporter.filter(isComponent),
    longFiles: facts.filter(({ lines }) => lines > LONG_FILE).map(({ path, lines }) => ({ path, line: 1, lines })),
    functions: functions.length,
    functionsNotTiny: functions.filter(({ lines }) => lines > TINY_FUNCTION).length,
    longFunctions,
    comments: facts.reduce((sum, { comments }) => sum + comments, 0),
    hanging: faults.filter(({ fault }) => fault === 'hangs'),
    phrases: faults.filter(({ fault }) => fault === 'phrase'),
    forbidden: flatten(facts, 'forbidden'),
  }
}
