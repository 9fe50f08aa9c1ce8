import type { TimestampSource } from '#shared/catalog/intervals.ts'
import { intervalName } from '#shared/time.ts'
import { dayFromNumber } from '#shared/time/periods.ts'
import { lastKnownDay } from '#core/store/ownDataStore.ts'
import type { Store } from '#core/store/store.ts'
import type { CachePlan } from '../cachePlan.ts'

/** Where the series of a plan are. */
interface PlannedPlace {
  connectionId: string
  timestamps: readonly TimestampSource[]
}

/**
 * Returns the last day of which there is a file of any series, or a row of own data, that plans read, within their range or not; null
 * without files.
 */
export function seenTo(
  { files, ownData }: Pick<Store, 'files' | 'ownData'>,
  { connectionId, timestamps }: PlannedPlace,
  plans: readonly CachePlan[],
): string | null {
  const ownDays = plans.flatMap(({ own = [] }) =>
    own.flatMap(({ name }) => lastKnownDay(ownData.read(name).record) ?? []),
  )
  const servedDays = plans.flatMap(({ datasets, symbols }) =>
    datasets.flatMap(({ dataset, intervalMs }) => {
      const intervals = [intervalName(intervalMs)]
      return (
        files.lastDay({
          ...{ connectionId, kind: 'metrics', datasets: [dataset], intervals, timestamps },
          pairs: symbols.map(({ exchange, symbol }) => ({ exchange, symbol })),
        }) ?? []
      )
    }),
  )
  const days = [...ownDays, ...servedDays]
  return days.length === 0 ? null : dayFromNumber(Math.max(...days))
}
