import type { EventBus } from '#core/eventBus.ts'
import type { CallsOf, Handlers } from '#core/handler.ts'
import type { Sample } from '#core/sample/sample.ts'

export function sampleHandlers(sample: Sample, bus: EventBus): Handlers<CallsOf<'sample'>> {
  return {
    'sample.fetch': ({ days }, { signal }) => sample.enqueue(signal, days),
    'sample.remove': async () => {
      try {
        return await sample.remove()
      } finally {
        bus.emit('cache.changed', {})
      }
    },
  }
}
