import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { writeError } from '#shared/contract/writeError.ts'
import { partPathOf } from './partFile.ts'
import { resolveLinks } from './resolveLinks.ts'
import type { FileContent } from './ports.ts'

/** Number of bytes after which a file is synced during the write, so that little is left for the final sync. */
const SYNC_EVERY_BYTES = 32 << 20

/** Writes a new file and syncs it to the disk; fails if the file exists. */
export async function writeSynced(path: string, content: FileContent): Promise<void> {
  try {
    await using file = await open(path, 'wx')
    await writePieces(file, content)
    await file.sync()
  } catch (error) {
    // A stream that was never read keeps its source open until it is destroyed.
    if (content instanceof Readable) content.destroy()
    throw error
  }
}

/**
 * Writes a part file and renames it, so that the target is either complete or unchanged. The error of a failed write
 * names the target.
 * @param suffix ending of the part file's name, for outputs that one process may write at the same time
 */
export async function writeReplacing(path: string, content: FileContent, suffix?: string): Promise<void> {
  const target = resolveLinks(path)
  const part = suffix === undefined ? partPathOf(target) : target + suffix
  try {
    // A named pipe or a link in its place would keep the file waiting, or lead it elsewhere.
    await rm(part, { force: true })
    await writeSynced(part, content)
    await rename(part, target)
  } catch (error) {
    await rm(part, { force: true })
    throw writeError(path, error)
  }
}

async function writePieces(file: FileHandle, content: FileContent): Promise<void> {
  let syncing: Promise<void> = Promise.resolve()
  let unsyncedBytes = 0
  for await (const piece of content) {
    await file.writeFile(piece)
    unsyncedBytes += piece.length
    if (unsyncedBytes < SYNC_EVERY_BYTES) continue
    unsyncedBytes = 0
    await syncing
    syncing = file.datasync()
    // An error is reported at the next sync or at the end.
    syncing.catch(() => {})
  }
  await syncing
}
