import { defineStore } from 'pinia'
import { watch } from 'vue'
import type { CallInput } from '#shared/contract/calls.ts'
import type { PeriodCoverage, RefusedDataset } from '#shared/contract/areas/coverage.ts'
import { computedOwner } from '#shared/contract/computedOwner.ts'
import type { Frame } from '#shared/contract/frame.ts'
import { useConnections } from './connections.ts'
import { useHost } from './host.ts'
import { createResource } from './resource.ts'

export type PeriodsQuery = Omit<CallInput<'coverage.periods'>, 'connectionId'>

/** Overview of what is cached or missing for the active connection, and of what the service refused. */
export const useCoverage = defineStore('coverage', () => {
  const host = useHost()
  const connections = useConnections()

  const shares = createResource<Frame>((_query, signal) => host.call('coverage.cachedShares', {}, { signal }))
  const series = createResource<Frame>((_query, signal) => host.call('coverage.cachedSeries', {}, { signal }))
  const gaps = createResource<Frame>((_query, signal) => host.call('coverage.cachedGaps', {}, { signal }))
  /** Series computed on this machine from raw events. */
  const computedSeries = createResource<Frame>((_query, signal) =>
    host.call('coverage.cachedSeries', { connectionId: computedOwner('') }, { signal }),
  )
  const refusals = createResource<RefusedDataset[]>((_query, signal) => host.call('coverage.refusals', {}, { signal }))
  const periods = createResource<PeriodCoverage[], PeriodsQuery>(
    async (query, signal) => (await host.call('coverage.periods', query, { signal })).periods,
  )

  watch(
    () => connections.active?.id,
    () => [shares, series, gaps, computedSeries, refusals, periods].forEach((each) => each.forget()),
  )

  return { shares, series, gaps, computedSeries, refusals, periods }
})
