import { meantVenue } from '#shared/catalog/unlistedVenue.ts'
import type { Instrument } from '#shared/contract/areas/instruments.ts'
import { readInstruments } from '#shared/contract/instrumentsFile.ts'
import type { EventBus } from '#core/eventBus.ts'
import type { CallsOf, Handlers } from '#core/handler.ts'
import type { Store } from '#core/store/store.ts'
import { importedFile } from './importedFile.ts'

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

/**
 * Warns about venues that no connection has but that are nearly one's name. Their rows are kept, and those of quite other
 * venues are none of a warning: a connection may have them later.
 */
function mistypedVenues({ connections, venues }: Store, instruments: readonly Pick<Instrument, 'exchange'>[]) {
  const list = connections.list().flatMap(({ id }) => venues.of(id).list)
  return [...new Set(instruments.map(({ exchange }) => exchange))].flatMap((exchange) => {
    const meant = meantVenue(exchange, { list })
    return meant === null ? [] : [`“${exchange}” is not among the venues of a connection. Did you mean ${meant}?`]
  })
}
