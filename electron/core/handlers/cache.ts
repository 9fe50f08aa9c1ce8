import type { FileTotals, ListedFile } from '#shared/contract/areas/cache.ts'
import { isEngineOrigin } from '#shared/contract/engineOrigin.ts'
import type { Cache } from '#core/cache/cache.ts'
import type { EventBus } from '#core/eventBus.ts'
import type { CallContext, CallsOf, Handlers } from '#core/handler.ts'
import type { FileFilter } from '#core/store/fileFilter.ts'
import type { CachedFile } from '#core/store/fileTable.ts'
import { withPairs } from '#core/store/listStore.ts'
import { storedJsonOr } from '#core/store/storedJson.ts'
import type { Store } from '#core/store/store.ts'

export interface CacheHandlerDeps {
  cache: Cache
  store: Store
  bus: EventBus
}

/** Maximum number of files that a preview names. */
const MOST_NAMED_FILES = 100

export function cacheHandlers({ cache, store, bus }: CacheHandlerDeps): Handlers<CallsOf<'cache'>> {
  const { files, cacheUse, lists } = store
  const ownerOf = (connectionId: string) => connectionId || store.connections.active().id
  const ownerOrAny = (connectionId: string) => connectionId || undefined
  const emitChanged = () => bus.emit('cache.changed', {})
  const optionsOf = ({ signal, progress }: CallContext) => ({ signal, onProgress: progress })

  const computedBy = ({ series, period }: Pick<CachedFile, 'series' | 'period'>) =>
    storedJsonOr(files.facts(series, period)?.provenance, isEngineOrigin, null)

  const listedFile = ({ fetchedAtMs, usedAtMs, changedUpstreamAtMs, ...file }: CachedFile): ListedFile => ({
    series: file.series,
    period: file.period,
    state: file.state,
    origin: file.origin,
    computedBy: file.origin === 'computed' ? computedBy(file) : null,
    sizeBytes: file.sizeBytes,
    sha256: file.sha256,
    fetchedAt: fetchedAtMs,
    usedAt: usedAtMs,
    pinned: file.pinned,
    changedUpstreamAt: changedUpstreamAtMs,
    path: store.folder.pathOf(file.series, file.period),
  })

  /** Totals of the list that was asked for last; its pages need not count all files again. */
  let counted: { wanted: string; version: number; total: FileTotals } | null = null
  function totalsOf(filter: FileFilter): FileTotals {
    const [wanted, version] = [JSON.stringify(filter), store.database.version()]
    if (counted?.wanted !== wanted || counted.version !== version)
      counted = { wanted, version, total: files.totals(filter) }
    return counted.total
  }

  return {
    'cache.list': ({ after, limit, ...filter }) => {
      const wanted = { ...withPairs(lists, filter), connectionId: ownerOf(filter.connectionId) }
      return { files: files.page(wanted, after, limit).map(listedFile), total: totalsOf(wanted) }
    },
    'cache.usage': ({ by, connectionId }) => {
      const filter = { connectionId: ownerOrAny(connectionId) }
      return { rows: cacheUse.usage(by, filter), total: files.totals(filter) }
    },
    'cache.verify': async ({ connectionId, deep }, context) => {
      const report = await cache.verify({
        connectionId: ownerOrAny(connectionId),
        repair: false,
        deep,
        ...optionsOf(context),
      })
      if (report.takenIn > 0) emitChanged()
      return report
    },
    'cache.repair': async ({ connectionId, deep }, context) => {
      try {
        return await cache.verify({
          connectionId: ownerOrAny(connectionId),
          repair: true,
          deep,
          ...optionsOf(context),
        })
      } finally {
        emitChanged()
      }
    },
    'cache.prunePreview': async ({ maxBytes }, context) => {
      const first: ListedFile[] = []
      const onBatch = (batch: readonly CachedFile[]) =>
        first.push(...batch.slice(0, MOST_NAMED_FILES - first.length).map(listedFile))
      return { ...(await cache.previewRoom(maxBytes, { ...optionsOf(context), onBatch, searchDisk: true })), first }
    },
    'cache.prune': async ({ maxBytes }, context) => {
      try {
        const removed = await cache.makeRoom(maxBytes, { ...optionsOf(context), searchDisk: true })
        return { ...removed, left: cache.usedSpace() }
      } finally {
        emitChanged()
      }
    },
    'cache.removePreview': ({ connectionId, ...filter }) =>
      cache.totals(ownerOf(connectionId), withPairs(lists, filter)),
    'cache.remove': async ({ connectionId, ...filter }, context) => {
      try {
        return await cache.remove(ownerOf(connectionId), withPairs(lists, filter), optionsOf(context))
      } finally {
        emitChanged()
      }
    },
    'cache.pin': ({ pinned, ...filter }) => {
      const changedFiles = cacheUse.setPinned({ ...filter, connectionId: ownerOf(filter.connectionId) }, pinned)
      emitChanged()
      return { files: changedFiles }
    },
    'cache.place': () => cache.place(),
    'cache.relocate': async ({ target }, context) => {
      try {
        return { path: await cache.relocate(target, optionsOf(context)) }
      } finally {
        emitChanged()
      }
    },
    'cache.removeConnectionData': async ({ connectionId }, context) => {
      try {
        return await cache.removeConnection(connectionId, optionsOf(context))
      } finally {
        emitChanged()
      }
    },
  }
}
