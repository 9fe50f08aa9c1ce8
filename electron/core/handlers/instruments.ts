import { readInstruments } from '#shared/contract/instrumentsFile.ts'
import type { EventBus } from '#core/eventBus.ts'
import type { CallsOf, Handlers } from '#core/handler.ts'
import type { Store } from '#core/store/store.ts'
import { importedFile } from './importedFile.ts'
import { mistypedVenues } from './mistypedVenues.ts'

export function instrumentHandlers(store: Store, bus: EventBus): Handlers<CallsOf<'instruments'>> {
  return {
    'instruments.list': () => store.instruments.list(),
    'instruments.import': ({ text }) => {
      const { instruments, warnings } = importedFile(readInstruments(text))
      store.instruments.replace(instruments)
      bus.emit('instruments.changed', {})
      return { imported: instruments.length, warnings: [...warnings, ...mistypedVenues(store, instruments)] }
    },
  }
}
