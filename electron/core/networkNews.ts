import type { NetworkState } from '#shared/contract/areas/network.ts'
import type { HttpClient } from '#core/clients/http.ts'
import type { DownloadQueue } from '#core/downloads/scheduler.ts'
import type { EventBus } from '#core/eventBus.ts'
import type { PauseStore } from '#core/store/pauseStore.ts'

export interface NetworkNewsDeps {
  http(): HttpClient
  pauses: PauseStore
  queue(): DownloadQueue
  bus: EventBus
  isOffline(): boolean
}

/** Tells windows of the network, and lets downloads that stood still for it go on when it is back. */
export function createNetworkNews({ http, pauses, queue, bus, isOffline }: NetworkNewsDeps) {
  let lostBefore = 0
  let wasOffline = isOffline()

  const state = (): NetworkState => ({
    offline: isOffline(),
    unreachable: http()
      .unreachable()
      .map(({ origin, sinceMs, message, nextLookMs }) => ({ origin, since: sinceMs, message, nextLook: nextLookMs })),
  })
  const tell = () => bus.emit('network.changed', state())

  bus.subscribe((name) => {
    // An address that is out of reach may be gone, or another.
    if (name === 'connections.changed' && lostBefore > 0) {
      http().forgetUnreachable()
      lostBefore = 0
      tell()
    }
    if (name !== 'settings.changed' || isOffline() === wasOffline) return
    wasOffline = isOffline()
    if (!wasOffline) http().forgetUnreachable()
    tell()
  })

  return {
    state,
    onReach(): void {
      const lost = http().unreachable().length
      if (lost < lostBefore)
        for (const { connectionId, error } of pauses.list())
          if (error.code === 'network') queue().resumeConnection(connectionId)
      lostBefore = lost
      tell()
    },
  }
}
