/** Kind of quantity that a column measures: decides its axis, its number format and how it may be combined. */
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

/** Reason why a rule does not give what the events would, and how far off it was from 1m to 1h, in per cent and rounded up. */
export interface Approximation {
  reason: string
  /** Largest distance on the reference days. */
  offByPercent: number
  /** Largest distance on days made to be hard: bursts beside silence, one-sided books, missing prices. */
  unevenOffByPercent: number
  /** True if distances are measured in the mean size of the rows, because the right value may be near 0; else in the value. */
  isOfMeanSize?: boolean
}

type ExactOrNot<Rule> = Rule & { approximation?: Approximation }

/**
 * Rule by which rows of a short interval make one row of a longer one. Other columns are named as in their dataset, those of
 * another dataset with its id: `l1_price.quote_update_frequency`.
 */
export type Resample =
  | ExactOrNot<
      | { how: 'sum' | 'first' | 'min' | 'max' }
      /** The last row, or the last one with events, which are where the column `where` has a value. */
      | { how: 'last'; where?: string }
      /** The mean is weighted by a column; without one every row counts the same. */
      | { how: 'mean'; weight?: string }
      /** The sum of the rows is spread over the longer interval, for events per time. */
      | { how: 'rate' }
      /** The quotient of two columns after they were resampled themselves. */
      | { how: 'quotient'; of: string; by: string }
      /** A column over the sum of several, itself among them, after each was resampled. */
      | { how: 'share'; of: string; among: readonly string[] }
      /**
       * The sum of the rows and of the first trades of rows, which are in no class of their own row: those that move the price
       * in this direction from the close of the row before.
       */
      | { how: 'ticks'; direction: 1 | 0 | -1 }
      /** Entropy of the split into columns, after each was resampled. */
      | { how: 'entropy'; of: readonly string[] }
    >
  | { how: 'none'; reason: string }

/** Reading of a large value of the column. */
export type LargeMeaning = 'high' | 'far from 0' | 'far from 0.5' | 'far from 1' | 'nothing'

/** Everything the app knows of one metric column: the only place where it is said. */
export interface MetricColumn {
  name: string
  label: string
  kind: ColumnKind
  unit: ColumnUnit
  /** The formula in words; also the description in the service's catalog. */
  formula: string
  /** Rule for a missing value, besides NaN and Infinity, which are always missing. */
  nullRule: string
  /** True if an interval without events has 0 in this column, while the other columns have no value. */
  zeroWhenEmpty: boolean
  resample: Resample
  large: LargeMeaning
}

export const zeroWithoutEvents = 'Never null: 0 in an interval without events'
export const nullWithoutEvents = 'Null in an interval without events'
export const orZeroDenominator = (denominator: string) => `${nullWithoutEvents} or where ${denominator} is 0`

export const sum = { how: 'sum' } satisfies Resample
export const last: Resample = { how: 'last' }
export const min: Resample = { how: 'min' }
export const max = { how: 'max' } satisfies Resample
export const mean = { how: 'mean' } satisfies Resample
export const lastWhere = (where: string) => ({ how: 'last', where }) satisfies Resample
export const weighted = (weight: string) => ({ how: 'mean', weight }) satisfies Resample
export const quotient = (of: string, by: string) => ({ how: 'quotient', of, by }) satisfies Resample
export const share = (of: string, among: readonly string[]) => ({ how: 'share', of, among }) satisfies Resample

/** Marks a rule as an approximation with its measured distances. */
export const approximate = (rule: Exclude<Resample, { how: 'none' }>, approximation: Approximation): Resample => ({
  ...rule,
  approximation,
})
export const never = (reason: string): Resample => ({ how: 'none', reason })
export const needsEvents = never('Needs the events inside the longer interval')

type Traits = Pick<MetricColumn, 'nullRule' | 'resample' | 'large'>

const summed: Traits = { nullRule: zeroWithoutEvents, resample: sum, large: 'high' }
const levelled: Traits = { nullRule: nullWithoutEvents, resample: last, large: 'high' }
const unresampled: Traits = { nullRule: nullWithoutEvents, resample: needsEvents, large: 'high' }

const usual: Record<ColumnKind, Traits> = {
  count: summed,
  volume: summed,
  notional: summed,
  price: levelled,
  ratio: { ...unresampled, large: 'far from 1' },
  fraction: { ...unresampled, large: 'far from 0.5' },
  bps: { ...unresampled, large: 'far from 0' },
  percent: { ...unresampled, large: 'far from 0' },
  length: unresampled,
  duration: unresampled,
  rate: unresampled,
  return: { ...unresampled, large: 'far from 0' },
  statistic: unresampled,
  score: { ...unresampled, large: 'far from 0' },
}

/** Declares a column; what it does not say is what its kind usually has. */
export function column(
  name: string,
  label: string,
  kind: ColumnKind,
  unit: ColumnUnit,
  formula: string,
  traits: Partial<Traits> = {},
): MetricColumn {
  const all = { ...usual[kind], ...traits }
  return { name, label, kind, unit, formula, ...all, zeroWhenEmpty: all.nullRule === zeroWithoutEvents }
}
