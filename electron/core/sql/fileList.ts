import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Number of files that are always listed. */
const FEW_FILES = 20
const FOLDER = 'provenance'

/** Where a long list of files stands, in place of the list. */
interface FileListReference {
  files: number
  /** Hash of the list, which is also its name. */
  sha256: string
  /** Path of the list below the data folder. */
  path: string
}

/** Ways to say which files a result was read from: all of them, or, if they outnumber its rows, where their list is. */
export const provenanceForms = ['brief', 'full'] as const
export type ProvenanceForm = (typeof provenanceForms)[number]

/** Returns a provenance with its files in a form; one that names no files or no rows stays as it is. */
export function provenanceInForm(
  dataDir: string,
  provenance: Readonly<Record<string, unknown>>,
  form: ProvenanceForm,
): Record<string, unknown> {
  const { files: sources, rows } = provenance
  if (!Array.isArray(sources) || typeof rows !== 'number') return { ...provenance }
  const files = Object.entries(filesOfResult(dataDir, { sources, rows }, form))
  return Object.fromEntries(Object.entries(provenance).flatMap((fact) => (fact[0] === 'files' ? files : [fact])))
}

/**
 * Says which files a result was read from. If they are many and outnumber its rows, their list is kept in the data
 * folder once, however many results were read from it, and referred to; a folder that cannot be written gets the list.
 */
export function filesOfResult<Source>(
  dataDir: string,
  { sources, rows }: { sources: Source[]; rows: number },
  form: ProvenanceForm,
): { files: Source[] } | { fileList: FileListReference } {
  if (form === 'full' || sources.length <= FEW_FILES || sources.length <= rows) return { files: sources }
  const text = `${JSON.stringify(sources)}\n`
  const sha256 = createHash('sha256').update(text).digest('hex')
  const path = `${FOLDER}/${sha256}.json`
  return isKept(dataDir, path, text) ? { fileList: { files: sources.length, sha256, path } } : { files: sources }
}

function isKept(dataDir: string, path: string, text: string): boolean {
  const full = join(dataDir, path)
  if (existsSync(full)) return true
  try {
    mkdirSync(join(dataDir, FOLDER), { recursive: true, mode: 0o700 })
    writeFileSync(`${full}.part`, text, { mode: 0o600 })
    renameSync(`${full}.part`, full)
    return true
  } catch {
    return false
  }
}
