import {
  closeSync,
  constants,
  existsSync,
  fdatasync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { chmod, copyFile, type FileHandle, mkdir, open, rename, rm, stat } from 'node:fs/promises'
import { dirname, join, sep } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import { AppError } from '#shared/contract/errors.ts'
import type { Period } from '#shared/time/periods.ts'
import { pathExists, repairFilesPlace } from './filesPlace.ts'
import { fileName, FILES_FOLDER, ownerFolderName, periodOfName, seriesFolder } from './partitions.ts'
import type { OwnedSeries } from './seriesIndex.ts'
import { storeError } from './storeErrors.ts'

/**
 * The folder of the cached files. Each owner has a folder in it; an owner is a connection, or a connection's computed
 * series.
 */
export interface CacheFolder {
  root: string
  /** Returns the folder of all files of an owner. */
  ownerFolder(owner: string): string
  pathOf(series: OwnedSeries, period: Period): string
  /** Returns the path of the summary of a file's content; raw events have one per clock. */
  summaryPathOf(sha256: string, clock: 'exchange' | 'true' | 'arrival'): string
  /** Returns the size of a file on disk, whatever the index says; null if there is none. */
  sizeOf(series: OwnedSeries, period: Period): number | null
  /** Lists the periods of the files on disk, whatever the index says. */
  periodsOf(series: OwnedSeries): Set<Period>
}

const SUMMARIES_FOLDER = 'summaries'
export const PART_SUFFIX = '.part'
const MOST_CACHED_FOLDERS = 10_000

export function openCacheFolder(dataDir: string): CacheFolder {
  const root = join(dataDir, FILES_FOLDER)
  try {
    repairFilesPlace(dataDir)
    // A link to an unmounted disk is kept, because its files come back with the disk.
    if (!pathExists(root)) mkdirSync(root, { recursive: true, mode: 0o700 })
  } catch (thrown) {
    throw storeError(thrown, dataDir)
  }
  const ownerFolder = (owner: string) => join(root, ownerFolderName(owner))
  /** Folders by series, cached because a file's folder is needed several times. */
  const folders = new Map<string, string>()
  const foldersBySeries = new WeakMap<OwnedSeries, string>()
  function folderOf(series: OwnedSeries): string {
    const known = foldersBySeries.get(series)
    if (known !== undefined) return known
    const key = Object.values(series).join('\n')
    let folder = folders.get(key)
    if (folder === undefined) {
      folder = join(ownerFolder(series.connectionId), seriesFolder(series))
      if (folders.size >= MOST_CACHED_FOLDERS) folders.clear()
      folders.set(key, folder)
    }
    foldersBySeries.set(series, folder)
    return folder
  }
  /** Names of files by period, because many series have files of the same days. */
  const fileNames = new Map<Period, string>()
  function nameOf(period: Period): string {
    const known = fileNames.get(period)
    if (known !== undefined) return known
    if (fileNames.size >= MOST_CACHED_FOLDERS) fileNames.clear()
    fileNames.set(period, fileName(period))
    return fileName(period)
  }
  const pathOf = (series: OwnedSeries, period: Period) => folderOf(series) + sep + nameOf(period)
  return {
    root,
    ownerFolder,
    pathOf,
    summaryPathOf: (sha256, clock) => join(dataDir, SUMMARIES_FOLDER, sha256.slice(0, 2), `${sha256}.${clock}`),
    sizeOf: (series, period) => statSync(pathOf(series, period), { throwIfNoEntry: false })?.size ?? null,
    periodsOf: (series) => new Set(namesIn(folderOf(series), root).map(periodOfName)),
  }
}

function namesIn(folder: string, root: string): string[] {
  try {
    return readdirSync(folder)
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw storeError(thrown, root)
  }
}

/** Creates the folder for a file, but never the cache folder itself: if that is missing, its disk is not mounted. */
function makeFolderFor(path: string, root: string): void {
  if (!existsSync(root)) throw new AppError('read-only', `The folder is gone: ${root}`)
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
}

/**
 * Writes a summary, completely or not at all. It can be rebuilt from its file at any time, so it is not synced, and a
 * failure (such as a full disk) only costs speed.
 * @returns whether the summary exists now
 */
export function keepSummary(path: string, bytes: Uint8Array): boolean {
  const part = `${path}.${process.pid}.part`
  try {
    refuseLinkedFolders(path, dirname(dirname(dirname(path))))
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    rmSync(part, { force: true })
    writeFileSync(part, bytes, { mode: 0o600, flag: 'wx' })
    renameSync(part, path)
    return true
  } catch {
    return false
  }
}

/** Flags that open a part for writing and create it if it does not exist. */
const WRITE_FLAGS = constants.O_WRONLY | constants.O_CREAT
/**
 * Flags that refuse a link in place of a part, because it may lead to a file of the user, and that do not wait for the
 * reader of a named pipe. Windows lacks both.
 */
const FILE_ONLY_FLAGS =
  ((constants.O_NOFOLLOW as number | undefined) ?? 0) | ((constants.O_NONBLOCK as number | undefined) ?? 0)
const NOT_A_FILE = 'ENXIO'
const isNotAFileError = (thrown: unknown) =>
  ['ELOOP', NOT_A_FILE].includes((thrown as NodeJS.ErrnoException).code ?? '')
const notAFileError = (path: string) => Object.assign(new Error(`${path} is not a file`), { code: NOT_A_FILE })

/**
 * A part whose bytes are all written but not durable yet. A file enters the cache in steps: its bytes go to
 * `<path>.part`, `sync` makes them durable, a validation may follow, the part is closed, and `commitPart` renames it to
 * the file. A crash in between leaves a part or a complete file.
 */
interface WrittenPart {
  sync(): Promise<void>
  close(): void
}

/** Writes all bytes of a part synchronously, for worker threads. */
export function writePart(path: string, root: string, pieces: readonly Uint8Array[]): WrittenPart {
  return withStoreErrors(root, () => {
    const descriptor = openNewPart(path, root)
    try {
      for (const piece of pieces) for (let at = 0; at < piece.length;) at += writeSync(descriptor, piece, at)
    } catch (thrown) {
      closeSync(descriptor)
      throw thrown
    }
    return writtenPart(descriptor, root)
  })
}

/**
 * Refuses to write below a linked folder, because it may lead to files of the user. (The cache folder itself is a link
 * if the files were moved.) The error is a `conflict`, which concerns only the files of that folder, because a disk
 * error would pause all downloads.
 */
function refuseLinkedFolders(path: string, root: string): void {
  const folder = linkedFolder(path, root)
  if (folder !== null)
    throw new AppError(
      'conflict',
      `${folder} is a link to another place, so nothing is written there. Remove the link.`,
    )
}

/**
 * Finds a linked folder between a path and its root, through which the path would lead to files that are not ours; null
 * if there is none.
 */
export function linkedFolder(path: string, root: string): string | null {
  for (let folder = dirname(path); folder.length > root.length; folder = dirname(folder))
    if (lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink()) return folder
  return null
}

/** Opens a new part. Its folder is created only after opening has failed, because most folders exist already. */
function openNewPart(path: string, root: string): number {
  refuseLinkedFolders(path, root)
  const open = () => openFileOnly(path + PART_SUFFIX, WRITE_FLAGS | constants.O_TRUNC)
  try {
    return open()
  } catch (thrown) {
    if (isNotAFileError(thrown)) unlinkSync(path + PART_SUFFIX)
    else if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') makeFolderFor(path, root)
    else throw thrown
    return open()
  }
}

function openFileOnly(path: string, flags: number): number {
  const descriptor = openSync(path, flags | FILE_ONLY_FLAGS, 0o600)
  if (fstatSync(descriptor).isFile()) return descriptor
  closeSync(descriptor)
  throw notAFileError(path)
}

/** Opens a part that was written before, to sync it. */
export const openPartToSync = (path: string, root: string): WrittenPart =>
  withStoreErrors(root, () => writtenPart(openFileOnly(path + PART_SUFFIX, constants.O_RDWR), root))

const syncDescriptor = promisify(fdatasync)

const writtenPart = (descriptor: number, root: string): WrittenPart => ({
  sync: () =>
    syncDescriptor(descriptor).catch((thrown: unknown) => {
      throw storeError(thrown, root)
    }),
  close: () => closeSync(descriptor),
})

/** Renames a part to its file. The rename is durable once the folder is synced. */
export function commitPart(path: string, root: string): void {
  withStoreErrors(root, () => renameSync(path + PART_SUFFIX, path))
}

/**
 * Syncs the folder of a file, so that renames in it survive a power failure. Calls within a short time share one fsync.
 */
export type SyncFolder = (path: string) => Promise<void>

/**
 * Time to collect files before a folder is synced, because each fsync forces a journal commit and one per file would
 * halve the throughput.
 */
const COLLECT_MS = 20

export function createFolderSyncer(root: string): SyncFolder {
  const pendingSyncs = new Map<string, Promise<void>>()

  async function sync(folder: string): Promise<void> {
    await setTimeout(COLLECT_MS)
    // A rename from now on may miss this sync, so it needs another one.
    pendingSyncs.delete(folder)
    try {
      const handle = await open(folder, 'r')
      await handle.sync().finally(() => handle.close())
    } catch (thrown) {
      throw storeError(thrown, root)
    }
  }

  return (path) => {
    // Windows cannot sync folders; its rename reaches the disk with the next flush of the volume.
    if (process.platform === 'win32') return Promise.resolve()
    const folder = dirname(path)
    const pendingSync = pendingSyncs.get(folder) ?? sync(folder)
    pendingSyncs.set(folder, pendingSync)
    return pendingSync
  }
}

const partTooShortError = () =>
  new AppError('network', 'The beginning of the file, which was received earlier, is gone.')

/** Writes a large file to its part as its bytes arrive. */
export interface PartWriter {
  write(bytes: Uint8Array): Promise<void>
  close(): Promise<void>
}

/** @param fromByte offset up to which the part is kept; the part must be at least that long */
export async function openCachePart(path: string, root: string, fromByte: number): Promise<PartWriter> {
  const throwStoreError = (thrown: unknown): never => {
    throw storeError(thrown, root)
  }
  let at = fromByte
  const handle: FileHandle = await (async () => {
    refuseLinkedFolders(path, root)
    makeFolderFor(path, root)
    const openPartFile = async () => {
      const opened = await open(
        path + PART_SUFFIX,
        (fromByte === 0 ? WRITE_FLAGS : constants.O_WRONLY) | FILE_ONLY_FLAGS,
        0o600,
      )
      const facts = await opened.stat()
      // A part shorter than `fromByte` is refused, because writing past its end would fill the gap with zeros.
      const problem = !facts.isFile()
        ? notAFileError(path + PART_SUFFIX)
        : facts.size < fromByte
          ? partTooShortError()
          : null
      if (problem === null) return opened
      await opened.close()
      throw problem
    }
    const opened = await openPartFile().catch((thrown: unknown) => {
      if (!isNotAFileError(thrown)) throw thrown
      unlinkSync(path + PART_SUFFIX)
      if (fromByte > 0) throw partTooShortError()
      return openPartFile()
    })
    await opened.truncate(fromByte)
    return opened
  })().catch(throwStoreError)
  return {
    async write(bytes) {
      for (let done = 0; done < bytes.length;) {
        const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, at).catch(throwStoreError)
        done += bytesWritten
        at += bytesWritten
      }
    },
    close: () => handle.close(),
  }
}

