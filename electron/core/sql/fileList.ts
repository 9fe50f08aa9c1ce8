import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ProvenanceForm } from '#shared/export/provenanceForms.ts'
import type { FileListReference } from '#shared/report/reportContent.ts'

/** Number of files that are always listed. */
const FEW_FILES = 20
const FOLDER = 'provenance'

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
  const text = listText(sources)
  const sha256 = hashOf(text)
  const path = pathOf(sha256)
  return isKept(dataDir, path, text) ? { fileList: { files: sources.length, sha256, path } } : { files: sources }
}

const listText = (sources: readonly unknown[]): string => `${JSON.stringify(sources)}\n`
const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex')
const pathOf = (sha256: string): string => `${FOLDER}/${sha256}.json`

/** Returns the hash by which a list of files is named. */
export const fileListHash = (sources: readonly unknown[]): string => hashOf(listText(sources))

/** Reads a list that is kept in a data folder; null if it is not there or is damaged. */
export function keptFileList(dataDir: string, sha256: string): unknown[] | null {
  const path = join(dataDir, pathOf(sha256))
  if (!/^[0-9a-f]{64}$/.test(sha256) || !existsSync(path)) return null
  const text = readFileSync(path, 'utf8')
  return hashOf(text) === sha256 ? (JSON.parse(text) as unknown[]) : null
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
