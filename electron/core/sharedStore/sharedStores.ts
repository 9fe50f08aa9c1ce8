import type { ConnectionFields } from '#shared/contract/areas/connections.ts'
import { parseStoreKey, parseStorePlace } from '#shared/contract/sharedStore.ts'
import { AppError, toAppError } from '#shared/contract/errors.ts'
import type { HttpClient } from '#core/clients/http.ts'
import { requireValidKey } from '#core/clients/httpErrors.ts'
import { createS3Bucket, type S3Bucket } from '#core/clients/s3.ts'
import type { Clock, Logger } from '#core/ports.ts'
import type { ConnectionStore } from '#core/store/connectionStore.ts'
import { createStoreCatalog, type StoreCatalog } from './storeCatalog.ts'
import { storeKeyScope } from './storeFields.ts'
import type { FolderWorkers } from './folderWorker.ts'
import { createFolderFiles, type StoreFiles } from './storeFiles.ts'

/** The shared store of a connection, as downloads use it. */
export interface SharedStore {
  location: string
  isLocal: boolean
  files: StoreFiles
  catalog: StoreCatalog
  /** Returns the error with which the store failed recently; null if the store may be used. */
  trouble(): AppError | null
  /** Records that the store worked, so that the next failure counts as the first one again. */
  noteSuccess(): void
  /**
   * Records a failure and suspends the store for a while, because otherwise every file would wait for the same failure.
   */
  noteTrouble(thrown: unknown): AppError
}

/** Location of a store and the service that hosts it. */
export type StoreFields = Pick<ConnectionFields, 'store' | 'storeEndpoint' | 'storePlainHttp'>

/** Opens shared stores. */
export interface SharedStores {
  /** Returns the store of a connection; null if it has none. */
  storeOf(connectionId: string): SharedStore | null
  /**
   * Opens a store at any location. The connection's key is sent only if it is for the same service; otherwise the key
   * of the environment is used.
   */
  open(connectionId: string, fields: StoreFields): StoreFiles
}

interface SharedStoresDeps {
  connections: ConnectionStore
  http: HttpClient
  folderWorkers: FolderWorkers
  /** Reads the key of a connection's store, or the key in the environment if the id is empty. */
  keyOf(connectionId: string): Promise<string | null>
  clock: Clock
  log: Logger
}

/** Time for which a store is not used after a failure; it doubles with each further failure in a row. */
const SUSPENSION_MS = 60_000
/** Longest time for which a store is not used, however many failures there were in a row. */
const LONGEST_SUSPENSION_MS = 30 * 60_000

export function createSharedStores({
  connections,
  http,
  folderWorkers,
  keyOf,
  clock,
  log,
}: SharedStoresDeps): SharedStores {
  const openedByConnection = new Map<string, { fieldsText: string; store: SharedStore | null }>()
  const connectionOf = (connectionId: string) => connections.list().find(({ id }) => id === connectionId)

  /** @param keyOwner connection whose key is sent to the service; empty for the key of the environment */
  function filesAt(
    { store = '', storeEndpoint = '', storePlainHttp = false }: StoreFields,
    keyOwner: string,
  ): StoreFiles {
    const place = parseStorePlace(store)
    if (store === '' || !place) throw new AppError('bad-input', `“${store}” is not a folder or an s3:// address`)
    if (place.kind === 'folder') return createFolderFiles(place.path, folderWorkers.callIn(place.path))
    const { bucket, prefix } = place
    const access = { bucket, endpoint: storeEndpoint, plainHttp: storePlainHttp }
    let lastBucket: { text: string | null; bucket: S3Bucket } | null = null
    return createBucketFiles(store, prefix, async () => {
      const text = await keyOf(keyOwner)
      if (text !== null) requireValidKey(text, 'The key of the shared store')
      const key = text === null ? null : parseStoreKey(text)
      if (text !== null && !key) throw new AppError('login', 'The key of the store must be ID:SECRET, with the colon.')
      if (lastBucket?.text !== text) lastBucket = { text, bucket: createS3Bucket(http, { ...access, key }) }
      return lastBucket!.bucket
    })
  }

  return {
    storeOf(connectionId) {
      const connection = connectionOf(connectionId)
      const fieldsText = JSON.stringify([connection?.store, connection?.storeEndpoint, connection?.storePlainHttp])
      const cached = openedByConnection.get(connectionId)
      if (cached?.fieldsText === fieldsText) return cached.store
      const store = connection?.store ? createSharedStore(filesAt(connection, connectionId), clock, log) : null
      openedByConnection.set(connectionId, { fieldsText, store })
      return store
    },
    open(connectionId, fields) {
      const isSameService = storeKeyScope(connectionOf(connectionId) ?? {}) === storeKeyScope(fields)
      return filesAt(fields, isSameService ? connectionId : '')
    },
  }
}

function createSharedStore(files: StoreFiles, clock: Clock, log: Logger): SharedStore {
  let lastFailure: { error: AppError; atMs: number; forMs: number } | null = null
  function trouble(): AppError | null {
    const ageMs = lastFailure ? clock.nowMs() - lastFailure.atMs : Infinity
    return lastFailure && ageMs >= 0 && ageMs < lastFailure.forMs ? lastFailure.error : null
  }
  return {
    location: files.location,
    isLocal: files.isLocal,
    files,
    catalog: createStoreCatalog(files, clock.nowMs),
    trouble,
    noteSuccess: () => void (lastFailure = null),
    noteTrouble(thrown) {
      const error = toAppError(thrown)
      // A failed operation counts once, although several jobs may have waited for it.
      if (trouble()) return error
      const forMs = lastFailure ? Math.min(2 * lastFailure.forMs, LONGEST_SUSPENSION_MS) : SUSPENSION_MS
      lastFailure = { error, atMs: clock.nowMs(), forMs }
      log.write('warn', `the shared store ${files.location} cannot be used: ${error.message}`)
      return error
    },
  }
}

/** Opens a store in a bucket, below a prefix. */
function createBucketFiles(location: string, prefix: string, open: () => Promise<S3Bucket>): StoreFiles {
  const keyOf = (path: string) => [prefix, path].filter(Boolean).join('/')
  const prefixOf = (folder: string) => (keyOf(folder) === '' ? '' : `${keyOf(folder)}/`)
  return {
    location,
    isLocal: false,
    async list(folder, signal) {
      const folderPrefix = prefixOf(folder)
      const { objects } = await (await open()).list(folderPrefix, signal)
      return objects
        .filter(({ key }) => key.startsWith(folderPrefix) && key !== folderPrefix)
        .map(({ key, ...object }) => ({ ...object, name: key.slice(folderPrefix.length) }))
    },
    async folders(folder, signal) {
      const folderPrefix = prefixOf(folder)
      const { prefixes } = await (await open()).list(folderPrefix, signal)
      return prefixes.map((prefix) => prefix.slice(folderPrefix.length).replace(/\/$/, ''))
    },
    read: async (path, maxBytes, signal) => (await open()).get(keyOf(path), maxBytes, signal),
    // The etag is the MD5 of what the service received; a service that encrypts states another etag, so the
    // content is written again.
    has: (_path, listed, content) =>
      Promise.resolve(listed.sizeBytes === content.sizeBytes && listed.etag === content.md5),
    write: async (path, content, signal) => (await open()).put(keyOf(path), content, signal),
    remove: async (path, signal) => (await open()).remove(keyOf(path), signal),
  }
}