function withStoreErrors<Result>(root: string, work: () => Result): Result {
  try {
    return work()
  } catch (thrown) {
    throw storeError(thrown, root)
  }
}

/** Name of the folder that damaged files are moved to; nothing reads it. */
export const QUARANTINE_FOLDER = 'quarantine'

/**
 * Removes a file, or a folder with its content. Does nothing if it does not exist, or if a linked folder leads to it,
 * because then it is not ours.
 */
export async function removeFile(path: string, root: string): Promise<void> {
  if (linkedFolder(path, root) !== null) return
  await rm(path, { force: true, recursive: true }).catch((thrown: unknown) => {
    throw storeError(thrown, path)
  })
}

/**
 * Moves a file out of the cache without overwriting another one.
 * @returns its new path
 */
export async function setFileAside(path: string, quarantine: string, relativePath: string): Promise<string> {
  try {
    const target = join(quarantine, relativePath)
    await mkdir(dirname(target), { recursive: true, mode: 0o700 })
    let freePath = target
    for (let number = 2; await exists(freePath); number++) freePath = target.replace(/(\.parquet)?$/, `.${number}$1`)
    await rename(path, freePath).catch(async (thrown: NodeJS.ErrnoException) => {
      // The files and the data folder may be on different disks.
      if (thrown.code !== 'EXDEV') throw thrown
      await copyFile(path, freePath)
      await chmod(freePath, 0o600)
      await rm(path)
    })
    return freePath
  } catch (thrown) {
    throw storeError(thrown, path)
  }
}

const exists = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  )
