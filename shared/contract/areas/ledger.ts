import * as z from '../../schemas/lazySchemas.ts'
import { documentSchema } from '../../lab/describeFields.ts'
import type { Calibration, CountedTest } from '../../lab/forward/calibration.ts'
import type { ForwardScore } from '../../lab/forward/forwardScore.ts'
import type { KillCriterion } from '../../lab/forward/killCriterion.ts'
import type { LabKind } from '../../lab/kinds.ts'
import type { TrialDistribution } from '../../lab/portfolio/trialDistribution.ts'
import { call } from '../spec.ts'

/** Trials of one idea with different numbers, ranges, costs or rebalancing. */
export interface LedgerFamily {
  family: string
  /** Kind of its studies. */
  kind: LabKind
  /** Name and formulas of the latest recorded run. */
  name: string | null
  signal: string
  /** Rule of the weights; empty for studies that have none. */
  rule: string
  interval: string
  runs: number
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
  hash: string
  /** Milliseconds since the epoch. */
  time: number
  who: string
  /** What a run is, such as `test` or `study`; `holdoutOpened` or `registered` for other entries. */
  role: string
  /** Kind of the study; null for an entry that is no run. */
  kind: LabKind | null
  /** What a registration expects, or the one that a run names; null without one. */
  expect: string | null
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

/** A registration as it is recorded. */
export interface Registered {
  sequence: number
  documentHash: string
  family: string
  expect: string
  kill: KillCriterion | null
  note: string | null
  /** True if the document had been run before, so that this does not count. */
  late: boolean
}

/** What was written down of a document before its first run. */
export interface Expectation {
  /** The registration that its runs name; null without one in time. */
  registered: Pick<Registered, 'sequence' | 'expect' | 'kill' | 'note'> | null
  /** True if it was run before, so that a registration would be late. */
  wasRun: boolean
}

/** The score of a recorded run on days that came later. */
export interface Score extends ForwardScore {
  sequence: number
  /** Chain of an entry of another machine; absent from own ones. */
  chain?: string
  hash: string
  family: string
  kind: string
  role: string
  name: string | null
  isTrial: boolean
  /** When the run was recorded, in milliseconds since the epoch. */
  recordedAt: number
  recordedDays: number
  /** Why none of its days is ever scored; null if they may be. */
  never: string | null
  /** What the registration that the run names expects; null without one. */
  expect: string | null
  kill: KillCriterion | null
}

/** The scored days of a run, and what was recorded of a day. */
export interface ForwardCurve {
  /** Day numbers. */
  days: number[]
  /** Net returns; null for a signal study. */
  net: (number | null)[]
  /** Rank ICs of the samples of a signal study that ended on the day. */
  ics: (readonly number[])[]
  /** Mean and deviation of the recorded daily net returns, or rank ICs; null without any. */
  mean: number | null
  deviation: number | null
}

export interface CalibrationAnswer extends Calibration {
  /** The tests that count. */
  points: CountedTest[]
}

const registeredDocument = {
  document: z.record(z.string(), z.unknown()).meta(documentSchema()),
  onPanel: z.boolean().default(false).describe('True if it will be run on a panel.'),
}

export const ledgerCalls = {
  /** Records what is expected of a document before its first run. */
  'ledger.register': call(
    z.strictObject({
      ...registeredDocument,
      expect: z.string().trim().min(1, 'must not be empty').max(1000).describe('up, down, none or a text.'),
      kill: z.string().max(200).nullable().default(null).describe('Such as “sharpe < 0 after 60d”.'),
      note: z.string().max(1000).nullable().default(null),
    }),
    {
      label: 'Register a study',
      help: 'Records what is expected of a study, and when it counts as refuted, before its first run.',
      route: 'POST /v1/registrations',
      changes: true,
      source: 'computed here',
    },
  )<Registered>(),
  /** Tells what was registered of a document; null if it is incomplete. */
  'ledger.expectation': call(z.strictObject(registeredDocument))<Expectation | null>(),
  /** Returns the families with their numbers of trials, and the last reset and loss of the ledger. */
  'ledger.overview': call(z.strictObject({}))<LedgerOverview>(),
  /** Lists the entries of a family: runs, and the opening of its holdout. */
  'ledger.family': call(z.strictObject({ family: z.string().regex(/^[0-9a-f]{64}$/) }))<FamilyEntries>(),
  /** Scores recorded runs on days that came later: all of them, or one; days are scored first where data grew. */
  'ledger.score': call(z.strictObject({ sequence: z.int().min(1).nullable().default(null) }), {
    label: 'Scores of recorded runs',
    help: 'Scores recorded tests on days that did not exist when they were recorded.',
    route: 'GET /v1/scores',
    tool: 'scores',
    source: 'computed here',
  })<{ scores: Score[] }>(),
  /** Lists the scored days of a run, for its curve. */
  'ledger.curve': call(z.strictObject({ hash: z.string().regex(/^[0-9a-f]{64}$/) }))<ForwardCurve>(),
  /** Scores the forward days that can be scored now. */
  'ledger.update': call(z.strictObject({}))<{ runs: number; days: number }>(),
  /** Compares what tests promised when they were recorded with what came. */
  'ledger.calibration': call(z.strictObject({}), {
    label: 'Calibration',
    help: 'Compares what recorded tests promised with what came on later days.',
    route: 'GET /v1/calibration',
    tool: 'calibration',
    source: 'computed here',
  })<CalibrationAnswer>(),
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
