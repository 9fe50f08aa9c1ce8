import { join } from 'node:path'
import { computedOwner } from '#shared/contract/computedOwner.ts'
import { AppError } from '#shared/contract/errors.ts'
import type { CacheReport } from '#shared/contract/areas/cache.ts'
import type { ProofPool } from '#core/downloads/proofPool.ts'
import type { Clock } from '#core/ports.ts'
import { QUARANTINE_FOLDER, removeFile } from '#core/store/fileRemoval.ts'
import type { Store } from '#core/store/store.ts'
import type { InspectOptions } from './inspectCache.ts'
import { lookThrough } from './lookThrough.ts'
import { makeRoom, previewRoom, removeFiles, type RoomMade, type RoomOptions } from './makeRoom.ts'

/** The files on this machine: keeping them whole, making room. */
export interface Cache {
  lookThrough(options: InspectOptions & { repair: boolean }): Promise<CacheReport>
  previewRoom(maxBytes: number, options: RoomOptions): Promise<RoomMade>
  makeRoom(maxBytes: number, options: RoomOptions): Promise<RoomMade>
  /** Pinned ones too; refused while downloads of the connection are not finished. */
  removeConnection(connectionId: string, options: RoomOptions): Promise<RoomMade>
}

const REMOVED_AT_ONCE = 512

export interface CacheParts {
  store: Store
  dataDir: string
  clock: Clock
  prove: ProofPool['prove']
  /** Where downloads run beside it: resolves when nothing more of a connection arrives. */
  transfersEnded?: (connectionId: string) => Promise<void>
}

export function createCache({ store, dataDir, clock, prove, transfersEnded }: CacheParts): Cache {
  const { files, folder, parts, cacheUse: use } = store
  const roomParts = { files, folder }

  return {
    lookThrough: (options) =>
      lookThrough(
        {
          files,
          use,
          folder,
          parts,
          dataDir,
          nowMs: clock.nowMs(),
          prove,
        },
        options,
      ),
    previewRoom: (maxBytes, options) => previewRoom(roomParts, maxBytes, options),
    makeRoom: (maxBytes, options) => makeRoom(roomParts, maxBytes, options),
    async removeConnection(connectionId, { signal, onProgress }) {
      if (use.awaitedFiles(connectionId) > 0)
        throw new AppError('conflict', 'Downloads of this connection are not finished; cancel them first.')
      await transfersEnded?.(connectionId)
      const gone: RoomMade = { files: 0, sizeBytes: 0 }
      const owners = [connectionId, computedOwner(connectionId)]
      const total = owners.reduce((sum, owner) => sum + files.totals({ connectionId: owner }).files, 0)
      for (const owner of owners) {
        for (;;) {
          signal.throwIfAborted()
          const batch = files.page({ connectionId: owner }, null, REMOVED_AT_ONCE)
          if (batch.length === 0) break
          await removeFiles(roomParts, batch)
          gone.files += batch.length
          gone.sizeBytes += batch.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
          onProgress?.({ done: gone.files, total, words: 'removed' })
        }
        const name = encodeURIComponent(owner)
        await removeFile(join(folder.root, name))
        await removeFile(join(dataDir, QUARANTINE_FOLDER, name))
      }
      store.serviceAnswers.forget(connectionId)
      return gone
    },
  }
}
