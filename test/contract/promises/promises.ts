import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ExpectStatic } from 'vitest'

/** Names that scripts, links or saved data depend on, grouped by kind and sorted, each on its own line. */
export type Promises = Record<string, string[]>

interface PromiseList {
  version: string
  promises: Promises
}

/** Version whose names every later version keeps. */
const BASE_VERSION = '0.1.0'

const listPath = (version: string) => join(import.meta.dirname, '..', '..', 'fixtures', 'promises', `${version}.json`)

const readPromises = (): Promises => (JSON.parse(readFileSync(listPath(BASE_VERSION), 'utf8')) as PromiseList).promises

export const sortedSet = (names: Iterable<string>): string[] => [...new Set(names)].sort()

/** Returns the version whose names `npm run promises -- VERSION` records; empty when the tests only compare. */
const recordedVersion = () => process.env.PERPSCOPE_PROMISES ?? ''

/** Writes the current names into the list of the version that is being recorded; other kinds in the list stay. */
function recordPromises(current: Promises): void {
  const version = recordedVersion()
  if (version === '') return
  const path = listPath(version)
  const known = existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as PromiseList).promises : {}
  const kinds = Object.entries({ ...known, ...current }).sort(([a], [b]) => (a < b ? -1 : 1))
  const list: PromiseList = { version, promises: Object.fromEntries(kinds) }
  writeFileSync(path, `${JSON.stringify(list, null, 1)}\n`)
}

/** A name that a later version gave up or changed on purpose, with the reason. */
interface IntendedChange {
  name: string
  version: string
  reason: string
}

const intendedNames = (): Set<string> =>
  new Set((JSON.parse(readFileSync(listPath('intended-changes'), 'utf8')) as IntendedChange[]).map(({ name }) => name))

/** Lists the names that the base version promised and the current code lacks. */
const missingNames = (promised: readonly string[], current: readonly string[]): string[] => {
  const present = new Set(current)
  return promised.filter((name) => !present.has(name))
}

/**
 * Describes a broken promise: the missing names, and the new names of the same kind, which include those of a renaming.
 * Returns an empty text if all promises of this kind are kept.
 */
function brokenPromise(kind: string, promised: readonly string[], current: readonly string[]): string {
  const intended = intendedNames()
  const gone = missingNames(promised, current).filter((name) => !intended.has(name))
  if (gone.length === 0) return ''
  const added = missingNames(current, promised)
  const lines = (names: readonly string[]) => names.slice(0, 40).map((name) => `    ${name}`)
  return [
    `${gone.length} of "${kind}" promised in ${BASE_VERSION} ${gone.length === 1 ? 'is' : 'are'} missing or renamed:`,
    ...lines(gone),
    added.length === 0 ? '  No name of this kind is new.' : '  New names of this kind (additions are allowed):',
    ...lines(added),
    '  Scripts, links and saved data depend on these names; give the old name back.',
  ].join('\n')
}

/**
 * Fails for every kind of name of which the current code lacks one. Records the names if a version is being recorded.
 */
export function comparePromises(expect: ExpectStatic, current: Promises): void {
  recordPromises(current)
  const promised = readPromises()
  for (const [kind, names] of Object.entries(current))
    expect.soft(brokenPromise(kind, promised[kind] ?? [], names), kind).toBe('')
}
