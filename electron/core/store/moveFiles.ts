import { readdir, readFile, realpath, rename, rm, stat, statfs, writeFile } from 'node:fs/promises'
import { dirname, isAbsolute, join, resolve, sep } from 'node:path'
import { AppError } from '#shared/contract/errors.ts'
import { formatBytes } from '#shared/units/bytes.ts'
import { PART_SUFFIX } from './cacheFolder.ts'
import { FILES_FOLDER } from './partitions.ts'
import { clearOldFiles, switchFilesTo } from './filesPlace.ts'
import { copyMissing, filesIn } from './folderCopy.ts'
import { makeFolders } from './makeFolders.ts'
import { storeError } from './storeErrors.ts'

/** Name of the folder that is created inside the folder that the user chose. */
const MOVED_FOLDER = 'perpscope-files'
/** Maximum number of copy rounds; later rounds copy files that were added during earlier ones. */
const MOST_ROUNDS = 10
/** Space to leave free on the target disk. */
const SPARE_BYTES = 50_000_000

export interface MoveOptions {
  dataDir: string
  target: string
  signal: AbortSignal
  onProgress?: (progress: { done: number; total: number; message: string }) => void
}

/**
 * Moves all cached files: copies and compares them, switches to the copy, and only then removes the originals. Whenever
 * it is stopped or killed, either the old or the new place has all files; the next attempt continues a copy that a
 * crash interrupted.
 * @returns the folder that contains the files now
 */
export async function moveFiles({ dataDir, target, signal, onProgress }: MoveOptions): Promise<string> {
  // Remains of an earlier move are removed first.
  await clearOldFiles(dataDir)
  const from = await realpath(join(dataDir, FILES_FOLDER))
  const total = await bytesIn(from, signal)
  const removeOtherCopies = await resumeMove(dataDir)
  const folder = await checkedTarget(from, target, total)
  const part = folder + PART_SUFFIX
  try {
    await removeOtherCopies(folder)
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

/** Returns the folder to create; throws the reason if the target cannot be used. */
async function checkedTarget(from: string, target: string, neededBytes: number): Promise<string> {
  if (!isAbsolute(target))
    throw new AppError('bad-input', 'The folder must be a full path, such as /mnt/data or D:\\data.')
  const realTarget = await realPathOf(resolve(target))
  if (realTarget === from || realTarget.startsWith(from + sep))
    throw new AppError('conflict', 'The folder is inside the folder that is to be moved.')
  const folder = join(realTarget, MOVED_FOLDER)
  if (folder === from) throw new AppError('conflict', 'The files are already in this folder.')
  const existingNames = await readdir(folder).catch(() => [])
  if (existingNames.length > 0) throw new AppError('conflict', `This folder already contains files: ${folder}`)
  try {
    makeFolders(realTarget)
    const probePath = join(realTarget, `.perpscope-${process.pid}`)
    await writeFile(probePath, '', { mode: 0o600 })
    await rm(probePath)
  } catch (thrown) {
    throw storeError(thrown, realTarget)
  }
  const { bavail, bsize } = await statfs(realTarget)
  const copiedBytes = await bytesIn(folder + PART_SUFFIX, new AbortController().signal).catch(() => 0)
  const missingBytes = neededBytes + SPARE_BYTES - copiedBytes - bavail * bsize
  if (missingBytes > 0)
    throw new AppError(
      'disk-full',
      `The files need ${formatBytes(neededBytes)}; ${realTarget} is ${formatBytes(missingBytes)} short.`,
    )
  return folder
}

/** Resolves the real path of a folder that may not exist yet. */
async function realPathOf(path: string): Promise<string> {
  const resolved = await realpath(path).catch(() => null)
  if (resolved !== null) {
    if (!(await stat(resolved)).isDirectory()) throw new AppError('bad-input', `This is a file, not a folder: ${path}`)
    return resolved
  }
  const parent = dirname(path)
  return parent === path ? path : join(await realPathOf(parent), path.slice(parent.length))
}

/**
 * Note in the data folder that says where files are being moved to and which folder is the copy. After a crash, it lets
 * the next attempt distinguish that copy, complete or not, from other files.
 */
interface MoveNote {
  folder: string
  /** Identity of the folder on the disk; it survives a rename. */
  identity: string
}

const notePath = (dataDir: string) => join(dataDir, 'files.moving')

async function identityOf(path: string): Promise<string | null> {
  const found = await stat(path, { bigint: true }).catch(() => null)
  return found && `${found.dev}:${found.ino}`
}

async function writeMoveNote(dataDir: string, folder: string): Promise<void> {
  const identity = await identityOf(folder + PART_SUFFIX)
  await writeFile(notePath(dataDir), JSON.stringify({ folder, identity }), { mode: 0o600 })
}

const removeMoveNote = (dataDir: string) => rm(notePath(dataDir), { force: true })

/**
 * Marks a complete copy as unfinished again if the app never switched to it, so that the next attempt at the same
 * place continues the copy.
 * @returns a function that removes what an earlier attempt left in a different place
 */
async function resumeMove(dataDir: string): Promise<(folder: string) => Promise<void>> {
  const note = await readNote(dataDir)
  if (!note || (await identityOf(join(dataDir, 'files'))) === note.identity) return async () => {}
  const part = note.folder + PART_SUFFIX
  if ((await identityOf(note.folder)) === note.identity) await rename(note.folder, part)
  return async (folder) => {
    const isElsewhere = folder !== note.folder && (await identityOf(part)) === note.identity
    if (isElsewhere) await rm(part, { recursive: true, force: true })
  }
}

async function readNote(dataDir: string): Promise<MoveNote | null> {
  try {
    const note = JSON.parse(await readFile(notePath(dataDir), 'utf8')) as Partial<MoveNote>
    return typeof note.folder === 'string' && typeof note.identity === 'string' ? (note as MoveNote) : null
  } catch {
    // Without a readable note, nothing is known about an earlier copy.
    return null
  }
}
