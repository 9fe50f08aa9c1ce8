/**
 * Kind of quantity that a column measures. It decides the number format, and by default how rows are combined and which
 * values count as large.
 */
export type ColumnKind =
  | 'count'
  | 'volume'
  | 'notional'
  | 'price'
  | 'ratio'
  | 'fraction'
  | 'bps'
  | 'percent'
  | 'length'
  | 'duration'
  | 'rate'
  | 'return'
  | 'statistic'
  | 'score'

export type ColumnUnit =
  | 'amount'
  | 'amount²'
  | 'quote'
  | 'price'
  | 'price²'
  | 'quote per amount'
  | 'price per amount'
  | 'return per quote'
  | 'return per amount'
  | 'trades'
  | 'events'
  | 'bps'
  | '%'
  | 'nats'
  | 's'
  | 'ms'
  | '1/s'
  | 'log return'
  | 'log return²'
  | 'return'
  | 'none'

/**
 * Reason why resampling a column differs from computing it from events, and the largest errors found when resampling
 * from 1m to 1h.
 */
export interface Approximation {
  reason: string
  /** Largest error on the reference days, in per cent, rounded up. */
  offByPercent: number
  /**
   * Largest error, in per cent, on generated difficult days: bursts next to silence, one-sided books, missing prices.
   */
  unevenOffByPercent: number
  /**
   * True if errors are relative to the mean absolute value of the rows, because the correct value may be near 0;
   * otherwise they are relative to the correct value.
   */
  isRelativeToMean?: boolean
}

type MaybeApproximate<Rule> = Rule & { approximation?: Approximation }

/**
 * Rule that aggregates rows of a short interval to one row of a longer interval. Columns of another dataset are named
 * with its id: `l1_price.quote_update_frequency`.
 */
export type Resample =
  | MaybeApproximate<
      | { how: 'sum' | 'first' | 'min' | 'max' }
      /**
       * The last row; with `where`, the last row in which the named column has a value, so that rows without events are
       * skipped.
       */
      | { how: 'last'; where?: string }
      /** Averages the rows, weighted by a column; without a weight every row counts equally. */
      | { how: 'mean'; weight?: string }
      /** Averages a rate per unit of time over the longer interval; a missing row counts as 0. */
      | { how: 'rate' }
      /** Divides two columns, each resampled first. */
      | { how: 'quotient'; numerator: string; denominator: string }
      /** Divides a column by the sum of several columns (itself included), each resampled first. */
      | { how: 'share'; part: string; among: readonly string[] }
      /**
       * Adds up the rows. Each row leaves its first trade unclassified, so this rule also counts that trade if it moves
       * the price in the given direction from the close of the previous row.
       */
      | { how: 'ticks'; direction: 1 | 0 | -1 }
      /** Computes the entropy of the shares of several columns, each resampled first. */
      | { how: 'entropy'; columns: readonly string[] }
    >
  | { how: 'none'; reason: string }

/** Values that count as large for a column, to find unusual rows. */
export type LargeMeaning = 'high' | 'far from 0' | 'far from 0.5' | 'far from 1' | 'nothing'

/** Whether the files of a service have a column, or only those computed on this machine. */
export type ColumnOrigin = 'service' | 'local'

/** Everything that the app knows about a metric column. */
export interface MetricColumn {
  name: string
  label: string
  kind: ColumnKind
  unit: ColumnUnit
  /** The formula in words; also the description in the service's catalog. */
  formula: string
  /** Condition in words under which the value is missing; NaN and Infinity are always missing. */
  nullRule: string
  /** True if the column is 0 in an interval without events, where other columns have no value. */
  zeroWhenEmpty: boolean
  resample: Resample
  large: LargeMeaning
  origin: ColumnOrigin
}

export const zeroWithoutEvents = 'Never null: 0 in an interval without events'
export const nullWithoutEvents = 'Null in an interval without events'
export const nullWithoutEventsOrAtZero = (denominator: string) => `${nullWithoutEvents} or where ${denominator} is 0`

export const sum = { how: 'sum' } satisfies Resample
export const last: Resample = { how: 'last' }
export const min: Resample = { how: 'min' }
export const max = { how: 'max' } satisfies Resample
export const mean = { how: 'mean' } satisfies Resample
export const lastWhere = (where: string) => ({ how: 'last', where }) satisfies Resample
export const weighted = (weight: string) => ({ how: 'mean', weight }) satisfies Resample
export const quotient = (numerator: string, denominator: string) =>
  ({ how: 'quotient', numerator, denominator }) satisfies Resample
export const share = (part: string, among: readonly string[]) => ({ how: 'share', part, among }) satisfies Resample

/** Marks a rule as an approximation with its measured errors. */
export const approximate = (rule: Exclude<Resample, { how: 'none' }>, approximation: Approximation): Resample => ({
  ...rule,
  approximation,
})
export const never = (reason: string): Resample => ({ how: 'none', reason })

/** Returns why a column cannot be resampled to a longer interval; null if it can. */
export const resampleRefusal = (rule: Resample): string | null => (rule.how === 'none' ? rule.reason : null)
export const needsEvents = never('Needs the events inside the longer interval')

type ColumnTraits = Pick<MetricColumn, 'nullRule' | 'resample' | 'large'>

const summedTraits: ColumnTraits = { nullRule: zeroWithoutEvents, resample: sum, large: 'high' }
const lastOfRows: ColumnTraits = { nullRule: nullWithoutEvents, resample: last, large: 'high' }
const unresampledTraits: ColumnTraits = { nullRule: nullWithoutEvents, resample: needsEvents, large: 'high' }

const defaultTraits: Record<ColumnKind, ColumnTraits> = {
  count: summedTraits,
  volume: summedTraits,
  notional: summedTraits,
  price: lastOfRows,
  ratio: { ...unresampledTraits, large: 'far from 1' },
  fraction: { ...unresampledTraits, large: 'far from 0.5' },
  bps: { ...unresampledTraits, large: 'far from 0' },
  percent: { ...unresampledTraits, large: 'far from 0' },
  length: unresampledTraits,
  duration: unresampledTraits,
  rate: unresampledTraits,
  return: { ...unresampledTraits, large: 'far from 0' },
  statistic: unresampledTraits,
  score: { ...unresampledTraits, large: 'far from 0' },
}

/** Declares a column; omitted traits take the defaults of its kind. */
export function column(
  name: string,
  label: string,
  kind: ColumnKind,
  unit: ColumnUnit,
  formula: string,
  traits: Partial<ColumnTraits & Pick<MetricColumn, 'origin'>> = {},
): MetricColumn {
  const allTraits = { origin: 'service' as const, ...defaultTraits[kind], ...traits }
  return { name, label, kind, unit, formula, ...allTraits, zeroWhenEmpty: allTraits.nullRule === zeroWithoutEvents }
}
