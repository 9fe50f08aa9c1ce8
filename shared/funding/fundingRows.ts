import { MS_PER_HOUR, MS_PER_MINUTE } from '../time.ts'
import type { TimeRange } from '../time/ranges.ts'
import {
  appendStretch,
  type FundingBasis,
  type FundingPeriods,
  type FundingStretch,
  withinRange,
} from './fundingPeriods.ts'

/** A stretch of the funding table of a result; the times are milliseconds, half-open. */
export interface FundingRow {
  symbol: string
  from: number
  to: number
  /** Duration such as `8h`; null where the period is unknown. */
  every: string | null
  basis: FundingBasis | null
  /** Time from 00:00 UTC to a funding time, where it is not 0. */
  offset?: string
  /** Period to which the published rate refers, where it is another one. */
  ratePer?: string
}

/** Writes a length of time with one unit: `8h`, `90m`, `30s`. */
export function durationText(lengthMs: number): string {
  if (lengthMs % MS_PER_HOUR === 0) return `${lengthMs / MS_PER_HOUR}h`
  return lengthMs % MS_PER_MINUTE === 0 ? `${lengthMs / MS_PER_MINUTE}m` : `${lengthMs / 1000}s`
}

// Observed periods may be no whole seconds, so the number may have a fraction.
function durationMs(text: string): number {
  const unitMs = { h: MS_PER_HOUR, m: MS_PER_MINUTE, s: 1000 }[text.at(-1) ?? '']
  return unitMs === undefined ? NaN : Math.round(Number(text.slice(0, -1)) * unitMs)
}

/** Lists the periods of symbols within a range, with the stretches in which they are unknown. */
export const fundingRows = (
  symbols: readonly { name: string; periods: FundingPeriods }[],
  range: TimeRange,
): FundingRow[] => symbols.flatMap(({ name, periods }) => rowsOf(name, withinRange(periods, range), range))

function rowsOf(symbol: string, periods: FundingPeriods, range: TimeRange): FundingRow[] {
  const rows: FundingRow[] = []
  let openMs = range.startMs
  const addUnknown = (to: number) => {
    if (openMs < to) rows.push({ symbol, from: openMs, to, every: null, basis: null })
  }
  for (const { startMs, endMs, everyMs, offsetMs, ratePerMs, basis } of periods) {
    addUnknown(startMs)
    rows.push({
      ...{ symbol, from: startMs, to: endMs, every: durationText(everyMs), basis },
      ...(offsetMs !== 0 && { offset: durationText(offsetMs) }),
      ...(ratePerMs !== everyMs && { ratePer: durationText(ratePerMs) }),
    })
    openMs = endMs
  }
  addUnknown(range.endMs)
  return rows
}

/** Reads back the periods of each symbol. */
export function periodsOfRows(rows: readonly FundingRow[]): Map<string, FundingStretch[]> {
  const byName = new Map<string, FundingStretch[]>()
  for (const { symbol, from, to, every, basis, offset = '0h', ratePer = every } of rows) {
    const periods = byName.get(symbol) ?? []
    byName.set(symbol, periods)
    if (every === null || basis === null || ratePer === null) continue
    const everyMs = durationMs(every)
    const stretch = { everyMs, offsetMs: durationMs(offset), ratePerMs: durationMs(ratePer), basis }
    appendStretch(periods, { startMs: from, endMs: to, ...stretch })
  }
  return byName
}
