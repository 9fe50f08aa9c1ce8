import type { FundingConflictRow, FundingList, FundingPeriodRow } from '#shared/contract/areas/funding.ts'
import { intervalName, MS_PER_HOUR } from '#shared/time.ts'
import type { InstrumentFunding } from './instrumentFunding.ts'

/** Lists funding periods as a table: a row for each stretch in which the period is known, null for an open end. */
export function fundingList(all: readonly InstrumentFunding[]): FundingList {
  const periods: FundingPeriodRow[] = []
  const conflicts: FundingConflictRow[] = []
  for (const { exchange, symbol, periods: stretches, conflicts: contradictions } of all) {
    for (const { startMs, endMs, everyMs, offsetMs, ratePerMs, basis } of stretches)
      periods.push({
        exchange,
        symbol,
        fromMs: endOrNull(startMs),
        toMs: endOrNull(endMs),
        everyHours: everyMs / MS_PER_HOUR,
        offsetHours: offsetMs / MS_PER_HOUR,
        ratePerHours: ratePerMs / MS_PER_HOUR,
        basis,
      })
    for (const { startMs, endMs, observedMs, announcedMs } of contradictions)
      conflicts.push({
        exchange,
        symbol,
        fromMs: endOrNull(startMs),
        toMs: endOrNull(endMs),
        observed: intervalName(observedMs),
        announced: intervalName(announcedMs),
      })
  }
  return { periods, conflicts }
}

const endOrNull = (timeMs: number): number | null => (Number.isFinite(timeMs) ? timeMs : null)
