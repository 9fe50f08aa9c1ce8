import { defineStore } from 'pinia'
import { watch } from 'vue'
import type { CallInput } from '#shared/contract/calls.ts'
import type { CoveredPeriod, Refused } from '#shared/contract/areas/coverage.ts'
import { computedOwner } from '#shared/contract/computedOwner.ts'
import type { Frame } from '#shared/contract/frame.ts'
import { useConnections } from './connections.ts'
import { useHost } from './host.ts'
import { createResource } from './resource.ts'

export type PeriodsWish = Omit<CallInput<'coverage.periods'>, 'connectionId'>

/** What of the active connection's data is here. */
export const useCoverage = defineStore('coverage', () => {
  const host = useHost()
  const connections = useConnections()

  const shares = createResource<Frame>((_wish, signal) => host.call('coverage.cachedShares', {}, { signal }))
  const series = createResource<Frame>((_wish, signal) => host.call('coverage.cachedSeries', {}, { signal }))
  /** What was computed here from raw events. */
  const computed = createResource<Frame>((_wish, signal) =>
    host.call('coverage.cachedSeries', { connectionId: computedOwner('') }, { signal }),
  )
  const refusals = createResource<Refused[]>((_wish, signal) => host.call('coverage.refusals', {}, { signal }))
  const periods = createResource<CoveredPeriod[], PeriodsWish>(
    async (wish, signal) => (await host.call('coverage.periods', wish, { signal })).periods,
  )

  watch(
    () => connections.active?.id,
    () => [shares, series, computed, refusals, periods].forEach((each) => each.forget()),
  )

  return { shares, series, computed, refusals, periods }
})
