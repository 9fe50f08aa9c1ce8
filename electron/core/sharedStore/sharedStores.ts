import type { ConnectionFields } from '#shared/contract/areas/connections.ts'
import { parseStorePlace } from '#shared/contract/sharedStore.ts'
import { type AppError, toAppError } from '#shared/contract/errors.ts'
import type { Clock, Logger } from '#core/ports.ts'
import type { ConnectionStore } from '#core/store/connectionStore.ts'
import { createStoreCatalog, type StoreCatalog } from './storeCatalog.ts'
import { createFolderFiles, type StoreFiles } from './storeFiles.ts'

/** The shared store of a connection, as downloads use it. */
export interface SharedStore {
  location: string
  isLocal: boolean
  files: StoreFiles
  catalog: StoreCatalog
  /** Tells why the store could not be used a moment ago; null where it could. */
  trouble(): AppError | null
  /** Leaves the store alone for a while, because every file would wait for the same failure. */
  noteTrouble(thrown: unknown): AppError
}

/** Finds the shared stores of connections. */
export interface SharedStores {
  /** Returns null where the connection has none. */
  of(connectionId: string): SharedStore | null
}

export interface SharedStoresDeps {
  connections: ConnectionStore
  clock: Clock
  log: Logger
}

/** Time for which a store is not asked after it failed. */
const LEFT_ALONE_MS = 60_000

export function createSharedStores({ connections, clock, log }: SharedStoresDeps): SharedStores {
  const opened = new Map<string, { key: string; store: SharedStore | null }>()

  function open(fields: Pick<ConnectionFields, 'store'>): SharedStore | null {
    const place = parseStorePlace(fields.store ?? '')
    if (!fields.store || place?.kind !== 'folder') return null
    return createSharedStore(createFolderFiles(place.path), clock, log)
  }

  return {
    of(connectionId) {
      const connection = connections.list().find(({ id }) => id === connectionId)
      const key = JSON.stringify([connection?.store, connection?.storeEndpoint, connection?.storePlainHttp])
      const known = opened.get(connectionId)
      if (known?.key === key) return known.store
      const store = connection ? open(connection) : null
      opened.set(connectionId, { key, store })
      return store
    },
  }
}

function createSharedStore(files: StoreFiles, clock: Clock, log: Logger): SharedStore {
  let failed: { error: AppError; atMs: number } | null = null
  return {
    location: files.location,
    isLocal: files.isLocal,
    files,
    catalog: createStoreCatalog(files, clock.nowMs),
    trouble() {
      const ageMs = failed ? clock.nowMs() - failed.atMs : Infinity
      return failed && ageMs >= 0 && ageMs < LEFT_ALONE_MS ? failed.error : null
    },
    noteTrouble(thrown) {
      const error = toAppError(thrown)
      failed = { error, atMs: clock.nowMs() }
      log.write('warn', `the shared store ${files.location} cannot be used: ${error.message}`)
      return error
    },
  }
}
