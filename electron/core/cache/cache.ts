import { statSync } from 'node:fs'
import { realpath, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { computedOwner } from '#shared/contract/computedOwner.ts'
import { AppError } from '#shared/contract/errors.ts'
import type { CacheReport, FileTotals } from '#shared/contract/areas/cache.ts'
import type { ValidationPool } from '#core/downloads/validationPool.ts'
import type { Clock } from '#core/ports.ts'
import type { FileFilter } from '#core/store/fileFilter.ts'
import { QUARANTINE_FOLDER, removeFile } from '#core/store/cacheFolder.ts'
import { FILES_FOLDER } from '#core/store/partitions.ts'
import { clearOldFiles } from '#core/store/filesPlace.ts'
import { moveFiles, type MoveOptions } from '#core/store/moveFiles.ts'
import type { CachedFile } from '#core/store/fileTable.ts'
import { ownerFolderName } from '#core/store/partitions.ts'
import type { Store } from '#core/store/store.ts'
import { idlePartsOnDisk, type InspectOptions } from './inspectCache.ts'
import { checkOldFiles, type CheckOldFilesDeps, verifyCache, type VerifyOptions } from './verifyCache.ts'
import { makeRoom, previewRoom, removeFiles, usedBytes, type RoomOptions } from './makeRoom.ts'

/** Verifies, counts, removes and moves the cached files. */
export interface Cache {
  verify(options: InspectOptions & VerifyOptions): Promise<CacheReport>
  previewRoom(maxBytes: number, options: RoomOptions): Promise<FileTotals>
  makeRoom(maxBytes: number, options: RoomOptions): Promise<FileTotals>
  /** Counts the cached files, and sums their bytes and those of unfinished transfers. */
  usedSpace(): FileTotals
  /** Removes all files of a connection, pinned ones too; throws while downloads of the connection are not finished. */
  removeConnection(connectionId: string, options: RoomOptions): Promise<FileTotals>
  /**
   * Counts the files of a connection that match a filter, including those computed from its raw events, and sums their
   * bytes.
   */
  totals(connectionId: string, filter: FileFilter): FileTotals
  /** Removes the files of a connection that match a filter, pinned ones too. */
  remove(connectionId: string, filter: FileFilter, options: RoomOptions): Promise<FileTotals>
  /** Removes these files, pinned ones too. */
  removeListed(listed: readonly CachedFile[]): Promise<FileTotals>
  /**
   * Returns the folder of the cached files, whether they were moved there, and the free space of its disk; null if the
   * disk is not mounted.
   */
  place(): Promise<{ path: string; isMoved: boolean; freeBytes: number } | null>
  /**
   * Moves all files; downloads are paused meanwhile.
   * @returns the folder that contains the files after the move
   */
  relocate(target: string, options: Pick<MoveOptions, 'signal' | 'onProgress'>): Promise<string>
  /** Finishes a move that was interrupted by a crash. */
  clearOldFiles(): Promise<void>
  /** Compares the values of files from before this was done at their arrival with their statistics. */
  checkOldFiles(onDamaged: CheckOldFilesDeps['onDamaged'], signal: AbortSignal): Promise<void>
}

const FILES_PER_BATCH = 512

interface CacheDeps {
  store: Store
  dataDir: string
  clock: Clock
  validation: Pick<ValidationPool, 'validate' | 'validateAll'>
  /** Resolves when no transfer of a connection is active any more; left out if this process runs no downloads. */
  transfersEnded?: (connectionId: string) => Promise<void>
  /** Runs the work while no process downloads; rejects if another process is downloading. */
  withoutDownloads?: <Result>(work: () => Promise<Result>) => Promise<Result>
}

export function createCache({
  store,
  dataDir,
  clock,
  validation,
  transfersEnded,
  withoutDownloads = (work) => work(),
}: CacheDeps): Cache {
  const { files, folder, parts, cacheUse } = store
  const findIdlePartFiles = (signal: AbortSignal) => idlePartsOnDisk({ folder, cacheUse, nowMs: clock.nowMs() }, signal)
  const isOnIndexDisk = () => statSync(folder.root, { throwIfNoEntry: false })?.dev === statSync(dataDir).dev
  const roomDeps = { files, folder, parts, findIdlePartFiles, isOnIndexDisk }
  /**
   * Lists the owners of a connection's files: the connection itself for downloaded and imported files, and the owner of
   * the files computed from its raw events.
   */
  const ownersOf = (connectionId: string) => [connectionId, computedOwner(connectionId)]

  function totals(connectionId: string, filter: FileFilter): FileTotals {
    const ownerTotals = ownersOf(connectionId).map((owner) => files.totals({ ...filter, connectionId: owner }))
    return {
      files: ownerTotals.reduce((sum, total) => sum + total.files, 0),
      sizeBytes: ownerTotals.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    }
  }

  /** Removes files in batches, and counts them in `removed`. */
  async function removeMatching(
    filter: FileFilter,
    removed: FileTotals,
    total: number,
    signal: AbortSignal,
    onProgress: RoomOptions['onProgress'],
  ): Promise<void> {
    for (;;) {
      signal.throwIfAborted()
      const batch = files.page(filter, null, FILES_PER_BATCH)
      if (batch.length === 0) return
      await removeFiles(roomDeps, batch)
      removed.files += batch.length
      removed.sizeBytes += batch.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
      onProgress?.({ done: removed.files, total, message: 'removed' })
    }
  }

  return {
    verify: (options) =>
      verifyCache(
        {
          files,
          cacheUse,
          folder,
          parts,
          dataDir,
          nowMs: clock.nowMs(),
          validateAll: (paths, signal) => validation.validateAll(paths, signal, options.deep),
        },
        options,
      ),
    previewRoom: (maxBytes, options) => previewRoom(roomDeps, maxBytes, options),
    makeRoom: (maxBytes, options) => makeRoom(roomDeps, maxBytes, options),
    usedSpace: () => ({ files: files.totals({}).files, sizeBytes: usedBytes(roomDeps) }),
    async removeConnection(connectionId, { signal, onProgress }) {
      if (cacheUse.countAwaitedFiles(connectionId) > 0)
        throw new AppError('conflict', 'Downloads of this connection are not finished; cancel them first.')
      await transfersEnded?.(connectionId)
      const removed: FileTotals = { files: 0, sizeBytes: 0 }
      const total = totals(connectionId, {}).files
      for (const owner of ownersOf(connectionId)) {
        await removeMatching({ connectionId: owner }, removed, total, signal, onProgress)
        await removeFile(folder.ownerFolder(owner), folder.root)
        await removeFile(join(dataDir, QUARANTINE_FOLDER, ownerFolderName(owner)), dataDir)
      }
      store.serviceAnswers.forget(connectionId)
      return removed
    },
    totals,
    async remove(connectionId, filter, { signal, onProgress }) {
      const total = totals(connectionId, filter).files
      const removed: FileTotals = { files: 0, sizeBytes: 0 }
      for (const owner of ownersOf(connectionId))
        await removeMatching({ ...filter, connectionId: owner }, removed, total, signal, onProgress)
      return removed
    },
    async removeListed(listed) {
      await removeFiles(roomDeps, listed)
      return { files: listed.length, sizeBytes: listed.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0) }
    },
    async place() {
      const path = await realpath(folder.root).catch(() => null)
      if (path === null) return null
      const { bavail, bsize } = await statfs(path)
      return {
        path,
        isMoved: path !== (await realpath(dataDir).then((dir) => join(dir, FILES_FOLDER))),
        freeBytes: bavail * bsize,
      }
    },
    relocate: (target, options) => withoutDownloads(() => moveFiles({ dataDir, target, ...options })),
    clearOldFiles: () => clearOldFiles(dataDir),
    checkOldFiles: (onDamaged, signal) =>
      checkOldFiles({ files: store.files, folder, validate: validation.validate, onDamaged }, signal),
  }
}
