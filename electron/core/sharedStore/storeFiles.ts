import { createHash, randomUUID } from 'node:crypto'
import { AppError } from '#shared/contract/errors.ts'
import type { CallFolder } from './folderWorker.ts'
import type { Piece } from './folderWork.ts'

/** An object of a store, as its listing describes it. */
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
  /** Lists the names of the folders directly in a folder. */
  folders(folder: string, signal: AbortSignal): Promise<string[]>
  /** Opens an object; rejects with `not-found` if it does not exist. */
  read(path: string, maxBytes: number, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>
  /** Tells whether a listed object has this content. */
  has(path: string, listedObject: StoredObject, content: Content, signal: AbortSignal): Promise<boolean>
  write(path: string, content: Content, signal: AbortSignal): Promise<void>
  /** Removes an object; does nothing if it does not exist. */
  remove(path: string, signal: AbortSignal): Promise<void>
}

const PIECE_BYTES = 256 * 1024

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

/** Bytes per second that the slowest usable network share writes. */
const SLOWEST_BYTES_PER_SECOND = 1_000_000
/** Number of files whose facts one operation reads; a mounted bucket may need a request for each. */
const FACTS_AT_ONCE = 100

/** Opens a store in a folder, which may be a mounted bucket or a network share; never creates the folder. */
export function createFolderFiles(root: string, call: CallFolder): StoreFiles {
  async function* piecesFrom(path: string, first: Piece, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    let piece = first
    for (let offset = 0; piece.bytes.length > 0;) {
      yield piece.bytes
      offset += piece.bytes.length
      if (offset >= first.sizeBytes) return
      piece = await call('read', [{ root, path }, offset, PIECE_BYTES], signal)
      if (piece.sizeBytes !== first.sizeBytes || piece.changedAtMs !== first.changedAtMs)
        throw new AppError('corrupt-file', 'it changed while it was being read')
    }
  }

  async function read(path: string, maxBytes: number, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
    const first = await call('read', [{ root, path }, 0, PIECE_BYTES], signal)
    if (first.sizeBytes <= maxBytes) return piecesFrom(path, first, signal)
    throw new AppError('too-large', `${path} has more than ${maxBytes} bytes`)
  }

  return {
    location: root,
    isLocal: true,
    async list(path, signal) {
      const names = await call('names', [{ root, path }], signal)
      const objects: StoredObject[] = []
      for (let from = 0; from < names.length; from += FACTS_AT_ONCE) {
        const batch = names.slice(from, from + FACTS_AT_ONCE)
        const facts = await call('facts', [{ root, path }, batch], signal)
        for (const [i, file] of facts.entries()) if (file) objects.push({ name: batch[i], etag: null, ...file })
      }
      return objects
    },
    folders: (path, signal) => call('folders', [{ root, path }], signal),
    read,
    async has(path, { sizeBytes }, content, signal) {
      if (sizeBytes !== content.sizeBytes) return false
      const hash = createHash('sha256')
      for await (const chunk of await read(path, sizeBytes, signal)) hash.update(chunk)
      return hash.digest('hex') === content.sha256
    },
    async write(path, content, signal) {
      const part = `${path.slice(0, path.lastIndexOf('/') + 1)}${partName()}`
      try {
        await call('create', [{ root, path: part }], signal)
        await append(content, (bytes) => call('append', [{ root, path: part }, bytes], signal))
        const extraMs = (content.sizeBytes / SLOWEST_BYTES_PER_SECOND) * 1000
        await call('commit', [{ root, path: part }, path], signal, extraMs)
      } catch (thrown) {
        await call('remove', [{ root, path: part }], new AbortController().signal).catch(() => {})
        throw thrown
      }
    },
    remove: (path, signal) => call('remove', [{ root, path }], signal),
  }
}

/** Writes content piece by piece, and fails if its hash is not the expected one. */
async function append(content: Content, write: (bytes: Uint8Array) => Promise<void>): Promise<void> {
  const hash = createHash('sha256')
  for await (const bytes of content.open()) {
    hash.update(bytes)
    await write(bytes)
  }
  if (hash.digest('hex') !== content.sha256)
    throw new AppError('corrupt-file', 'the content changed while it was being copied')
}
