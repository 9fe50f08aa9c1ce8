import type { EventBus } from '#core/eventBus.ts'
import type { CallsOf, Handlers } from '#core/handler.ts'
import { acceptedKey, type QualityDeps, type QualityService } from '#core/quality/qualityService.ts'
import { withPairs } from '#core/store/listStore.ts'

type QualityHandlerDeps = Pick<QualityDeps, 'store' | 'clock'> & { service: QualityService; bus: EventBus }

export function qualityHandlers({ service, store, clock, bus }: QualityHandlerDeps): Handlers<CallsOf<'quality'>> {
  const ownerOf = (connectionId: string) => connectionId || store.connections.active().id
  return {
    'quality.check': (filter, { signal, progress }) =>
      service.check(
        { ...withPairs(store.lists, filter), connectionId: ownerOf(filter.connectionId) },
        { signal, onProgress: progress },
      ),
    'quality.accept': ({ connectionId, finding, note }) => {
      store.quality.accept(acceptedKey(ownerOf(connectionId), finding), note, clock.nowMs())
      bus.emit('quality.changed', {})
      return null
    },
    'quality.reopen': ({ connectionId, finding }) => {
      const reopened = store.quality.reopen(acceptedKey(ownerOf(connectionId), finding))
      bus.emit('quality.changed', {})
      return { reopened }
    },
  }
}
