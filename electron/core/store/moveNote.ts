import { readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PART } from './cacheFolder.ts'

/**
 * While files are moved, the data folder says to where and which folder the copy is. After a crash the next try knows by it
 * its own copy, whole or not, from files of somebody else.
 */
interface MoveNote {
  folder: string
  /** Identity of the folder on the disk, which stays the same when the folder is renamed. */
  identity: string
}

const noteOf = (dataDir: string) => join(dataDir, 'files.moving')

async function identityOf(path: string): Promise<string | null> {
  const found = await stat(path, { bigint: true }).catch(() => null)
  return found && `${found.dev}:${found.ino}`
}

export async function writeMoveNote(dataDir: string, folder: string): Promise<void> {
  const identity = await identityOf(folder + PART)
  await writeFile(noteOf(dataDir), JSON.stringify({ folder, identity }))
}

export const removeMoveNote = (dataDir: string) => rm(noteOf(dataDir), { force: true })

/**
 * Makes a whole copy that was never switched to an unfinished one again, which the next try to the same place takes up.
 * @returns gives what an earlier try left elsewhere back to its disk
 */
export async function takeUpEarlierCopy(dataDir: string): Promise<(folder: string) => Promise<void>> {
  const note = await readNote(dataDir)
  if (!note || (await identityOf(join(dataDir, 'files'))) === note.identity) return async () => {}
  const part = note.folder + PART
  if ((await identityOf(note.folder)) === note.identity) await rename(note.folder, part)
  return async (folder) => {
    const isElsewhere = folder !== note.folder && (await identityOf(part)) === note.identity
    if (isElsewhere) await rm(part, { recursive: true, force: true })
  }
}

async function readNote(dataDir: string): Promise<MoveNote | null> {
  try {
    const note = JSON.parse(await readFile(noteOf(dataDir), 'utf8')) as Partial<MoveNote>
    return typeof note.folder === 'string' && typeof note.identity === 'string' ? (note as MoveNote) : null
  } catch {
    // None, or one that a crash cut short: then nothing is known of an earlier copy.
    return null
  }
}
