import { createHash } from 'node:crypto'
import { documentName } from '#shared/units/fileNames.ts'
import { notJsonText, parseBoundedJson } from '#shared/units/jsonLimits.ts'

/** A document read from a file, or the file's problem as a clause that follows its path. */
type ReadDocument = { id: string | null; name: string; document: unknown; more: Record<string, unknown> } | Problem
export interface Problem {
  problem: string
}

const LONGEST_NAME = 120
const idPattern = /^[\w-]{1,100}$/

/** Contents of a file by its format, for the message about a file of the wrong kind. */
const formats: Readonly<Record<string, string>> = {
  'perpscope workspace': 'a workspace',
  'perpscope download set': 'a download set',
  'perpscope study': 'a study',
  'perpscope board': 'a board',
  'perpscope own dataset': 'the recipe of a dataset of one’s own',
}

/** Serialises a document with one field per line in a fixed order, so that git can merge the changes of two people. */
export const writeDocumentText = (
  format: string,
  { id, name, ...more }: { id?: string; name: string } & Record<string, unknown>,
  document: unknown,
): string => `${JSON.stringify({ format, ...(id !== undefined && { id }), name, ...more, document }, null, 2)}\n`

/** Parses a document of one format; its content has not been validated yet. */
export function readDocumentText(text: string, format: string, fallbackName: string): ReadDocument {
  const problem = textProblem(text)
  if (problem) return problem
  let value: unknown
  try {
    value = parseBoundedJson(text)
  } catch (thrown) {
    const why = notJsonText(thrown)
    return { problem: why === 'it is not JSON' ? 'is cut off, or is not JSON.' : `cannot be read: ${why}.` }
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { problem: `is not ${formats[format]} of Perpscope.` }
  const { format: found, id = null, name, document, ...more } = value as Record<string, unknown>
  if (found !== format) {
    const other = typeof found === 'string' && Object.hasOwn(formats, found) ? formats[found] : null
    return { problem: other ? `is ${other}, not ${formats[format]}.` : `is not ${formats[format]} of Perpscope.` }
  }
  if (document === undefined) return { problem: 'has no document in it.' }
  if (id !== null && (typeof id !== 'string' || !idPattern.test(id)))
    return { problem: 'has an invalid id: only letters, digits, - and _ are allowed.' }
  return { id, name: nameInFile(name, fallbackName), document, more }
}

interface Issue {
  path: PropertyKey[]
  message: string
}

/** Parses the content of a file by its schema; a problem names the field. */
export function parseWith<Document>(
  schema: {
    safeParse(value: unknown): { success: true; data: Document } | { success: false; error: { issues: Issue[] } }
  },
  value: unknown,
): { document: Document } | Problem {
  const parsed = schema.safeParse(value)
  if (parsed.success) return { document: parsed.data }
  const [{ path, message }] = parsed.error.issues
  return { problem: `${path.map(String).join('.') || 'the document'}: ${message}` }
}

/**
 * Turns the name that a file states into a valid document name; `fallback` is used if the file states no usable name.
 */
export const nameInFile = (name: unknown, fallback: string): string =>
  (typeof name === 'string' && documentName(name, LONGEST_NAME)) || documentName(fallback, LONGEST_NAME) || 'Untitled'

/** Returns the problem of a file with Git's conflict markers or one that is not text; null for all other files. */
export function textProblem(text: string): Problem | null {
  if (/^<{7}(?: |\r?$)/m.test(text) && /^>{7}(?: |\r?$)/m.test(text))
    return { problem: 'contains Git conflict markers: resolve them and save the file.' }
  return text.includes('\0') ? { problem: 'is not a text file.' } : null
}

/**
 * Extracts the two versions from a file with merge conflicts; null if its conflict markers do not form whole conflicts.
 */
export function mergeSides(text: string): { mine: string; theirs: string } | null {
  const sides = { mine: '', theirs: '' }
  let section: 'both' | 'mine' | 'base' | 'theirs' = 'both'
  for (const line of text.match(/[^\n]*\n|[^\n]+$/g) ?? []) {
    const marker = /^(<{7}|\|{7}|={7}|>{7})(?: |\r?\n?$)/.exec(line)?.[1][0]
    if (marker === '<' && section === 'both') section = 'mine'
    else if (marker === '|' && section === 'mine') section = 'base'
    else if (marker === '=' && (section === 'mine' || section === 'base')) section = 'theirs'
    else if (marker === '>' && section === 'theirs') section = 'both'
    else if (marker !== undefined) return null
    else {
      if (section === 'both' || section === 'mine') sides.mine += line
      if (section === 'both' || section === 'theirs') sides.theirs += line
    }
  }
  return section === 'both' ? sides : null
}

/**
 * Tells whether the second version in a file with merge conflicts is the user's own: the one from `git stash` or
 * `git switch --merge`.
 */
export const isOwnSideSecond = (text: string): boolean => /^>{7} (?:Stashed changes|local)\r?$/m.test(text)

/** Returns the hash by which two texts are compared. */
export const textHash = (text: string): string => createHash('sha256').update(text).digest('hex')
