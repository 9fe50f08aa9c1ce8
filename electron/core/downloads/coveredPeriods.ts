import { dailyFilesFrom } from '#shared/catalog/dailyFiles.ts'
import type { CoveredPeriod, CoverageState } from '#shared/contract/areas/coverage.ts'
import { dayOf } from '#shared/time.ts'
import type { OwnedSeries } from '#core/store/seriesIndex.ts'
import type { Store } from '#core/store/store.ts'
import { isLocked, periodStates, plannedPeriods, type PlannedPeriod } from './plan.ts'

export interface PeriodsQuery {
  series: OwnedSeries
  startDay: string
  /** Inclusive. */
  endDay: string
  /** Of the connection's key; null where unknown. */
  tier: number | null
}

/** What is known of each period of a series, asking nobody. */
export function coveredPeriods(store: Store, nowMs: number, query: PeriodsQuery): CoveredPeriod[] {
  const { series, tier } = query
  const periods = plannedPeriods(query.startDay, query.endDay, dayOf(nowMs), dailyFilesFrom)
  const first = periods.at(0)
  const last = periods.at(-1)
  if (!first || !last) return []
  const states = periodStates(periods, {
    spans: store.files.spans(series, first.startDay, last.endDay),
    absent: new Set(store.answers.absent(series, first.startDay, last.endDay).map(({ period }) => period)),
    isLocked: isLocked(series, tier, store.answers.refusals(series.connectionId)),
    isListed: true,
  })
  const failed = store.cacheIndex.failed(series)
  const exists = existence(store, series)
  return periods.map((each, index) => {
    let state: CoverageState = states[index]
    if (state === 'missing' && failed.has(each.period)) state = 'failed'
    else if (state === 'missing' && !exists(each)) state = 'unknown'
    return { period: each.period, state }
  })
}

/** What the index of raw events, or the list of symbols, lets expect; everything where neither is known here. */
function existence({ coverage }: Store, { connectionId, kind, dataset, exchange, symbol }: OwnedSeries) {
  if (kind === 'metrics') {
    const isKnown = coverage.document(connectionId, `symbols/${exchange}`) !== undefined
    const isListed = !isKnown || coverage.hasSymbol(connectionId, exchange, symbol)
    return () => isListed
  }
  const [row] = coverage.coverage(connectionId, { dataset, exchange, symbol })
  if (!row) return () => coverage.document(connectionId, 'raw-catalog') === undefined
  return ({ startDay, endDay }: PlannedPeriod) => startDay <= row.lastDay && endDay > row.firstDay
}
