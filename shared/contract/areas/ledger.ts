import * as z from '../../schemas/lazySchemas.ts'
import type { TrialDistribution } from '../../lab/portfolio/trialDistribution.ts'
import { call } from '../spec.ts'

/** The trials of one idea, whose numbers, range, costs and rebalancing may differ. */
export interface LedgerFamily {
  family: string
  /** Name and signal of the last recorded test. */
  name: string | null
  signal: string
  rule: string
  interval: string
  trials: number
  /** Sharpe ratios a year; null where no trial has one. */
  best: number | null
  median: number | null
  /** Probability that the best is above what the best of so many trials reaches by luck. */
  bestDeflated: number | null
  /** Milliseconds since the epoch. */
  firstTime: number
  lastTime: number
  holdout: { fromDay: string; opened: boolean } | null
}

export interface LedgerOverview {
  entries: number
  /** Trials since the last reset. */
  trials: number
  /** The family with the last trial comes first. */
  families: LedgerFamily[]
  /** Sharpe ratios of all trials beside those of noise; null without trials. */
  distribution: TrialDistribution | null
  reset: { time: number; reason: string } | null
  lost: { entries: number | null; time: number } | null
  /** Messages of the last opening, such as that the database was rebuilt. */
  notices: string[]
  /** Path of the plain copy, which may be kept under version control. */
  copyPath: string
}

/** An entry of a family. */
export interface LedgerTrial {
  sequence: number
  /** Milliseconds since the epoch. */
  time: number
  who: string
  /** `test`, `combination`, `walk-forward` or `holdoutOpened`. */
  role: string
  isTrial: boolean
  /** Sequence of the first run of the same key. */
  repeats: number | null
  /** True for an entry of another machine. */
  isMerged: boolean
  /** False for trials before the last reset. */
  counts: boolean
  name: string | null
  signal: string
  /** Sharpe ratio a year. */
  sharpe: number | null
  days: number | null
  totalReturn: number | null
  maxDrawdown: number | null
  ruined: boolean
  /** Day from which this entry opened the holdout; null for any other entry. */
  openedFromDay: string | null
}

export interface LedgerFamilyTrials {
  /** Newest first; at most 5,000. */
  trials: LedgerTrial[]
  isCut: boolean
  distribution: TrialDistribution | null
}

export const ledgerCalls = {
  /** Describes the ledger: its families with their trials, resets and losses. */
  'ledger.overview': call(z.strictObject({}))<LedgerOverview>(),
  /** Lists the runs of a family. */
  'ledger.family': call(z.strictObject({ family: z.string().regex(/^[0-9a-f]{64}$/) }))<LedgerFamilyTrials>(),
  /** Counts trials from now on; the reset is an entry itself. */
  'ledger.reset': call(z.strictObject({ reason: z.string().trim().min(1, 'must not be empty').max(1000) }))<{
    sequence: number
  }>(),
  /** Adds the entries of another machine’s received JSONL copy. */
  'ledger.merge': call(z.strictObject({ file: z.string().min(1).max(100) }))<{ entries: number; added: number }>(),
  /** Checks the chain and its copy; rebuilds the database from the copy where it is damaged. */
  'ledger.verify': call(z.strictObject({}))<{
    entries: number
    broken: { sequence: number; problem: string } | null
    notices: string[]
  }>(),
}
