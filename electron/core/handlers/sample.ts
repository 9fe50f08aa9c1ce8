import type { EventBus } from '#core/eventBus.ts'
import type { CallsOf, Handlers } from '#core/handler.ts'
import type { Sample } from '#core/sample/sample.ts'

export function sampleHandlers(sample: Sample, bus: EventBus): Handlers<CallsOf<'sample'>> {
  return {
    'sample.fetch': (_input, { signal }) => sample.enqueue(signal),
    'sample.remove': async (_input, { signal, progress }) => {
      try {
        return await sample.remove({ signal, onProgress: progress })
      } finally {
        bus.emit('cache.changed', {})
      }
    },
  }
}
