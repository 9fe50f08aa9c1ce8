import * as z from '../../schemas/lazySchemas.ts'
import { singleLine } from '../../units/fileNames.ts'
import { MOST_CHECK_NAME_CHARACTERS } from '../checkNames.ts'
import { call } from '../spec.ts'
import { connectionId } from './discovery.ts'

const requiredText = (maxLength: number) => z.string().trim().min(1, 'must not be empty').max(maxLength)

export const checkRule = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('formula'),
    formula: requiredText(10_000),
    exchange: requiredText(100),
    symbol: requiredText(300),
    interval: requiredText(20),
    timestamp: z.enum(['exchange', 'true']),
    /** List whose symbols are watched, in place of one symbol. */
    list: requiredText(300).optional(),
  }),
  z.strictObject({ kind: z.literal('sql'), sql: requiredText(1_000_000) }),
])

/** Rule that is evaluated whenever data has been refreshed. */
export type CheckRule = z.output<typeof checkRule>

export interface SavedCheck {
  name: string
  connectionId: string
  rule: CheckRule
}

export type CheckState = 'hit' | 'quiet' | 'not evaluable'

/** A comparison with a number, and the column, if it compares one as it is. */
export interface RuleBound {
  operator: string
  bound: number
  column: string | null
}

/** A comparison with the value that was compared. */
export interface Comparison extends RuleBound {
  value: number
}

/** Outcome of one run of a check. */
export interface CheckOutcome {
  state: CheckState
  value: number | null
  /** Time of the value in milliseconds; null for SQL and without an evaluation. */
  time: number | null
  /** Number of rows that the query returned; null for a formula and without an evaluation. */
  rows: number | null
  /** Reason why the check could not be evaluated; null if it could. */
  why: string | null
  /** Of a rule that watches several symbols: at how many of those with values it hit, and the first of them. */
  found?: { hits: number; symbols: number; names: string[] }
  /** What a rule that hit compares with a number, and the number; absent if it is no such comparison. */
  compared?: Comparison
  /** Family of the recorded run that was killed or supported; absent from outcomes of checks. */
  family?: string
}

/** An entry of the inbox: a hit, or a check that could not be evaluated. */
export interface InboxEntry extends CheckOutcome {
  id: number
  check: string
  /** Milliseconds since the epoch. */
  createdAt: number
  readAt: number | null
  snoozedUntil: number | null
}

/** Outcome of a run of a check, and when it ran. */
export interface CheckRun extends CheckOutcome {
  /** Milliseconds since the epoch. */
  ranAt: number
}

/** A check's name and the outcome of its run. */
export interface RanCheck extends CheckOutcome {
  name: string
}

/** Column of a series that a formula reads, so that it can be charted. */
export interface CheckedSeries {
  dataset: string
  column: string
  exchange: string
  symbol: string
  interval: string
  timestamp: string
}

export interface ListedCheck {
  name: string
  rule: CheckRule
  /** Series of the formula; empty for SQL. */
  series: CheckedSeries[]
  /** Last run of this rule, wherever it ran; null if it has not run. */
  lastRun: CheckRun | null
}

/** How often a rule would have hit in the days before the last row. */
export interface PastHits {
  days: number
  /** Stretches of bars in a row at which the rule holds, and their bars. */
  hits: number
  bars: number
  /** Number of bars that have a value. */
  known: number
}

/** What a rule would have found so far. */
export interface CheckHistory {
  /** Of the last 30 and 90 days; empty if the past cannot be told. */
  past: PastHits[]
  /** The compared value, or that of the whole formula, over the last 30 days; NaN where there is none. */
  times: Float64Array
  values: Float64Array
  /** Reason why the past cannot be told; null if it can. */
  why: string | null
}

const id = z.int().min(1)

export const inboxCalls = {
  /** Lists the checks by name and the entries of the inbox, newest first. */
  'inbox.list': call(z.strictObject({}))<{
    checks: ListedCheck[]
    entries: InboxEntry[]
    /** Says why alarms of checks do not sound, because their file is damaged; null if all do. */
    alarmProblem: string | null
  }>(),
  /** Marks entries as read, and returns them. */
  'inbox.read': call(z.strictObject({ ids: z.array(id).max(5000) }))<InboxEntry[]>(),
  'inbox.snooze': call(z.strictObject({ id, untilMs: z.number().min(0).max(8.64e15) }))<InboxEntry>(),
  /** Runs the check with a name, or all if it is null; hits, and checks that could not be evaluated, are added to the inbox. */
  'inbox.run': call(z.strictObject({ name: z.string().max(200).nullable().default(null) }))<RanCheck[]>(),
  /** Saves a check: a new one with an unused name, or a changed version of an existing one. */
  'inbox.saveCheck': call(
    z.strictObject({
      name: z.string().overwrite(singleLine).min(1, 'must not be empty').max(MOST_CHECK_NAME_CHARACTERS),
      rule: checkRule,
      /** Connection of a new check; an edited check keeps its connection. */
      connectionId,
      /** Name of the check to change; null for a new one. */
      replaces: z.string().max(200).nullable(),
    }),
  )<null>(),
  /** Tells how often a rule would have hit, and what it compares; a query has no past. */
  'inbox.history': call(z.strictObject({ rule: checkRule, connectionId }))<CheckHistory>(),
  'inbox.removeCheck': call(z.strictObject({ name: z.string().max(200) }))<null>(),
}
