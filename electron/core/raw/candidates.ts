import { randomUUID } from 'node:crypto'
import { readdir, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { AppError } from '#shared/contract/errors.ts'
import { codeOf, notFileText, unopenedText } from '#shared/units/fileKind.ts'
import type { Inspection } from './inspectFile.ts'

/** An inspected file that may be imported, with its content and location. */
export interface Candidate extends Inspection {
  id: string
  file: ImportableFile
  /** Id of the received file or folder that contains this file. */
  receivedId: string
}

/** The inspected files that have not been imported yet. A file that is inspected again keeps its id. */
export class Candidates {
  private readonly byId = new Map<string, Candidate>()
  private readonly idsByPath = new Map<string, string>()

  add(candidate: Omit<Candidate, 'id'>): Candidate {
    const { path } = candidate.file
    const id = this.idsByPath.get(path) ?? randomUUID()
    this.idsByPath.set(path, id)
    const stored = { ...candidate, id }
    this.byId.set(id, stored)
    return stored
  }

  find(id: string): Candidate | undefined {
    return this.byId.get(id)
  }

  remove(id: string): void {
    const candidate = this.byId.get(id)
    if (!candidate) return
    this.byId.delete(id)
    this.idsByPath.delete(candidate.file.path)
  }

  all(): Candidate[] {
    return [...this.byId.values()]
  }
}

/** A file that the user dropped or chose, by itself or with its folder. */
export interface ImportableFile {
  path: string
  /** Path relative to the parent of the chosen folder, joined with `/`; the file name if the file itself was chosen. */
  name: string
  sizeBytes: number
  /** Modification time, by which later changes are detected. */
  mtimeMs: number
}

/** Maximum number of files in an imported folder; no user can review more. */
const MOST_FILES = 50_000

/**
 * Finds the Parquet files of a path: the file itself, or all Parquet files in the folder and its subfolders, sorted by
 * name. `others` is the number of other files in these folders.
 */
export async function findRawFiles(
  path: string,
  signal: AbortSignal,
): Promise<{ files: ImportableFile[]; others: number }> {
  const facts = await stat(path).catch((cause: unknown) => {
    throw new AppError('not-found', unopenedText(path, codeOf(cause)), { cause })
  })
  // Pipes and devices are refused: opening a named pipe would wait for a writer, and a device has no end.
  const problem = facts.isDirectory() ? null : notFileText(path, facts)
  if (problem) throw new AppError('bad-input', problem)
  if (!facts.isDirectory())
    return { files: [{ path, name: basename(path), sizeBytes: facts.size, mtimeMs: facts.mtimeMs }], others: 0 }
  const found = { files: [] as ImportableFile[], others: 0 }
  await walk(path, basename(path), found, signal)
  return found
}

async function walk(
  folder: string,
  name: string,
  found: { files: ImportableFile[]; others: number },
  signal: AbortSignal,
): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((cause: unknown) => {
    throw new AppError('not-found', `${folder} cannot be read.`, { cause })
  })
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    signal.throwIfAborted()
    const path = join(folder, entry.name)
    if (entry.isDirectory()) await walk(path, `${name}/${entry.name}`, found, signal)
    else if (!entry.isFile() || !entry.name.endsWith('.parquet')) found.others++
    else {
      const { size, mtimeMs } = await stat(path)
      found.files.push({ path, name: `${name}/${entry.name}`, sizeBytes: size, mtimeMs })
    }
    if (found.files.length > MOST_FILES)
      throw new AppError('too-large', `${name} contains more than ${MOST_FILES} Parquet files; import it in parts.`)
  }
}
