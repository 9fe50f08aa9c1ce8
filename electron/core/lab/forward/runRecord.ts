import type { ForwardRecord } from '#shared/lab/forward/forwardScore.ts'
import { noTrials } from '#shared/lab/portfolio/sharpeStatistics.ts'
import type { Ledger } from '#core/store/ledger/ledger.ts'
import { type RegisteredEntry, returnsFromBytes, type RunEntry } from '#core/store/ledger/ledgerEntry.ts'
import type { ForwardRun } from './forwardRuns.ts'

/** The trials that deflate a run; nothing else depends on them. */
export type RunTrials = Pick<ForwardRecord, 'earlierTrials' | 'isTrial'>

/** What the ledger recorded of a run, as far as its score depends on it. */
export const recordOf = (
  ledger: Ledger,
  run: ForwardRun,
  trials: RunTrials = { earlierTrials: noTrials, isTrial: true },
): ForwardRecord => ({
  riskFree: riskFreeOf(run.entry),
  recorded: run.entry.kind === 'signal' ? null : recordedReturns(ledger, run.entry),
  ...trials,
  registration: registrationOf(ledger, run),
})

export const riskFreeOf = ({ study }: RunEntry): number => (study.kind === 'portfolio' ? study.riskFree : 0)

export function recordedReturns({ tables }: Ledger, { returnsSha256 }: RunEntry): Float64Array {
  const bytes = returnsSha256 === null ? null : tables.returns(returnsSha256)
  return bytes ? returnsFromBytes(bytes) : new Float64Array(0)
}

/** Finds the registration that a run names, in its own chain. */
function registrationOf({ tables }: Ledger, { entry, chain }: ForwardRun): RegisteredEntry | null {
  const { registration = null } = entry
  const found = registration === null ? null : tables.inChain(chain, registration)
  return found?.entry.event === 'registered' && !found.entry.late ? found.entry : null
}
