import type { TimestampSource } from '#shared/catalog/intervals.ts'
import { intervalName } from '#shared/time.ts'
import { dayFromNumber } from '#shared/time/periods.ts'
import type { Store } from '#core/store/store.ts'
import type { CachePlan } from '../cachePlan.ts'

/** Where the series of a plan are. */
interface PlannedPlace {
  connectionId: string
  timestamps: readonly TimestampSource[]
}

/**
 * Returns the last day of which the cache holds a file of any series that plans read, within their range or not; null
 * without files.
 */
export function seenTo(
  { files }: Pick<Store, 'files'>,
  { connectionId, timestamps }: PlannedPlace,
  plans: readonly CachePlan[],
): string | null {
  const days = plans.flatMap(({ datasets, symbols }) =>
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
  return days.length === 0 ? null : dayFromNumber(Math.max(...days))
}
