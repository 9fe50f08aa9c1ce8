import { setImmediate } from 'node:timers/promises'
import type { Progress } from '#shared/contract/protocol.ts'
import type { CacheFolder } from '#core/store/cacheFolder.ts'
import type { CachedFile, FileStore } from '#core/store/fileStore.ts'
import { removeFile } from '#core/store/fileRemoval.ts'

export interface RoomParts {
  files: FileStore
  folder: CacheFolder
}

export interface RoomOptions {
  signal: AbortSignal
  onProgress?(progress: Progress): void
  /** Hears every batch before it goes. */
  onBatch?(batch: readonly CachedFile[]): void
}

const AT_ONCE = 256

/** The files that have to go for the cache to be no larger than this, least recently used first, a batch at a time. */
export function* filesToGo({ files }: RoomParts, maxBytes: number): Generator<CachedFile[]> {
  let excessBytes = files.totals({}).sizeBytes - maxBytes
  let last: CachedFile | undefined
  while (excessBytes > 0) {
    const batch: CachedFile[] = []
    for (const file of files.oldestUnused(AT_ONCE, last)) {
      if (excessBytes <= 0) break
      batch.push(file)
      excessBytes -= file.sizeBytes
    }
    if (batch.length === 0) return
    last = batch.at(-1)
    yield batch
  }
}

export interface RoomMade {
  files: number
  sizeBytes: number
}

export async function previewRoom(parts: RoomParts, maxBytes: number, options: RoomOptions): Promise<RoomMade> {
  parts.files.flushTouches()
  const going: RoomMade = { files: 0, sizeBytes: 0 }
  for (const batch of filesToGo(parts, maxBytes)) {
    options.signal.throwIfAborted()
    options.onBatch?.(batch)
    count(going, batch)
    await setImmediate()
  }
  return going
}

/**
 * Removes them. Rows go before their files: whoever reads never meets a row without a file, and after a crash in between a
 * whole file is left, which a repair takes in again.
 */
export async function makeRoom(parts: RoomParts, maxBytes: number, options: RoomOptions): Promise<RoomMade> {
  parts.files.flushTouches()
  const gone: RoomMade = { files: 0, sizeBytes: 0 }
  for (const batch of filesToGo(parts, maxBytes)) {
    options.signal.throwIfAborted()
    options.onBatch?.(batch)
    await removeFiles(parts, batch)
    count(gone, batch)
    options.onProgress?.({ done: gone.files, total: null, words: `files removed: ${gone.files}` })
  }
  return gone
}

export async function removeFiles({ files, folder }: RoomParts, batch: readonly CachedFile[]): Promise<void> {
  files.forget(batch)
  await Promise.all(batch.map(({ series, period }) => removeFile(folder.pathOf(series, period))))
}

function count(made: RoomMade, batch: readonly CachedFile[]): void {
  made.files += batch.length
  made.sizeBytes += batch.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
}
