import { createHash, randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { AppError } from '#shared/contract/errors.ts'

/** An object of a store, as listed. */
export interface StoredObject {
  name: string
  sizeBytes: number
  /** MD5 of the content if the service provides it; null in a folder. */
  etag: string | null
  changedAtMs: number
}

/** Content to write, whose hashes are known before the first byte. */
export interface Content {
  sizeBytes: number
  sha256: string
  md5: string
  open(): AsyncIterable<Uint8Array>
}

/**
 * Objects of a shared store, by paths with `/` relative to its location. An object appears completely or not at all.
 */
export interface StoreFiles {
  /** Location as the user typed it, for messages. */
  location: string
  isLocal: boolean
  /** Lists the objects directly in a folder; empty if there is no such folder. */
  list(folder: string, signal: AbortSignal): Promise<StoredObject[]>
  /** Opens an object; rejects with `not-found` if it does not exist. */
  read(path: string, maxBytes: number, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>
  /** Tells whether a listed object has this content. */
  has(path: string, listed: StoredObject, content: Content, signal: AbortSignal): Promise<boolean>
  write(path: string, content: Content, signal: AbortSignal): Promise<void>
  /** Removes an object; does nothing if it does not exist. */
  remove(path: string, signal: AbortSignal): Promise<void>
}

const CHUNK_BYTES = 256 * 1024

/**
 * Returns a name for a file that is being written: unique among writers, and with a leading dot, so that engines skip
 * it.
 */
const partName = () => `.${randomUUID()}.part`
/** Age above which an unfinished file counts as left behind by a killed writer. */
const LEFT_OVER_MS = 24 * 60 * 60_000

/** Tells whether an object was left behind by a killed writer. */
export const isLeftOver = ({ name, changedAtMs }: StoredObject, nowMs: number): boolean =>
  /^\.[\da-f-]{36}\.part$/.test(name) && nowMs - changedAtMs > LEFT_OVER_MS

/** Creates the store in a folder, a mounted bucket or a network share. The folder itself is never created. */
export function createFolderFiles(root: string): StoreFiles {
  const pathOf = (path: string) => join(root, ...path.split('/').filter(Boolean))

  async function requireRoot(): Promise<void> {
    const facts = await stat(root).catch(() => null)
    if (!facts?.isDirectory()) throw new AppError('not-found', `The store ${root} does not exist.`)
  }

  async function namesIn(folder: string): Promise<string[]> {
    try {
      return await readdir(pathOf(folder))
    } catch (thrown) {
      if (!isGone(thrown)) throw folderError(root, thrown)
      await requireRoot()
      return []
    }
  }

  async function listed(folder: string, name: string): Promise<StoredObject | null> {
    const facts = await stat(join(pathOf(folder), name)).catch(() => null)
    return facts?.isFile() ? { name, sizeBytes: facts.size, etag: null, changedAtMs: facts.mtimeMs } : null
  }

  async function read(path: string, maxBytes: number, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
    // Without O_NONBLOCK, opening a named pipe in place of a file would wait forever for a writer.
    const handle = await open(pathOf(path), constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)).catch(
      (thrown: unknown) => {
        throw isGone(thrown) ? new AppError('not-found', `${path} no longer exists`) : folderError(root, thrown)
      },
    )
    const facts = await handle.stat()
    if (facts.isFile() && facts.size <= maxBytes)
      return chunksOf(handle.createReadStream({ signal, highWaterMark: CHUNK_BYTES }))
    await handle.close()
    throw new AppError('too-large', `${path} is not a file, or has more than ${maxBytes} bytes`)
  }

  async function* chunksOf(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    try {
      yield* stream
    } catch (thrown) {
      throw (thrown as Error).name === 'AbortError' ? thrown : folderError(root, thrown)
    }
  }

  return {
    location: root,
    isLocal: true,
    async list(folder) {
      const names = await namesIn(folder)
      return (await Promise.all(names.map((name) => listed(folder, name)))).filter((each) => each !== null)
    },
    read,
    async has(path, { sizeBytes }, content, signal) {
      if (sizeBytes !== content.sizeBytes) return false
      const hash = createHash('sha256')
      for await (const chunk of await read(path, sizeBytes, signal)) hash.update(chunk)
      return hash.digest('hex') === content.sha256
    },
    async write(path, content, signal) {
      await requireRoot()
      const target = pathOf(path)
      const part = join(dirname(target), partName())
      try {
        await mkdir(dirname(target), { recursive: true })
        await writeDurably(part, content, signal)
        await rename(part, target)
        await syncFolder(dirname(target))
      } catch (thrown) {
        await rm(part, { force: true }).catch(() => {})
        throw thrown instanceof AppError || signal.aborted ? thrown : folderError(root, thrown)
      }
    },
    remove: (path) => rm(pathOf(path), { force: true }),
  }
}

async function writeDurably(part: string, content: Content, signal: AbortSignal): Promise<void> {
  const handle = await open(part, 'wx')
  try {
    const hash = createHash('sha256')
    for await (const chunk of content.open()) {
      signal.throwIfAborted()
      hash.update(chunk)
      await handle.write(chunk)
    }
    if (hash.digest('hex') !== content.sha256)
      throw new AppError('corrupt-file', 'the content changed while it was being copied')
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Makes a rename durable; some file systems (Windows, some shares) do not support it. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => null)
  await handle?.sync().catch(() => {})
  await handle?.close()
}

const codeOf = (thrown: unknown) => (thrown as NodeJS.ErrnoException).code ?? ''
const isGone = (thrown: unknown) => ['ENOENT', 'ENOTDIR'].includes(codeOf(thrown))

function folderError(root: string, thrown: unknown): AppError {
  const code = codeOf(thrown)
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return new AppError('disk-full', `The store ${root} is full.`, { cause: thrown })
  const reason =
    code === 'EACCES' || code === 'EPERM' ? 'you lack the permission to read or write there' : code || 'unknown cause'
  return new AppError('unsupported', `The store ${root} cannot be used: ${reason}.`, { cause: thrown })
}
