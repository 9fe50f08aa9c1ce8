import { requestOfSet } from '#shared/contract/areas/downloads.ts'
import { dayOf } from '#shared/time.ts'
import type { EventBus } from '#core/eventBus.ts'
import type { Handler, Handlers } from '#core/handler.ts'
import type { Clock } from '#core/ports.ts'
import type { Store } from '#core/store/store.ts'

export interface DownloadSetDeps {
  store: Store
  clock: Clock
  bus: EventBus
  enqueue: Handler<'downloads.enqueue'>
}

type SetCalls = 'downloads.sets' | 'downloads.saveSet' | 'downloads.removeSet' | 'downloads.enqueueSet'

/** Handles the calls of download sets. */
export function downloadSetHandlers({ store, clock, bus, enqueue }: DownloadSetDeps): Handlers<SetCalls> {
  const { sets } = store
  const owner = (id: string) => (id === '' ? store.connections.active() : store.connections.find(id)).id
  const changed = () => bus.emit('downloads.setsChanged', {})
  return {
    'downloads.sets': ({ connectionId }) => sets.list(owner(connectionId)),
    'downloads.saveSet': ({ set }) => {
      const saved = sets.save({ ...set, connectionId: owner(set.connectionId) }, clock.nowMs())
      changed()
      return saved
    },
    'downloads.removeSet': ({ connectionId, name }) => {
      sets.remove(owner(connectionId), name)
      changed()
      return null
    },
    'downloads.enqueueSet': async ({ connectionId, name, priority, ...again }, context) => {
      const set = sets.find(owner(connectionId), name)
      const request = { ...requestOfSet(set, dayOf(clock.nowMs())), ...again }
      const enqueued = await enqueue({ request, label: set.name, priority }, context)
      sets.noteEnqueued(set.connectionId, set.name, clock.nowMs())
      changed()
      return enqueued
    },
  }
}
