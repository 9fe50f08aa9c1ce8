import { AppError } from '#shared/contract/errors.ts'
import { readInstruments } from '#shared/contract/instrumentsFile.ts'
import type { EventBus } from '#core/eventBus.ts'
import type { CallsOf, Handlers } from '#core/handler.ts'
import type { InstrumentStore } from '#core/store/instrumentStore.ts'

/** Number of bad lines that a message names; a file of another kind has nothing but bad lines. */
const MOST_PROBLEMS = 20

export function instrumentHandlers(store: InstrumentStore, bus: EventBus): Handlers<CallsOf<'instruments'>> {
  return {
    'instruments.list': () => store.list(),
    'instruments.import': ({ text }) => {
      const read = readInstruments(text)
      if ('problems' in read) {
        const shown = read.problems.slice(0, MOST_PROBLEMS)
        const more = read.problems.length - shown.length
        const list = [...shown, ...(more > 0 ? [`${more} more`] : [])].join('; ')
        throw new AppError('bad-input', `Nothing was imported: ${list}.`)
      }
      store.replace(read.instruments)
      bus.emit('instruments.changed', {})
      return { imported: read.instruments.length }
    },
  }
}
