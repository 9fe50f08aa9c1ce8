import { isAbsolute } from 'node:path'
import { type ConnectionFields, sendsUnencrypted } from '#shared/contract/areas/connections.ts'
import { AppError, toAppError } from '#shared/contract/errors.ts'
import { parseStorePlace } from '#shared/contract/sharedStore.ts'
import type { FolderWorkers } from './folderWorker.ts'

type StoreFields = Pick<ConnectionFields, 'store' | 'storeEndpoint' | 'storePlainHttp'>

/**
 * Validates a change of a connection's shared store.
 * @param current the current store of the connection
 * @returns all fields of the store after the change; empty if none of them is to change
 */
export function resolveStoreFields(current: StoreFields, change: StoreFields): StoreFields {
  if (change.store === undefined && change.storeEndpoint === undefined && change.storePlainHttp === undefined) return {}
  const store = change.store ?? current.store ?? ''
  const place = parseStorePlace(store)
  if (store === '' || place?.kind !== 'bucket') {
    if (change.storeEndpoint) throw new AppError('bad-input', 'storeEndpoint: needs s3://BUCKET/PREFIX as the store')
    if (store !== '' && !isAbsolute(store)) throw new AppError('bad-input', `store: ${store} is not a full path`)
    return { store, storeEndpoint: '', storePlainHttp: false }
  }
  const storeEndpoint = change.storeEndpoint ?? current.storeEndpoint ?? ''
  const isSameEndpoint = storeEndpoint === (current.storeEndpoint ?? '')
  const isConfirmed = change.storePlainHttp ?? (isSameEndpoint && current.storePlainHttp === true)
  const isPlain = storeEndpoint !== '' && sendsUnencrypted(storeEndpoint)
  if (isPlain && !isConfirmed)
    throw new AppError(
      'bad-input',
      `storeEndpoint: ${storeEndpoint} is plain http: anyone on the network path could read and change the files. Use https, or confirm plain http`,
    )
  return { store, storeEndpoint, storePlainHttp: isPlain }
}

/** Refuses a folder that does not exist, because creating it would hide that a disk or share is not mounted. */
export async function requireFolder({ store = '' }: StoreFields, folderWorkers: FolderWorkers): Promise<void> {
  if (store === '' || parseStorePlace(store)?.kind !== 'folder') return
  const { signal } = new AbortController()
  const kind = await folderWorkers
    .callIn(store)('kindOf', [store], signal)
    .catch((thrown: unknown) => {
      const { detail, sentence } = toAppError(thrown)
      throw new AppError('bad-input', `store: ${(detail ?? sentence).replace(/\.$/, '')}`)
    })
  if (kind === 'absent') throw new AppError('bad-input', `store: ${store} does not exist; create the folder first`)
  if (kind === 'other') throw new AppError('bad-input', `store: ${store} is not a folder`)
}

/**
 * Returns the service that the key of a store is for; null if the store needs no key. A key is never sent to any other
 * service.
 */
export function storeKeyScope({ store = '', storeEndpoint = '' }: StoreFields): string | null {
  if (parseStorePlace(store)?.kind !== 'bucket') return null
  return storeEndpoint === '' ? 'Amazon S3' : new URL(storeEndpoint).origin
}
