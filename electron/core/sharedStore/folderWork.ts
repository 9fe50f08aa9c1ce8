import { constants } from 'node:fs'
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { AppError } from '#shared/contract/errors.ts'

/** Size and modification time of a file. */
interface StoredFileFacts {
  sizeBytes: number
  changedAtMs: number
}

export interface Piece extends StoredFileFacts {
  bytes: Uint8Array
}

/** Path of a file in the folder of a store. */
interface StorePlace {
  root: string
  path: string
}

/**
 * Operations on the folder of a store. Each ends within seconds if the folder responds; because a mounted folder may
 * never respond, they run in a separate process (`storeFolderProcess.ts`).
 */
export const folderWork = {
  /** Returns whether a path is a folder, something else, or absent. */
  async kindOf(path: string): Promise<'folder' | 'other' | 'absent'> {
    const facts = await stat(path).catch((thrown: unknown) => {
      if (isMissingPath(thrown)) return null
      throw folderError(path, thrown)
    })
    return !facts ? 'absent' : facts.isDirectory() ? 'folder' : 'other'
  },

  /** Lists the names in a folder; empty if the folder does not exist. */
  names: ({ root, path }: StorePlace): Promise<string[]> => listOrEmpty(root, () => readdir(fullPath({ root, path }))),

  /** Lists the names of the folders in a folder, and of its links, which may lead to folders. */
  folders: ({ root, path }: StorePlace): Promise<string[]> =>
    listOrEmpty(root, async () => {
      const entries = await readdir(fullPath({ root, path }), { withFileTypes: true })
      return entries.filter((entry) => entry.isDirectory() || entry.isSymbolicLink()).map(({ name }) => name)
    }),

  /** Returns the facts of files in a folder; null for anything that is not a file. */
  facts: ({ root, path }: StorePlace, names: readonly string[]): Promise<(StoredFileFacts | null)[]> =>
    Promise.all(
      names.map(async (name) => {
        const facts = await stat(join(fullPath({ root, path }), name)).catch(() => null)
        return facts?.isFile() ? { sizeBytes: facts.size, changedAtMs: facts.mtimeMs } : null
      }),
    ),

  /** Opens a file and reads one piece of it. */
  async read({ root, path }: StorePlace, offset: number, mostBytes: number): Promise<Piece> {
    // Without O_NONBLOCK, opening a named pipe in place of a file would wait forever for a writer.
    const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)
    const handle = await open(fullPath({ root, path }), flags).catch((thrown: unknown) => {
      if (isMissingPath(thrown)) throw new AppError('not-found', `${path} no longer exists`)
      throw fileError(root, path, thrown)
    })
    try {
      const facts = await handle.stat()
      if (!facts.isFile()) throw new AppError('too-large', `${path} is not a file`)
      return { bytes: await readPiece(handle, offset, mostBytes), sizeBytes: facts.size, changedAtMs: facts.mtimeMs }
    } catch (thrown) {
      throw thrown instanceof AppError ? thrown : fileError(root, path, thrown)
    } finally {
      await handle.close()
    }
  },

  /** Creates an empty file, and its parent folders. */
  create: ({ root, path }: StorePlace) =>
    withFolderErrors(root, async () => {
      await requireRoot(root)
      const target = fullPath({ root, path })
      await mkdir(dirname(target), { recursive: true })
      await (await open(target, 'wx')).close()
    }),

  append: ({ root, path }: StorePlace, bytes: Uint8Array) =>
    withFolderErrors(root, async () => {
      const handle = await open(fullPath({ root, path }), 'a')
      try {
        // `appendFile` writes repeatedly if necessary, because a single write to a network share may write only some of
        // the bytes.
        await handle.appendFile(bytes)
      } finally {
        await handle.close()
      }
    }),

  /** Flushes a file to the disk, then renames it. */
  commit: ({ root, path }: StorePlace, targetPath: string) =>
    withFolderErrors(root, async () => {
      const [part, target] = [fullPath({ root, path }), fullPath({ root, path: targetPath })]
      await syncAndClose(await open(part, 'r+'))
      await rename(part, target)
      await syncFolder(dirname(target))
    }),

  remove: ({ root, path }: StorePlace) => withFolderErrors(root, () => rm(fullPath({ root, path }), { force: true })),
}

export type FolderWork = typeof folderWork

const fullPath = ({ root, path }: StorePlace) => join(root, ...path.split('/').filter(Boolean))

async function requireRoot(root: string): Promise<void> {
  const facts = await stat(root).catch(() => null)
  if (!facts?.isDirectory()) throw new AppError('not-found', `The store ${root} does not exist.`)
}

async function listOrEmpty(root: string, list: () => Promise<string[]>): Promise<string[]> {
  try {
    return await list()
  } catch (thrown) {
    if (!isMissingPath(thrown)) throw folderError(root, thrown)
    await requireRoot(root)
    return []
  }
}

async function readPiece(handle: FileHandle, offset: number, mostBytes: number): Promise<Uint8Array> {
  const buffer = new Uint8Array(mostBytes)
  const { bytesRead } = await handle.read(buffer, 0, mostBytes, offset)
  return buffer.slice(0, bytesRead)
}

async function withFolderErrors(root: string, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (thrown) {
    throw thrown instanceof AppError ? thrown : folderError(root, thrown)
  }
}

async function syncAndClose(handle: FileHandle): Promise<void> {
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Makes a rename durable if the file system supports that; Windows and some network shares do not. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => null)
  await handle?.sync().catch(() => {})
  await handle?.close()
}

const codeOf = (thrown: unknown) => (thrown as NodeJS.ErrnoException).code ?? ''
const isMissingPath = (thrown: unknown) => ['ENOENT', 'ENOTDIR'].includes(codeOf(thrown))

function folderError(root: string, thrown: unknown): AppError {
  const code = codeOf(thrown)
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return new AppError('disk-full', `The store ${root} is full.`, { cause: thrown })
  return new AppError(
    'unsupported',
    `The store ${root} cannot be used: ${reasons[code] ?? (code || 'unknown cause')}.`,
    {
      cause: thrown,
    },
  )
}

/** Codes of failures that concern one file and say nothing about the others. */
const fileProblemCodes: readonly string[] = ['EACCES', 'EPERM', 'EIO', 'ELOOP', 'EISDIR', 'EINVAL', 'ENXIO']

/** Creates the error for a file that cannot be read; only a failure of the folder itself keeps others from being read. */
function fileError(root: string, path: string, thrown: unknown): AppError {
  const code = codeOf(thrown)
  if (!fileProblemCodes.includes(code)) return folderError(root, thrown)
  return new AppError('corrupt-file', `${path}: it cannot be read (${code})`, { cause: thrown })
}

const deniedText = 'you lack the permission to read or write there'
const reasons: Readonly<Record<string, string>> = {
  EACCES: deniedText,
  EPERM: deniedText,
  EROFS: 'it can only be read',
  ENOTCONN: 'it is mounted, but its server is gone (ENOTCONN)',
  ESTALE: 'its server has a different folder there now (ESTALE)',
  EHOSTDOWN: 'its server is down (EHOSTDOWN)',
  EIO: 'reading or writing failed there (EIO)',
  ETIMEDOUT: 'its server did not answer (ETIMEDOUT)',
}
