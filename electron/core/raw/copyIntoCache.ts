import { createHash } from 'node:crypto'
import { open, rm, stat, statfs } from 'node:fs/promises'
import { AppError } from '#shared/contract/errors.ts'
import type { ValidationPool } from '#core/downloads/validationPool.ts'
import type { ValidatedFile } from '#core/downloads/verifyFile.ts'
import { PART } from '#core/store/cacheFolder.ts'
import { openPart } from '#core/store/fileWriter.ts'
import type { FoundFile } from './candidates.ts'

const CHUNK_BYTES = 4 * 1024 * 1024

export interface Copying {
  source: FoundFile
  /** Path of the imported file in the cache folder. */
  path: string
  root: string
  commit: ValidationPool['commit']
  signal: AbortSignal
  onBytes(doneBytes: number): void
}

/** Copies a file to its place: whole and proven, or nothing of it stays. */
export async function copyIntoCache({ source, path, root, commit, signal, onBytes }: Copying): Promise<ValidatedFile> {
  await checkRoom(root, source.sizeBytes)
  try {
    await copyToPart(source, path, root, signal, onBytes)
    return await commit({ path, root, bytes: null })
  } catch (thrown) {
    await rm(path + PART, { force: true }).catch(() => {})
    throw thrown
  }
}

async function copyToPart(
  source: FoundFile,
  path: string,
  root: string,
  signal: AbortSignal,
  onBytes: (doneBytes: number) => void,
): Promise<void> {
  await checkUnchanged(source)
  const reader = await openSource(source)
  try {
    const part = await openPart(path, root, 0)
    try {
      const chunk = new Uint8Array(CHUNK_BYTES)
      for (let done = 0; done < source.sizeBytes;) {
        signal.throwIfAborted()
        const { bytesRead } = await reader.read(chunk, 0, chunk.length, done)
        if (bytesRead === 0) throw changed(source)
        await part.write(chunk.subarray(0, bytesRead))
        done += bytesRead
        onBytes(done)
      }
    } finally {
      await part.close()
    }
  } finally {
    await reader.close()
  }
  await checkUnchanged(source)
}

const openSource = ({ path }: FoundFile) =>
  open(path, 'r').catch((cause: unknown) => {
    throw new AppError('not-found', `${path} cannot be opened.`, { cause })
  })

async function checkUnchanged(source: FoundFile): Promise<void> {
  const now = await stat(source.path).catch(() => null)
  if (!now) throw new AppError('not-found', `${source.path} is not there any more.`)
  if (now.size !== source.sizeBytes || now.mtimeMs !== source.mtimeMs) throw changed(source)
}

const changed = ({ path }: FoundFile) =>
  new AppError(
    'conflict',
    `${path} changed since it was looked at. Something still writes to it; look again once it is done.`,
  )

async function checkRoom(root: string, sizeBytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(root).catch(() => ({ bavail: Infinity, bsize: 1 }))
  if (bavail * bsize < sizeBytes) throw new AppError('disk-full', `The folder is ${root}`)
}

export async function hashOfFile(path: string, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256')
  const handle = await open(path, 'r')
  try {
    for await (const chunk of handle.createReadStream({ highWaterMark: CHUNK_BYTES / 4, signal }))
      hash.update(chunk as Uint8Array)
  } finally {
    await handle.close().catch(() => {})
  }
  return hash.digest('hex')
}
