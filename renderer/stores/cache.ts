import { defineStore } from 'pinia'
import { onScopeDispose } from 'vue'
import type { CallInput } from '#shared/contract/calls.ts'
import type { CallOptions } from '#shared/contract/client.ts'
import { useHost } from './host.ts'

export type UsagePart = CallInput<'cache.usage'>['by']

/** Usage of the cache over all connections, and the actions on it. */
export const useCache = defineStore('cache', () => {
  const host = useHost()

  /** Pins or unpins the files that a row of the usage table counts, and returns how many; `name` is the row's name. */
  async function pin(by: UsagePart, name: string, pinned: boolean): Promise<number> {
    if (by === 'connection') return (await host.call('cache.pin', { connectionId: name, pinned })).files
    const filter = { dataset: { datasets: [name] }, exchange: { exchanges: [name] }, symbol: { symbols: [name] } }[by]
    const { rows } = await host.call('cache.usage', { by: 'connection' })
    let files = 0
    for (const { name: connectionId } of rows)
      files += (await host.call('cache.pin', { connectionId, pinned, ...filter })).files
    return files
  }

  return {
    usage: (by: UsagePart) => host.call('cache.usage', { by }),
    pin,
    previewPrune: (maxBytes: number, options: CallOptions) => host.call('cache.prunePreview', { maxBytes }, options),
    prune: (maxBytes: number, options: CallOptions) => host.call('cache.prune', { maxBytes }, options),
    verify: (deep: boolean, options: CallOptions) => host.call('cache.verify', { deep }, options),
    /** Counts the files of a connection, including those computed from its events. */
    countFiles: (connectionId: string) => host.call('cache.removePreview', { connectionId }),
    countRemoval: (selection: CallInput<'cache.remove'>) => host.call('cache.removePreview', selection),
    remove: (selection: CallInput<'cache.remove'>) => host.call('cache.remove', selection),
    removeConnectionData: (connectionId: string) => host.call('cache.removeConnectionData', { connectionId }),
    place: () => host.call('cache.place', {}),
    relocate: (target: string, options: CallOptions) => host.call('cache.relocate', { target }, options),
    /** Opens the system's dialog to choose a folder; null if the host has no such dialog. */
    pickFolder: host.connectedHost().kind === 'desktop' ? () => host.call('files.pickFolder', {}) : null,
    repair: (deep: boolean, options: CallOptions) => host.call('cache.repair', { deep }, options),
  }
})

/** Minimum time between two reloads while files are being downloaded. */
const FOLLOW_EVERY_MS = 4000

/** Runs `load` when the cache changes, until the current scope ends. */
export function onCacheChange(load: () => void, everyMs = FOLLOW_EVERY_MS): void {
  const host = useHost()
  let timer: ReturnType<typeof setTimeout> | undefined
  const loadNow = () => {
    clearTimeout(timer)
    timer = undefined
    load()
  }
  const unsubscribers = [
    host.on('cache.changed', loadNow),
    host.on('downloads.finished', loadNow),
    host.on('downloads.changed', () => (timer ??= setTimeout(loadNow, everyMs))),
  ]
  onScopeDispose(() => {
    clearTimeout(timer)
    for (const end of unsubscribers) end()
  })
}
