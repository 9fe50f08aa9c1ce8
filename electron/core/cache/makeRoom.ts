import { setImmediate } from 'node:timers/promises'
import type { Progress } from '#shared/contract/protocol.ts'
import { type CacheFolder, removeFile } from '#core/store/cacheFolder.ts'
import type { FileStore } from '#core/store/fileStore.ts'
import type { CachedFile } from '#core/store/fileTable.ts'
import type { PartStore } from '#core/store/partStore.ts'
import type { IdlePart } from './inspectCache.ts'

export interface RoomDeps {
  files: FileStore
  folder: CacheFolder
  parts: PartStore
  /** Searches the disk for part files without a job, including those that are missing from the index. */
  findIdlePartFiles(signal: AbortSignal): AsyncIterable<IdlePart>
}

export interface RoomOptions {
  signal: AbortSignal
  onProgress?(progress: Progress): void
  /** Called with each batch of files that would be removed. */
  onBatch?(batch: readonly CachedFile[]): void
  /** True to search the disk for part files that are missing from the index, which takes a while in a large cache. */
  searchDisk?: boolean
}

/** Number of files examined at once; each may need a seek on a cold disk. */
const LOOKED_AT_ONCE = 64
const REMOVED_AT_ONCE = 256

/** Selects the next files to remove, least recently used first, until they make up for this many bytes. */
function nextToGo(
  { files }: Pick<RoomDeps, 'files'>,
  excessBytes: number,
  limit: number,
  after?: CachedFile,
): CachedFile[] {
  if (excessBytes <= 0) return []
  let freedBytes = 0
  const oldest = files.oldestUnused(limit, after)
  const enough = oldest.findIndex(({ sizeBytes }) => (freedBytes += sizeBytes) >= excessBytes)
  return enough < 0 ? oldest : oldest.slice(0, enough + 1)
}

export interface RemovedFiles {
  files: number
  sizeBytes: number
}

/** Bytes of the cached files and of the parts of running or interrupted transfers. */
export const usedBytes = ({ files, parts }: Pick<RoomDeps, 'files' | 'parts'>): number =>
  files.totals({}).sizeBytes + parts.list().reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)

/** Lists the part files without a job; they are removed before any file. */
async function partsToGo(deps: RoomDeps, { searchDisk, signal }: RoomOptions) {
  const listed = deps.parts.list().map((part) => ({ ...part, fullPath: deps.parts.pathOf(part.series, part.period) }))
  const going: IdlePart[] = listed.filter(({ isAwaited }) => !isAwaited)
  let unlistedBytes = 0
  if (!searchDisk) return { going, unlistedBytes }
  const known = new Set(listed.map(({ fullPath }) => fullPath))
  for await (const part of deps.findIdlePartFiles(signal)) {
    if (known.has(part.fullPath)) continue
    going.push(part)
    unlistedBytes += part.sizeBytes
  }
  return { going, unlistedBytes }
}

export async function previewRoom(deps: RoomDeps, maxBytes: number, options: RoomOptions): Promise<RemovedFiles> {
  deps.files.flushTouches()
  const going: RemovedFiles = { files: 0, sizeBytes: 0 }
  const parts = await partsToGo(deps, options)
  const excessBytes = usedBytes(deps) + parts.unlistedBytes - maxBytes
  for (const part of parts.going) if (going.sizeBytes < excessBytes) count(going, [part])
  let batch = nextToGo(deps, excessBytes - going.sizeBytes, LOOKED_AT_ONCE)
  while (batch.length > 0) {
    options.onBatch?.(batch)
    count(going, batch)
    options.onProgress?.({ done: going.sizeBytes, total: excessBytes, message: 'bytes to remove' })
    await setImmediate(undefined, { signal: options.signal })
    batch = nextToGo(deps, excessBytes - going.sizeBytes, LOOKED_AT_ONCE, batch.at(-1))
  }
  return going
}

/**
 * Removes files. Rows are deleted before their files, so a reader never meets a row without a file; a crash in between
 * leaves a valid file, which a repair imports again.
 */
export async function makeRoom(deps: RoomDeps, maxBytes: number, options: RoomOptions): Promise<RemovedFiles> {
  deps.files.flushTouches()
  const removed: RemovedFiles = { files: 0, sizeBytes: 0 }
  const parts = await partsToGo(deps, options)
  const excessBytes = usedBytes(deps) + parts.unlistedBytes - maxBytes
  for (const part of parts.going) {
    if (removed.sizeBytes >= excessBytes) break
    deps.parts.forget([part])
    await removeFile(part.fullPath, deps.folder.root)
    count(removed, [part])
  }
  for (;;) {
    options.signal.throwIfAborted()
    // Computed anew for each batch, because another process may be freeing space too.
    const batch = nextToGo(deps, usedBytes(deps) - maxBytes, REMOVED_AT_ONCE)
    if (batch.length === 0) return removed
    await removeFiles(deps, batch)
    count(removed, batch)
    options.onProgress?.({ done: removed.sizeBytes, total: excessBytes, message: 'removed' })
  }
}

export async function removeFiles(
  { files, folder }: Pick<RoomDeps, 'files' | 'folder'>,
  batch: readonly CachedFile[],
): Promise<void> {
  files.forget(batch)
  await Promise.all(batch.map(({ series, period }) => removeFile(folder.pathOf(series, period), folder.root)))
}

function count(made: RemovedFiles, batch: readonly Pick<CachedFile, 'sizeBytes'>[]): void {
  made.files += batch.length
  made.sizeBytes += batch.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
}
