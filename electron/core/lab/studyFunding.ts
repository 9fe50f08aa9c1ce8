import { appendStretch, type FundingPeriods, type FundingStretch, withinRange } from '#shared/funding/fundingPeriods.ts'
import { type FundingRow, fundingRows, periodsOfRows } from '#shared/funding/fundingRows.ts'
import { FormulaError } from '#shared/formula/formulaError.ts'
import { readsFunding } from '#shared/formula/functionTable.ts'
import { parseFormula } from '#shared/formula/parseFormula.ts'
import type { FundingConflict } from '#shared/funding/resolveFunding.ts'
import { formulasOf, kindFacts, type Study } from '#shared/lab/kinds.ts'
import { durationMs } from '#shared/lab/kinds/portfolio/fields.ts'
import type { StudySource } from '#shared/lab/kinds/sourceFields.ts'
import { studyRange } from '#shared/lab/studyRange.ts'
import type { FindFunding } from '#core/funding/instrumentFunding.ts'
import type { Store } from '#core/store/store.ts'
import { canonicalJson, sha256 } from '#core/store/ledger/canonicalJson.ts'
import type { LedgerInput } from '#core/store/ledger/ledgerEntry.ts'
import type { CachePlan } from './cachePlan.ts'

/** Parts of a study that determine the funding periods that it needs. */
interface FundedStudy {
  interval: string
  start: string | null
  end: string | null
  source: StudySource & { fundingEvery?: string | null }
}

/** Funding periods of the symbols of a study within its range. */
interface StudyFunding {
  byName: ReadonlyMap<string, FundingPeriods>
  conflicts: (FundingConflict & { name: string })[]
}

export interface FundingRequest {
  connectionId: string
  /** Periods of a recorded run, which is run again with them. */
  recordedFunding?: readonly FundingRow[] | undefined
  /** Time from which on present periods count in place of the recorded ones; absent if they never do. */
  presentFromMs?: number
  /** Symbols to read, as `exchange/symbol`; all of the source if absent. */
  names?: ReadonlySet<string>
}

/** Finds the funding periods of the symbols that a study may have; those of a recorded run if they are given. */
export async function studyFunding(
  { store, fundingOf }: { store: Store; fundingOf: FindFunding },
  study: FundedStudy,
  { connectionId, recordedFunding, presentFromMs }: FundingRequest,
  signal?: AbortSignal,
): Promise<StudyFunding> {
  const recorded = recordedFunding && periodsOfRows(recordedFunding)
  if (recorded && presentFromMs === undefined) return { byName: recorded, conflicts: [] }
  const range = studyRange(study)
  const { exchanges, symbols, timestamp, fundingEvery = null } = study.source
  const pairs = store.funding.instruments({ connectionId, kind: 'metrics', exchanges, ...(symbols && { symbols }) })
  const askedMs = fundingEvery === null ? null : durationMs(fundingEvery)
  const found = await fundingOf({ connectionId, pairs, range, timestamp, askedMs }, signal)
  // What lies before the range is not part of the recorded table, so a replay could not know it.
  const byName = new Map(
    found.map(({ exchange, symbol, periods }) => {
      const name = `${exchange}/${symbol}`
      const present = withinRange(periods, range)
      return [name, recorded ? followedBy(recorded.get(name) ?? [], present, presentFromMs ?? -Infinity) : present]
    }),
  )
  const conflicts = found.flatMap(({ exchange, symbol, conflicts: own }) =>
    own
      .filter(({ startMs, endMs }) => startMs < range.endMs && endMs > range.startMs)
      .map((conflict) => ({ name: `${exchange}/${symbol}`, ...conflict })),
  )
  return { byName, conflicts }
}

/** Joins periods up to a time with others from then on. */
function followedBy(before: FundingPeriods, after: FundingPeriods, atMs: number): FundingPeriods {
  const joined: FundingStretch[] = []
  for (const stretch of withinRange(before, { startMs: -Infinity, endMs: atMs })) appendStretch(joined, stretch)
  for (const stretch of withinRange(after, { startMs: atMs, endMs: Infinity })) appendStretch(joined, stretch)
  return joined
}

/** Tells whether a formula goes by funding periods; an invalid one is refused elsewhere. */
export function needsFunding(formulas: readonly { formula: string }[]): boolean {
  return formulas.some(({ formula }) => {
    try {
      return readsFunding(parseFormula(formula))
    } catch (error) {
      if (error instanceof FormulaError) return false
      throw error
    }
  })
}

/** Tells whether the answer of a study depends on funding periods. */
export const goesByFunding = (study: Study): boolean =>
  needsFunding(formulasOf(study)) || kindFacts(study.kind).goesByFunding?.(study) === true

/** Gives the symbols of a plan their funding periods, for formulas that go by them. */
export const withFunding = (plan: CachePlan, { byName }: StudyFunding): CachePlan => ({
  ...plan,
  symbols: plan.symbols.map((one) => {
    const { name, exchange, symbol } = one
    return { ...one, funding: { exchange, symbol, periods: byName.get(name) ?? [] } }
  }),
})

/** Writes the table of the funding periods of the symbols of a plan. */
export const fundingTable = (
  { byName }: StudyFunding,
  study: FundedStudy,
  symbols: CachePlan['symbols'],
): FundingRow[] =>
  fundingRows(
    symbols.map(({ name }) => ({ name, periods: byName.get(name) ?? [] })),
    studyRange(study),
  )

/** Describes the funding periods of a run as an input, so that other periods make it another run. */
export function fundingInputs(funding: readonly FundingRow[] | null): LedgerInput[] {
  if (!funding) return []
  const table = canonicalJson(funding)
  return [{ name: 'funding-periods', sha256: sha256(table), bytes: Buffer.byteLength(table) }]
}
