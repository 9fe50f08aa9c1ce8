import { readInstruments } from '#shared/contract/instrumentsFile.ts'
import type { EventBus } from '#core/eventBus.ts'
import type { CallsOf, Handlers } from '#core/handler.ts'
import type { InstrumentStore } from '#core/store/instrumentStore.ts'
import { importedFile } from './importedFile.ts'

export function instrumentHandlers(store: InstrumentStore, bus: EventBus): Handlers<CallsOf<'instruments'>> {
  return {
    'instruments.list': () => store.list(),
    'instruments.import': ({ text }) => {
      const { instruments, warnings } = importedFile(readInstruments(text))
      store.replace(instruments)
      bus.emit('instruments.changed', {})
      return { imported: instruments.length, warnings }
    },
  }
}
