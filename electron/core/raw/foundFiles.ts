import { readdir, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { AppError } from '#shared/contract/errors.ts'

/** A file that was handed over, or that lies in a folder that was. */
export interface FoundFile {
  path: string
  /** With the folders below the one that was handed over, with `/`. */
  name: string
  sizeBytes: number
  /** Tells whether it changed since it was looked at. */
  mtimeMs: number
}

/** More than anybody can confirm; a folder of this size was not meant. */
const MOST_FILES = 50_000

/** The Parquet files that a path stands for: itself, or all in the folder and those inside it, by name. */
export async function foundFiles(path: string, signal: AbortSignal): Promise<{ files: FoundFile[]; others: number }> {
  const facts = await stat(path).catch((cause: unknown) => {
    throw new AppError('not-found', `${path} is not there (any more).`, { cause })
  })
  if (!facts.isDirectory())
    return { files: [{ path, name: basename(path), sizeBytes: facts.size, mtimeMs: facts.mtimeMs }], others: 0 }
  const found = { files: [] as FoundFile[], others: 0 }
  await walk(path, basename(path), found, signal)
  return found
}

async function walk(
  folder: string,
  name: string,
  found: { files: FoundFile[]; others: number },
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
      throw new AppError('too-large', `${name} holds more than ${MOST_FILES} Parquet files; import it in parts.`)
  }
}
