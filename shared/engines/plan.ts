import type { MetricDatasetId } from '../catalog/metricDatasets.ts'
import type { RawDatasetId } from '../catalog/rawDatasets.ts'

/**
 * A plan describes how a metric dataset follows from raw events, as data without any SQL. Every dialect spells every
 * operation of this file; an operation without a spelling is a type error.
 */

/** Metric datasets that raw events allow. */
export type PlannedDatasetId = Exclude<MetricDatasetId, 'l2_imbalance' | 'l2_liquidity'>

interface Binary<Op extends string> {
  op: Op
  left: Value
  right: Value
}

interface Unary<Op extends string> {
  op: Op
  of: Value
}

/** A number of one row; null where it is undefined. */
export type Value =
  | { op: 'column'; name: string }
  | { op: 'number'; value: number }
  | Binary<'add'>
  | Binary<'subtract'>
  | Binary<'multiply'>
  /** A quotient that is null where `right` is 0. */
  | Binary<'ratio'>
  | Unary<'abs'>
  | Unary<'sqrt'>
  /** Takes the natural logarithm of a number above 0. */
  | Unary<'ln'>
  /** ln(right / left), to the last digits also where both are nearly equal. */
  | Binary<'logReturn'>
  | Unary<'orZero'>
  | Unary<'nullIfZero'>
  | { op: 'choose'; when: Condition; then: Value; otherwise: Value | null }

interface Comparison<Op extends string> {
  op: Op
  left: Value
  right: Value
}

export type Condition =
  | Comparison<'equal'>
  | Comparison<'differs'>
  | Comparison<'above'>
  | Comparison<'atLeast'>
  | { op: 'present'; of: Value }
  | { op: 'all'; of: Condition[] }
  | { op: 'any'; of: Condition[] }

/** A number of all rows of an interval; rows where the value is null do not count, except in `first` and `last`. */
export type Aggregate =
  | { op: 'count'; when: Condition | null }
  /** A sum that is 0 over nothing. */
  | Unary<'total'>
  | Unary<'mean'>
  | Unary<'least'>
  | Unary<'greatest'>
  /** The value of the first row in the order of events, also where that is null. */
  | Unary<'first'>
  | Unary<'last'>
  /** Gives the exact quantile numerator/denominator, linear between order statistics. */
  | { op: 'quantile'; of: Value; numerator: number; denominator: number }
  /** Gives the sample variance (n − 1) of distances from the mean; null for fewer than 2. */
  | Unary<'variance'>
  /** G1 of distances from the mean; null for fewer than 3 and where all are 0. */
  | Unary<'skewness'>
  /** Excess G2 of distances from the mean; null for fewer than 4 and where all are 0. */
  | Unary<'kurtosis'>

/** Rows that a window sees: those of the same interval, or of the same UTC day. */
export type Scope = 'interval' | 'day'

/** A number of one row that depends on other rows of its interval or day. */
export type Windowed =
  /** The value of the row `rows` before, null where there is none. */
  | { op: 'before'; of: Value; scope: Scope }
  | { op: 'ahead'; of: Value; rows: number }
  /** Adds up in the order of events, the row itself included. */
  | { op: 'running'; of: Value }
  /** Puts an aggregate of all rows of the interval on each of them. */
  | { op: 'across'; of: Aggregate }
  /** The z-score against the rows of the day so far, the row itself included; null where nothing has varied yet. */
  | { op: 'score'; of: Value }

/** One step adds columns to rows, keeps some rows, or turns rows into groups of an interval. */
export type Step =
  | { step: 'define'; why: string; values: Record<string, Value | Windowed> }
  | { step: 'keep'; why: string; when: Condition }
  /** Makes one row with the aggregates for every value of `by` in an interval. */
  | { step: 'group'; why: string; by: string; values: Record<string, Aggregate> }

/** The latest values of another source at each event: of equal times the last one in the order of events. */
export interface AsOf {
  source: RawDatasetId
  /** Name of the new column, by the field of the source. */
  columns: Record<string, string>
}

/** Events of one source, worked up and aggregated to one row an interval. */
export interface Part {
  name: string
  source: RawDatasetId
  /** Fields of the source that the steps read. */
  reads: string[]
  asOf: AsOf[]
  steps: Step[]
  values: Record<string, Aggregate>
}

export interface MetricPlan {
  /** The first part is that of the driving source: its intervals, gaps filled, are the rows. */
  parts: [Part, ...Part[]]
  /** Computation steps over the gap-filled rows. */
  afterFill: Step[]
  /** Column by column in the catalog's order, from the aggregates of the parts. */
  columns: Record<string, Value>
}

/** Fields of each source beside its times: numbers, and the sign of a trade (1 buy, −1 sell, 0 unknown). */
export const sourceFields: Record<RawDatasetId, readonly string[]> = {
  trades: ['price', 'amount', 'sign'],
  quotes: ['bid_price', 'bid_amount', 'ask_price', 'ask_amount'],
  mark_price: ['mark_price'],
  index_price: ['index_price'],
  funding_rate: ['funding_rate'],
  open_interest: ['open_interest'],
}
