import { setImmediate } from 'node:timers/promises'
import type { FileTotals } from '#shared/contract/areas/cache.ts'
import { AppError, toAppError } from '#shared/contract/errors.ts'
import type { Progress } from '#shared/contract/protocol.ts'
import { plainPlural } from '#shared/units/plurals.ts'
import { type CacheFolder, removeFile } from '#core/store/cacheFolder.ts'
import type { FileStore } from '#core/store/fileStore.ts'
import type { CachedFile } from '#core/store/fileTable.ts'
import type { PartStore } from '#core/store/partStore.ts'
import type { IdlePart } from './inspectCache.ts'

interface RoomDeps {
  files: FileStore
  folder: CacheFolder
  parts: PartStore
  /** Searches the disk for part files without a job, including those that are missing from the index. */
  findIdlePartFiles(signal: AbortSignal): AsyncIterable<IdlePart>
  /** Tells whether removing files makes room for the index, because both are on the same disk. */
  isOnIndexDisk(): boolean
}

export interface RoomOptions {
  signal: AbortSignal
  onProgress?(progress: Progress): void
  /** Called with each batch of files that would be removed. */
  onBatch?(batch: readonly CachedFile[]): void
  /** True to search the disk for part files that are missing from the index, which takes a while in a large cache. */
  searchDisk?: boolean
}

/**
 * Number of files that a preview selects before it lets other work run: few, because finding each may need a disk seek.
 */
const PREVIEW_BATCH = 64
const REMOVAL_BATCH = 256

/** Selects the next files to remove, least recently used first: enough to free `excessBytes`, but at most `limit`. */
function nextToRemove(
  { files }: Pick<RoomDeps, 'files'>,
  excessBytes: number,
  limit: number,
  after?: CachedFile,
): CachedFile[] {
  if (excessBytes <= 0) return []
  let freedBytes = 0
  const leastRecent = files.leastRecentlyUsed(limit, after)
  const lastIndex = leastRecent.findIndex(({ sizeBytes }) => (freedBytes += sizeBytes) >= excessBytes)
  return lastIndex < 0 ? leastRecent : leastRecent.slice(0, lastIndex + 1)
}

/** Bytes of the cached files and of the parts of running or interrupted transfers. */
export const usedBytes = ({ files, parts }: Pick<RoomDeps, 'files' | 'parts'>): number =>
  files.totals({}).sizeBytes + parts.list().reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)

/**
 * Lists the part files without a job, which are removed before any complete file, and sums the bytes of those that are
 * missing from the index.
 */
async function partsToRemove(deps: RoomDeps, { searchDisk, signal }: RoomOptions) {
  const partsInIndex = deps.parts
    .list()
    .map((part) => ({ ...part, fullPath: deps.parts.pathOf(part.series, part.period) }))
  const removable: IdlePart[] = partsInIndex.filter(({ isAwaited }) => !isAwaited)
  let unlistedBytes = 0
  if (!searchDisk) return { removable, unlistedBytes }
  const indexedPaths = new Set(partsInIndex.map(({ fullPath }) => fullPath))
  for await (const part of deps.findIdlePartFiles(signal)) {
    if (indexedPaths.has(part.fullPath)) continue
    removable.push(part)
    unlistedBytes += part.sizeBytes
  }
  return { removable, unlistedBytes }
}

export async function previewRoom(deps: RoomDeps, maxBytes: number, options: RoomOptions): Promise<FileTotals> {
  deps.files.flushTouches()
  const previewed: FileTotals = { files: 0, sizeBytes: 0 }
  const parts = await partsToRemove(deps, options)
  const excessBytes = usedBytes(deps) + parts.unlistedBytes - maxBytes
  for (const part of parts.removable) if (previewed.sizeBytes < excessBytes) addFiles(previewed, [part])
  let batch = nextToRemove(deps, excessBytes - previewed.sizeBytes, PREVIEW_BATCH)
  while (batch.length > 0) {
    options.onBatch?.(batch)
    addFiles(previewed, batch)
    options.onProgress?.({ done: previewed.sizeBytes, total: excessBytes, message: 'bytes to remove' })
    await setImmediate(undefined, { signal: options.signal })
    batch = nextToRemove(deps, excessBytes - previewed.sizeBytes, PREVIEW_BATCH, batch.at(-1))
  }
  return previewed
}

/**
 * Removes files until the cache has at most `maxBytes` bytes. A file's index row is deleted before the file, so a
 * reader never meets a row without a file; a crash in between leaves a valid file, which a repair adds to the index
 * again.
 */
export async function makeRoom(deps: RoomDeps, maxBytes: number, options: RoomOptions): Promise<FileTotals> {
  deps.files.flushTouches()
  const removed: FileTotals = { files: 0, sizeBytes: 0 }
  const parts = await partsToRemove(deps, options)
  const excessBytes = usedBytes(deps) + parts.unlistedBytes - maxBytes
  for (const part of parts.removable) {
    if (removed.sizeBytes >= excessBytes) break
    // A part is removed before its row: a row without its part does no harm, and a full disk may lack the room to
    // delete the row.
    await removeFile(part.fullPath, deps.folder.root)
    unlessDiskFull(() => deps.parts.forget([part]))
    addFiles(removed, [part])
  }
  for (;;) {
    options.signal.throwIfAborted()
    // The excess is computed anew for each batch, because another process may be freeing space too.
    const batch = nextToRemove(deps, usedBytes(deps) - maxBytes, REMOVAL_BATCH)
    if (batch.length === 0) return removed
    await removeFiles(deps, batch)
    addFiles(removed, batch)
    options.onProgress?.({ done: removed.sizeBytes, total: excessBytes, message: 'removed' })
  }
}

export async function removeFiles(
  deps: Pick<RoomDeps, 'files' | 'folder' | 'isOnIndexDisk'>,
  batch: readonly CachedFile[],
): Promise<void> {
  const { files, folder } = deps
  const remove = ({ series, period }: CachedFile) => removeFile(folder.pathOf(series, period), folder.root)
  if (!deps.isOnIndexDisk()) files.forget(batch)
  else if (!isForgotten(files, batch)) {
    const removedCount = await removeUntilForgotten(files, batch, remove)
    return removeFiles(deps, batch.slice(removedCount))
  }
  await Promise.all(batch.map(remove))
}

/** Deletes the index rows of files; returns false if the disk is too full even for that. */
const isForgotten = (files: FileStore, batch: readonly CachedFile[]): boolean =>
  unlessDiskFull(() => files.forget(batch))

/** Writes to the index; returns false if the disk is too full. */
function unlessDiskFull(write: () => void): boolean {
  try {
    write()
    return true
  } catch (thrown) {
    if (toAppError(thrown).code === 'disk-full') return false
    throw thrown
  }
}

/**
 * Removes files until there is room on the disk to delete their index rows. After a crash in between, readers and a
 * verification report these files as missing.
 * @returns number of removed files
 */
async function removeUntilForgotten(
  files: FileStore,
  batch: readonly CachedFile[],
  remove: (file: CachedFile) => Promise<void>,
): Promise<number> {
  for (let removed = 1; removed <= batch.length; removed++) {
    await remove(batch[removed - 1])
    if (isForgotten(files, batch.slice(0, removed))) return removed
  }
  const removedText = plainPlural(batch.length, 'file was removed but is', 'files were removed but are')
  throw new AppError('disk-full', `${removedText} still in the index: verify and repair the cache.`)
}

function addFiles(total: FileTotals, batch: readonly Pick<CachedFile, 'sizeBytes'>[]): void {
  total.files += batch.length
  total.sizeBytes += batch.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
}
