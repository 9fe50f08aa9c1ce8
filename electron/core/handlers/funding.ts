import { fundingPeriodProblem, UNKNOWN_PERIOD } from '#shared/contract/areas/funding.ts'
import { AppError } from '#shared/contract/errors.ts'
import type { EventBus } from '#core/eventBus.ts'
import type { CallsOf, Handlers } from '#core/handler.ts'
import type { FundingDefaultStore } from '#core/store/fundingDefaultStore.ts'

export function fundingHandlers(defaults: FundingDefaultStore, bus: EventBus): Handlers<CallsOf<'funding'>> {
  return {
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
