import * as z from '../../schemas/lazySchemas.ts'
import type { TrialDistribution } from '../../lab/portfolio/trialDistribution.ts'
import { call } from '../spec.ts'

/** Trials of one idea with different numbers, ranges, costs or rebalancing. */
export interface LedgerFamily {
  family: string
  /** Name and signal of the latest recorded test. */
  name: string | null
  signal: string
  rule: string
  interval: string
  trials: number
  /** Largest annualised Sharpe ratio of the trials; null if none has one. */
  best: number | null
  /** Median of these Sharpe ratios. */
  median: number | null
  /**
   * Probability that the true Sharpe ratio of the best trial exceeds what the best of this many trials would reach by
   * luck; null if it is undefined, or if there are too many trials to compute it here.
   */
  bestDeflated: number | null
  /** Time of the first trial, in milliseconds since the epoch. */
  firstTime: number
  /** Time of the latest trial. */
  lastTime: number
  holdout: { fromDay: string; opened: boolean } | null
}

export interface LedgerOverview {
  entries: number
  /** Number of trials since the last reset. */
  trials: number
  /** Families, the one with the latest trial first. */
  families: LedgerFamily[]
  /** Sharpe ratios of all trials, compared with those expected of trials without skill; null without trials. */
  distribution: TrialDistribution | null
  reset: { time: number; reason: string } | null
  /** Last loss of entries, whose number may be unknown; null if none were lost. */
  lost: { entries: number | null; time: number } | null
  /** Messages from opening the ledger; for example, that the database was rebuilt. */
  notices: string[]
  /** Path of the plain-text copy, which may be kept under version control. */
  copyPath: string
}

/** An entry of a family. */
export interface FamilyEntry {
  sequence: number
  /** Milliseconds since the epoch. */
  time: number
  who: string
  /** `test`, `combination`, `walk-forward` or `holdoutOpened`. */
  role: string
  isTrial: boolean
  /** Sequence number of the first identical run, which this one repeats; null if this run is the first. */
  repeats: number | null
  /** True for an entry from another machine. */
  isMerged: boolean
  /** False for trials before the last reset. */
  counts: boolean
  name: string | null
  signal: string
  /** Annualised Sharpe ratio. */
  sharpe: number | null
  days: number | null
  totalReturn: number | null
  maxDrawdown: number | null
  ruined: boolean
  /** Day from which this entry opened the holdout; null for any other entry. */
  openedFromDay: string | null
}

export interface FamilyEntries {
  /** Entries of the family, trials or not, newest first; at most 5,000. */
  entries: FamilyEntry[]
  isCut: boolean
  distribution: TrialDistribution | null
}

export const ledgerCalls = {
  /** Returns the families with their numbers of trials, and the last reset and loss of the ledger. */
  'ledger.overview': call(z.strictObject({}))<LedgerOverview>(),
  /** Lists the entries of a family: runs, and the opening of its holdout. */
  'ledger.family': call(z.strictObject({ family: z.string().regex(/^[0-9a-f]{64}$/) }))<FamilyEntries>(),
  /** Restarts the count of trials; the reset itself is recorded as an entry. */
  'ledger.reset': call(z.strictObject({ reason: z.string().trim().min(1, 'must not be empty').max(1000) }))<{
    sequence: number
  }>(),
  /** Merges the entries of a received file, the JSONL copy of another machine’s ledger, into this ledger. */
  'ledger.merge': call(z.strictObject({ file: z.string().min(1).max(100) }))<{ entries: number; added: number }>(),
  /** Verifies the hash chain and its copy; rebuilds a damaged database from the copy. */
  'ledger.verify': call(z.strictObject({}))<{
    entries: number
    broken: { sequence: number; problem: string } | null
    notices: string[]
  }>(),
}
