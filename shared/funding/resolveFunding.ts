import type { TimeRange } from '../time/ranges.ts'
import {
  alwaysEvery,
  appendStretch,
  filledWith,
  type FundingPeriods,
  type FundingStretch,
  withinRange,
} from './fundingPeriods.ts'

/** What the user said about the funding of an instrument from a time on. */
export interface AnnouncedFunding {
  /** −Infinity if it was always so. */
  fromMs: number
  /** Null if nothing is said, or no longer. */
  everyMs: number | null
  offsetMs: number
  /** Period to which the published rate refers; null for the funding period itself. */
  ratePerMs: number | null
}

/** What each source says about the funding of an instrument. */
interface FundingSources {
  observed: FundingPeriods
  /** In ascending order of time. */
  announced: readonly AnnouncedFunding[]
  inferred: FundingPeriods
  /** Period to assume where nothing else is known; null for none. */
  askedMs: number | null
}

/** A range in which raw events show another period than the user announced. */
export interface FundingConflict extends TimeRange {
  observedMs: number
  announcedMs: number
}

export interface ResolvedFunding {
  periods: FundingPeriods
  conflicts: FundingConflict[]
}

/** Combines what the sources say; of several that cover a time, the strongest counts. */
export function resolveFunding({ observed, announced, inferred, askedMs }: FundingSources): ResolvedFunding {
  const rows = announced.map((row, at) => ({
    ...row,
    startMs: row.fromMs,
    endMs: announced.at(at + 1)?.fromMs ?? Infinity,
  }))
  const said = rows.flatMap(({ startMs, endMs, everyMs, offsetMs }): FundingStretch[] =>
    everyMs === null ? [] : [{ startMs, endMs, everyMs, offsetMs, ratePerMs: everyMs, basis: 'announced' }],
  )
  const asked = askedMs === null ? [] : alwaysEvery(askedMs, 'asked')
  const combined = [said, inferred, asked].reduce<FundingPeriods>(filledWith, observed)
  return { periods: withRatePeriods(combined, rows), conflicts: conflictsOf(observed, said) }
}

/** Replaces the period to which the published rate refers where the user said which one it is. */
function withRatePeriods(
  periods: FundingPeriods,
  rows: readonly (TimeRange & { ratePerMs: number | null })[],
): FundingPeriods {
  if (rows.every(({ ratePerMs }) => ratePerMs === null)) return periods
  const ranges = [{ startMs: -Infinity, endMs: rows[0].startMs, ratePerMs: null }, ...rows]
  const changed: FundingStretch[] = []
  for (const { ratePerMs, ...range } of ranges)
    for (const part of withinRange(periods, range))
      appendStretch(changed, ratePerMs === null ? part : { ...part, ratePerMs })
  return changed
}

/** Finds where the observed funding times are not the announced ones. */
function conflictsOf(observed: FundingPeriods, announced: FundingPeriods): FundingConflict[] {
  const conflicts: FundingConflict[] = []
  for (const said of announced)
    for (const { startMs, endMs, everyMs, offsetMs } of withinRange(observed, said)) {
      if (everyMs === said.everyMs && (offsetMs - said.offsetMs) % everyMs === 0) continue
      const last = conflicts.at(-1)
      const isSame = last?.endMs === startMs && last.observedMs === everyMs && last.announcedMs === said.everyMs
      if (isSame) last.endMs = endMs
      else conflicts.push({ startMs, endMs, observedMs: everyMs, announcedMs: said.everyMs })
    }
  return conflicts
}
