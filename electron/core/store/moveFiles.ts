import { readdir, readFile, realpath, rename, rm, stat, statfs, writeFile } from 'node:fs/promises'
import { dirname, isAbsolute, join, resolve, sep } from 'node:path'
import { AppError } from '#shared/contract/errors.ts'
import { formatBytes } from '#shared/units/bytes.ts'
import { FILES_FOLDER, PART } from './cacheFolder.ts'
import { clearOldFiles, switchFilesTo } from './filesPlace.ts'
import { copyMissing, filesIn } from './folderCopy.ts'
import { makeFolders } from './makeFolders.ts'
import { storeError } from './storeErrors.ts'

/** Made in the folder that the user chose. */
const MOVED_FOLDER = 'perpscope-files'
/** Files that come while others are copied are brought in further rounds; so many must be enough. */
const MOST_ROUNDS = 10
/** Left free on the disk that the files go to. */
const SPARE_BYTES = 50_000_000

export interface MoveOptions {
  dataDir: string
  target: string
  signal: AbortSignal
  onProgress?: (progress: { done: number; total: number; message: string }) => void
}

/**
 * Moves all cached files: copied and compared, switched to, and only then removed where they were. Stopped or killed at any
 * moment, the files are all where they were or all where they go; what a crash left of a copy is taken up by the next try.
 * @returns the folder they are in now
 */
export async function moveFiles({ dataDir, target, signal, onProgress }: MoveOptions): Promise<string> {
  // Remains of an earlier move are removed first.
  await clearOldFiles(dataDir)
  const from = await realpath(join(dataDir, FILES_FOLDER))
  const total = await bytesIn(from, signal)
  const clearElsewhere = await takeUpEarlierCopy(dataDir)
  const folder = await goodTarget(from, target, total)
  const part = folder + PART
  try {
    await clearElsewhere(folder)
    makeFolders(part)
    await writeMoveNote(dataDir, folder)
    for (let round = 1, copiedFiles = -1; copiedFiles !== 0; round += 1) {
      if (round > MOST_ROUNDS)
        throw new AppError('busy', 'Files keep being added; try again when nothing is being imported.')
      let done = 0
      const onBytes = (sizeBytes: number) => onProgress?.({ done: (done += sizeBytes), total, message: 'copied' })
      copiedFiles = await copyMissing(from, part, { signal, onBytes })
    }
    signal.throwIfAborted()
    await rm(folder, { recursive: true, force: true })
    await rename(part, folder)
    onProgress?.({ done: total, total, message: 'copied, now switching' })
    switchFilesTo(dataDir, folder)
  } catch (thrown) {
    if (signal.aborted) {
      await rm(part, { recursive: true, force: true }).catch(() => {})
      await removeMoveNote(dataDir).catch(() => {})
    }
    throw storeError(thrown, folder)
  }
  await clearOldFiles(dataDir)
  await removeMoveNote(dataDir)
  return folder
}

async function bytesIn(folder: string, signal: AbortSignal): Promise<number> {
  let total = 0
  for await (const { sizeBytes } of filesIn(folder)) {
    signal.throwIfAborted()
    total += sizeBytes
  }
  return total
}

/** Finds the folder to create, or throws the reason why the target is not usable. */
async function goodTarget(from: string, target: string, neededBytes: number): Promise<string> {
  if (!isAbsolute(target))
    throw new AppError('bad-input', 'The folder must be a full path, such as /mnt/data or D:\\data.')
  const there = await placeOf(resolve(target))
  if (there === from || there.startsWith(from + sep))
    throw new AppError('conflict', 'The folder is inside the one to be moved.')
  const folder = join(there, MOVED_FOLDER)
  if (folder === from) throw new AppError('conflict', 'The files are already there.')
  const inside = await readdir(folder).catch(() => [])
  if (inside.length > 0) throw new AppError('conflict', `This folder already contains files: ${folder}`)
  try {
    makeFolders(there)
    const probe = join(there, `.perpscope-${process.pid}`)
    await writeFile(probe, '', { mode: 0o600 })
    await rm(probe)
  } catch (thrown) {
    throw storeError(thrown, there)
  }
  const { bavail, bsize } = await statfs(there)
  const copied = await bytesIn(folder + PART, new AbortController().signal).catch(() => 0)
  const lackBytes = neededBytes + SPARE_BYTES - copied - bavail * bsize
  if (lackBytes > 0)
    throw new AppError(
      'disk-full',
      `The files need ${formatBytes(neededBytes)}; ${there} is ${formatBytes(lackBytes)} short.`,
    )
  return folder
}

/** The real path of a folder that may not exist yet. */
async function placeOf(path: string): Promise<string> {
  const known = await realpath(path).catch(() => null)
  if (known !== null) {
    if (!(await stat(known)).isDirectory()) throw new AppError('bad-input', `This is a file, not a folder: ${path}`)
    return known
  }
  const parent = dirname(path)
  return parent === path ? path : join(await placeOf(parent), path.slice(parent.length))
}

/**
 * While files are moved, the data folder says to where and which folder the copy is. After a crash the next try knows by it
 * its own copy, complete or not, from files of somebody else.
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
  await writeFile(noteOf(dataDir), JSON.stringify({ folder, identity }), { mode: 0o600 })
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
    // Without the note, or with one that a crash cut short, nothing is known of an earlier copy.
    return null
  }
}
