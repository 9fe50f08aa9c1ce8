import { intervalTier, isInterval } from '#shared/catalog/intervals.ts'
import type { PeriodState } from '#shared/contract/areas/downloads.ts'
import { isMetricDatasetId, metricDataset } from '#shared/catalog/metricDatasets.ts'
import { expectedPeriods, periodDays, type DayNumber, type Period } from '#shared/time/periods.ts'
import type { Refusal } from '#core/store/answerStore.ts'
import type { FileSpan } from '#core/store/fileStore.ts'
import type { OwnedSeries } from '#core/store/seriesIndex.ts'

export interface PlannedPeriod {
  period: Period
  startDay: DayNumber
  /** Exclusive. */
  endDay: DayNumber
}

/** What a plan needs to know of one series. */
export interface SeriesKnowledge {
  /** Files that touch the range, in order of their days. */
  spans: readonly FileSpan[]
  /** Periods that the service said it does not have. */
  absent: ReadonlySet<Period>
  isLocked: boolean
  /** False where the service lists symbols for the venue and this is not among them. */
  isListed: boolean
}

/** The periods of a range as they are expected, up to and including today. */
export function plannedPeriods(startDay: string, endDay: string, today: string, dailyFrom: string): PlannedPeriod[] {
  return expectedPeriods(startDay, endDay < today ? endDay : today, dailyFrom).map((period) => {
    const days = periodDays(period)
    if (!days) throw new RangeError(`not a period: ${period}`)
    return { period, startDay: days.start, endDay: days.end }
  })
}

/** The state of each period, walking files and periods side by side. */
export function periodStates(periods: readonly PlannedPeriod[], knowledge: SeriesKnowledge): PeriodState[] {
  const { spans, absent, isLocked, isListed } = knowledge
  let first = 0
  return periods.map(({ period, startDay, endDay }) => {
    while (first < spans.length && spans[first].endDay <= startDay) first++
    const held = heldDays(spans, first, startDay, endDay)
    if (held.days === endDay - startDay) return held.isFinal ? 'cached' : 'partial'
    if (held.days > 0) return 'partial'
    if (absent.has(period)) return 'absent'
    if (isLocked) return 'locked'
    return isListed ? 'missing' : 'unknown'
  })
}

/** How many days of a period files cover. A month may be here as one file, as days, or as both. */
function heldDays(
  spans: readonly FileSpan[],
  first: number,
  startDay: DayNumber,
  endDay: DayNumber,
): { days: number; isFinal: boolean } {
  let days = 0
  let isFinal = true
  let reached = startDay
  for (let index = first; index < spans.length && spans[index].startDay < endDay; index++) {
    const span = spans[index]
    const from = Math.max(reached, span.startDay)
    const to = Math.min(endDay, span.endDay)
    if (to <= from) continue
    days += to - from
    reached = to
    isFinal &&= span.isFinal
  }
  return { days, isFinal }
}

/**
 * Whether a connection's key does not open a series: because the service refused it before, else because the documents
 * name a higher tier than the person's. What the documents do not say is taken as open.
 */
export function isLocked(series: OwnedSeries, tier: number | null, refusals: readonly Refusal[]): boolean {
  const refused = refusals.some(
    ({ dataset, interval }) => dataset === series.dataset && (interval === '' || interval === series.interval),
  )
  if (refused) return true
  return tier !== null && tier < (neededTier(series) ?? 0)
}

/** The tier that the documents name for a series; null where they name none. */
export function neededTier({ kind, dataset, interval }: OwnedSeries): number | null {
  if (kind === 'raw') return null
  const datasetTier = isMetricDatasetId(dataset) ? metricDataset(dataset).minTier : null
  const ofInterval = isInterval(interval) ? intervalTier(interval) : 0
  return datasetTier === null && ofInterval === 0 ? null : Math.max(datasetTier ?? 0, ofInterval)
}
