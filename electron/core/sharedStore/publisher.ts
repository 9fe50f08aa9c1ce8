import { randomUUID } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PublishedFiles } from '#shared/contract/areas/downloads.ts'
import { AppError } from '#shared/contract/errors.ts'
import { plainPlural } from '#shared/units/plurals.ts'
import type { Clock, Logger } from '#core/ports.ts'
import type { CachedFile } from '#core/store/fileTable.ts'
import { createLease, renewLease } from '#core/store/lease.ts'
import type { Store } from '#core/store/store.ts'
import { publishFiles, type PublishContext } from './publishFiles.ts'
import { resolveStoreFields } from './storeFields.ts'
import type { SharedStores, StoreFields } from './sharedStores.ts'
import type { StoreFiles } from './storeFiles.ts'

/** Publishes cached files to shared stores, if the policy of this machine allows it. */
export interface Publisher {
  /**
   * Returns the location of a connection's store; throws if there is no store, if it cannot be read, or if the policy
   * forbids publishing.
   */
  target(connectionId: string, signal: AbortSignal): Promise<string>
  /** Publishes files of a connection to its store. */
  toOwn(connectionId: string, files: readonly CachedFile[], context: PublishContext): Promise<PublishedFiles>
  /**
   * Publishes files to any other location, with the key of the connection's store if that key is for the same service.
   */
  toPlace(
    connectionId: string,
    place: StoreFields,
    files: readonly CachedFile[],
    context: PublishContext,
  ): Promise<PublishedFiles>
}

export interface PublisherDeps {
  store: Store
  stores: SharedStores
  dataDir: string
  clock: Clock
  log: Logger
  /** Throws if the policy of this machine forbids publishing. */
  requirePublishingAccess(): void
}

export function createPublisher({
  store,
  stores,
  dataDir,
  clock,
  log,
  requirePublishingAccess,
}: PublisherDeps): Publisher {
  async function publish(files: StoreFiles, cachedFiles: readonly CachedFile[], context: PublishContext) {
    const lease = createLease({ database: store.database, clock, name: 'publish', holder: randomUUID() })
    if (!lease.take()) throw new AppError('busy', 'Another Perpscope is publishing from this data folder.')
    const renewal = renewLease({ lease, log, onTaken() {}, onLost() {} })
    try {
      const pathOf = ({ series, period }: CachedFile) => store.folder.pathOf(series, period)
      const result = await publishFiles({ files, writer: writerOf(dataDir), pathOf, log }, cachedFiles, context)
      log.write(
        'info',
        `published to ${files.location}: ${plainPlural(result.published + result.rewritten, 'file')}, ${plainPlural(result.bytes, 'byte')}`,
      )
      return result
    } finally {
      renewal.stop()
    }
  }

  function requireStore(connectionId: string): StoreFiles {
    requirePublishingAccess()
    const sharedStore = stores.storeOf(connectionId)
    if (sharedStore) return sharedStore.files
    const { name } = store.connections.find(connectionId)
    throw new AppError(
      'unsupported',
      `The connection “${name}” has no shared store. Name one with “perpscope connection edit NAME --store …”.`,
    )
  }

  return {
    async target(connectionId, signal) {
      const files = requireStore(connectionId)
      await files.folders('', signal)
      return files.location
    },
    toOwn: async (connectionId, files, context) => publish(requireStore(connectionId), files, context),
    async toPlace(connectionId, place, files, context) {
      requirePublishingAccess()
      return publish(stores.open(connectionId, resolveStoreFields({}, place)), files, context)
    },
  }
}

const WRITER_FILE = 'store-writer'

/** Returns the name of this data folder among the writers of a store; the first publication creates the name. */
function writerOf(dataDir: string): string {
  const path = join(dataDir, WRITER_FILE)
  try {
    writeFileSync(path, randomUUID(), { flag: 'wx', mode: 0o600 })
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'EEXIST') throw thrown
  }
  const writer = readFileSync(path, 'utf8').trim()
  if (/^[\w-]{8,64}$/.test(writer)) return writer
  // A crash may have left the file empty.
  writeFileSync(path, randomUUID(), { mode: 0o600 })
  return readFileSync(path, 'utf8')
}
