import { AppError } from '#shared/contract/errors.ts'
import { readInstruments } from '#shared/contract/instrumentsFile.ts'
import { firstProblems } from '#shared/units/firstProblems.ts'
import type { EventBus } from '#core/eventBus.ts'
import type { CallsOf, Handlers } from '#core/handler.ts'
import type { InstrumentStore } from '#core/store/instrumentStore.ts'

export function instrumentHandlers(store: InstrumentStore, bus: EventBus): Handlers<CallsOf<'instruments'>> {
  return {
    'instruments.list': () => store.list(),
    'instruments.import': ({ text }) => {
      const read = readInstruments(text)
      if ('problems' in read) {
        throw new AppError('bad-input', `Nothing was imported: ${firstProblems(read.problems).join('; ')}.`)
      }
      store.replace(read.instruments)
      bus.emit('instruments.changed', {})
      return { imported: read.instruments.length }
    },
  }
}
