import { fundingPeriodProblem, UNKNOWN_PERIOD } from '#shared/funding/typedPeriod.ts'
import { AppError } from '#shared/contract/errors.ts'
import type { EventBus } from '#core/eventBus.ts'
import type { CallsOf, Handlers } from '#core/handler.ts'
import { fundingList } from '#core/funding/fundingRows.ts'
import { fundingOf, knownInstruments } from '#core/funding/instrumentFunding.ts'
import type { SeriesService } from '#core/series/seriesService.ts'
import { withPairs } from '#core/store/listStore.ts'
import type { Store } from '#core/store/store.ts'

export interface FundingHandlerDeps {
  store: Store
  series: () => Promise<Pick<SeriesService, 'deps'>>
  bus: EventBus
}

export function fundingHandlers({ store, series, bus }: FundingHandlerDeps): Handlers<CallsOf<'funding'>> {
  const { fundingDefaults: defaults } = store
  return {
    'funding.list': async ({ connectionId: givenId, ...request }, { signal, progress }) => {
      const connectionId = givenId || store.connections.active().id
      const { exchanges, symbols, pairs = knownInstruments(store, connectionId) } = withPairs(store.lists, request)
      const wanted = pairs.filter(
        ({ exchange, symbol }) => (exchanges?.includes(exchange) ?? true) && (symbols?.includes(symbol) ?? true),
      )
      const range = { startMs: null, endMs: null }
      const { deps } = await series()
      return fundingList(
        await fundingOf(deps, { connectionId, pairs: wanted, range, timestamp: null }, signal, ({ done, total }) =>
          progress({ done, total, message: 'files read' }),
        ),
      )
    },
    'funding.defaults': () => defaults.list(),
    'funding.setDefault': ({ exchange, symbol, every }) => {
      const isRemoved = every === UNKNOWN_PERIOD
      const problem = isRemoved ? null : fundingPeriodProblem(every)
      if (problem !== null) throw new AppError('bad-input', problem)
      defaults.set({ exchange, symbol, every: isRemoved ? null : every })
      // Whatever shows what is known of instruments shows typed periods, too.
      bus.emit('instruments.changed', {})
      return null
    },
  }
}
