import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { chmod, mkdir, rm } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { safeFileName } from '#shared/units/fileNames.ts'

/** Where a file of a folder that the page sends stands in it. */
interface FolderPlace {
  /** Random id of the folder, which all of its files have. */
  folder: string
  /** Path of the file, which begins with the name of the folder. */
  path: string
}

/** Reads from a request where its file stands in a folder; null if it is a file by itself. */
export function folderPlace(query: URLSearchParams): FolderPlace | null {
  const { folder, path } = { folder: query.get('folder') ?? '', path: query.get('path') ?? '' }
  return /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/.test(folder) && path.includes('/') ? { folder, path } : null
}

const MOST_LEVELS = 20

/**
 * Receives one file from the page, completely or not at all.
 * @returns its path, or that of its folder
 */
export async function receiveUpload(
  request: IncomingMessage,
  incomingDir: string,
  name: string,
  place: FolderPlace | null = null,
): Promise<string> {
  const root = join(incomingDir, place?.folder ?? randomUUID())
  const levels = (place?.path ?? name).split('/').slice(-MOST_LEVELS)
  const path = join(root, ...(place ? levels : [name]).map((level) => safeFileName(level)))
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  // Folders created by older versions have the permissions of the umask.
  await chmod(incomingDir, 0o700)
  try {
    await pipeline(request, createWriteStream(path, { flags: 'wx', mode: 0o600 }))
  } catch (error) {
    await rm(place ? path : root, { recursive: true, force: true })
    throw error
  }
  return place ? join(root, safeFileName(levels[0])) : path
}
