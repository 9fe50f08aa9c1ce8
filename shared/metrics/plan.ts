import type { MetricDatasetId } from '../catalog/metricDatasets.ts'
import type { RawDatasetId } from '../catalog/rawDatasets.ts'

/**
 * A plan describes how a metric dataset is computed from raw events, as data without SQL. Every dialect translates
 * every operation in this file; a missing translation is a type error.
 */

/** Metric datasets that can be computed from raw events. */
export type PlannedDatasetId = Exclude<MetricDatasetId, 'l2_imbalance' | 'l2_liquidity'>

interface Binary<Op extends string> {
  op: Op
  left: Value
  right: Value
}

interface Unary<Op extends string> {
  op: Op
  operand: Value
}

/** An expression with a number for each row; null where it is undefined. */
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
  /** Takes the natural logarithm of a positive number. */
  | Unary<'ln'>
  /** ln(right / left), accurate to the last digit even if both are nearly equal. */
  | Binary<'logReturn'>
  | Unary<'orZero'>
  | Unary<'nullIfZero'>
  | { op: 'choose'; when: PlanCondition; then: Value; otherwise: Value | null }

interface Comparison<Op extends string> {
  op: Op
  left: Value
  right: Value
}

export type PlanCondition =
  | Comparison<'equal'>
  | Comparison<'differs'>
  | Comparison<'above'>
  | Comparison<'atLeast'>
  | { op: 'present'; operand: Value }
  | { op: 'all'; conditions: PlanCondition[] }
  | { op: 'any'; conditions: PlanCondition[] }

/** A number computed from all rows of an interval. Rows with a null value are ignored, except by `first` and `last`. */
export type Aggregate =
  | { op: 'count'; when: PlanCondition | null }
  /** A sum that is 0 if there are no rows. */
  | Unary<'total'>
  | Unary<'mean'>
  | Unary<'least'>
  | Unary<'greatest'>
  /** Value of the first row in event order, even if that is null. */
  | Unary<'first'>
  | Unary<'last'>
  /** Computes the exact quantile numerator/denominator, interpolated linearly between order statistics. */
  | { op: 'quantile'; operand: Value; numerator: number; denominator: number }
  /** Sample variance (n − 1) of distances from the mean; null for fewer than 2. */
  | Unary<'variance'>
  /** Skewness G1 of distances from the mean; null for fewer than 3 or if all are 0. */
  | Unary<'skewness'>
  /** Excess kurtosis G2 of distances from the mean; null for fewer than 4 or if all are 0. */
  | Unary<'kurtosis'>

/** Rows of a window: those of the same interval, or of the same UTC day. */
export type WindowScope = 'interval' | 'day'

/** A number of one row that depends on other rows of its interval or day. */
export type WindowValue =
  /** Value of the row before; null if there is none. */
  | { op: 'before'; operand: Value; scope: WindowScope }
  /** Value `rows` rows later in the interval; null if there is none. */
  | { op: 'ahead'; operand: Value; rows: number }
  /** Sums the rows so far in event order, including the current one. */
  | { op: 'running'; operand: Value }
  /** Aggregate over the interval, repeated on each of its rows. */
  | { op: 'across'; operand: Aggregate }
  /** z-score against the rows of the day so far, including the current row; null while all are equal. */
  | { op: 'score'; operand: Value }

/** A step adds columns, filters rows, or groups the rows of an interval. */
export type Step =
  | { step: 'define'; why: string; values: Record<string, Value | WindowValue> }
  | { step: 'keep'; why: string; when: PlanCondition }
  /** Makes one row of aggregates per value of `by` in an interval. */
  | { step: 'group'; why: string; by: string; values: Record<string, Aggregate> }

/**
 * An as-of join adds the latest values of another source to each event; at equal times, the last one in event order.
 */
interface AsOfSource {
  source: RawDatasetId
  /** Fields of the source by the name of the new column. */
  columns: Record<string, string>
}

/** Events of one source, processed and aggregated to one row per interval. */
export interface PlanPart {
  name: string
  source: RawDatasetId
  /** Fields of the source that the steps read. */
  reads: string[]
  asOf: AsOfSource[]
  steps: Step[]
  values: Record<string, Aggregate>
}

export interface MetricPlan {
  /** The first part is the driving source; its intervals, with gaps filled, are the rows of the result. */
  parts: [PlanPart, ...PlanPart[]]
  /** Steps that run on the gap-filled rows. */
  afterFill: Step[]
  /** Columns in the catalog's order, computed from the parts' aggregates. */
  columns: Record<string, Value>
}

/** Fields of each source besides its times: numbers, and the sign of a trade (1 buy, −1 sell, 0 unknown). */
export const fieldsOfSource: Record<RawDatasetId, readonly string[]> = {
  trades: ['price', 'amount', 'sign'],
  quotes: ['bid_price', 'bid_amount', 'ask_price', 'ask_amount'],
  mark_price: ['mark_price'],
  index_price: ['index_price'],
  funding_rate: ['funding_rate'],
  open_interest: ['open_interest'],
}
