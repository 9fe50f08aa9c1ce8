import { mkdir, open, readdir, rename, rm, stat, utimes, type FileHandle } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { AppError } from '#shared/contract/errors.ts'

interface CopyOptions {
  signal: AbortSignal
  /** True to leave existing files alone, because they may be newer. */
  onlyAbsent?: boolean
  /** Called after each copied chunk, and after each file that need not be copied. */
  onBytes?: (sizeBytes: number) => void
}

interface FileOnDisk {
  path: string
  sizeBytes: number
}

const CHUNK_BYTES = 1024 * 1024
/** Number of files copied at a time, so that the waits for the disk overlap. */
const FILES_AT_ONCE = 8

/** Lists the files of a folder and its subfolders by their relative paths. */
export async function* filesIn(root: string, folder = ''): AsyncGenerator<FileOnDisk> {
  for (const entry of await readdir(join(root, folder), { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) yield* filesIn(root, path)
    else if (entry.isFile()) yield { path, sizeBytes: (await stat(join(root, path))).size }
  }
}

/**
 * Copies every file that is missing or has a different size or modification time, and compares each copy with its
 * original.
 * @returns number of files copied
 */
export async function copyMissing(
  from: string,
  to: string,
  { signal, onlyAbsent, onBytes }: CopyOptions,
): Promise<number> {
  let copiedFiles = 0
  const copyIfNeeded = async ({ path, sizeBytes }: FileOnDisk) => {
    signal.throwIfAborted()
    const [source, target] = [join(from, path), join(to, path)]
    if (await isCopied(source, target, onlyAbsent === true)) return onBytes?.(sizeBytes)
    await copyFile(source, target, { signal, onBytes })
    copiedFiles += 1
  }
  let group: FileOnDisk[] = []
  const copyGroup = async () => {
    const results = await Promise.allSettled(group.map(copyIfNeeded))
    group = []
    for (const result of results) if (result.status === 'rejected') throw result.reason
  }
  for await (const file of filesIn(from)) {
    group.push(file)
    if (group.length === FILES_AT_ONCE) await copyGroup()
  }
  await copyGroup()
  return copiedFiles
}

async function isCopied(source: string, target: string, onlyAbsent: boolean): Promise<boolean> {
  const [sourceStat, targetStat] = await Promise.all([stat(source), stat(target).catch(() => null)])
  if (onlyAbsent) return targetStat !== null
  // Another file system may store times with less precision.
  return (
    targetStat !== null &&
    sourceStat.size === targetStat.size &&
    Math.abs(sourceStat.mtimeMs - targetStat.mtimeMs) < 2000
  )
}

async function copyFile(source: string, target: string, { signal, onBytes }: CopyOptions): Promise<void> {
  const temporaryPath = `${target}.copy`
  await mkdir(dirname(target), { recursive: true, mode: 0o700 })
  const from = await open(source, 'r')
  try {
    const to = await open(temporaryPath, 'w+', 0o600)
    try {
      await eachChunk(from, signal, async (bytes, at) => {
        await to.write(bytes, 0, bytes.length, at)
        onBytes?.(bytes.length)
      })
      await to.sync()
      const readBack = Buffer.alloc(CHUNK_BYTES)
      await eachChunk(from, signal, async (bytes, at) => {
        const { bytesRead } = await to.read(readBack, 0, bytes.length, at)
        if (!bytes.equals(readBack.subarray(0, bytesRead)))
          throw new AppError('corrupt-file', `The copy differs from the original: ${target}`)
      })
    } finally {
      await to.close()
    }
    const { atime, mtime } = await from.stat()
    await utimes(temporaryPath, atime, mtime)
    await rename(temporaryPath, target)
  } catch (thrown) {
    await rm(temporaryPath, { force: true })
    throw thrown
  } finally {
    await from.close()
  }
}

async function eachChunk(
  file: FileHandle,
  signal: AbortSignal,
  take: (bytes: Buffer, at: number) => Promise<void>,
): Promise<void> {
  const buffer = Buffer.alloc(CHUNK_BYTES)
  for (let at = 0; ;) {
    signal.throwIfAborted()
    const { bytesRead } = await file.read(buffer, 0, CHUNK_BYTES, at)
    if (bytesRead === 0) return
    await take(buffer.subarray(0, bytesRead), at)
    at += bytesRead
  }
}
