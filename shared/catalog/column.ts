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

/** Rule by which rows of a short interval make one row of a longer one, from columns of the same dataset alone. */
export type Resample =
  | { how: 'sum' | 'first' | 'last' | 'min' | 'max' }
  /** Weighted by a column of the dataset where one fits exactly; else every row weighs the same: an approximation. */
  | { how: 'mean'; weight?: string }
  /** The quotient of two columns after they were resampled themselves. */
  | { how: 'quotient'; of: string; by: string }
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
  /** When the column has no value, besides what a column can never be (NaN, Infinity). */
  nullRule: string
  /** True if an interval without events has 0 in this column, while the other columns have no value. */
  zeroWhenEmpty: boolean
  resample: Resample
  large: LargeMeaning
}

export const zeroWithoutEvents = 'Never null: 0 in an interval without events'
export const nullWithoutEvents = 'Null in an interval without events'
export const orZeroDenominator = (denominator: string) => `${nullWithoutEvents} or where ${denominator} is 0`

export const sum: Resample = { how: 'sum' }
export const last: Resample = { how: 'last' }
export const min: Resample = { how: 'min' }
export const max: Resample = { how: 'max' }
export const mean: Resample = { how: 'mean' }
export const quotient = (of: string, by: string): Resample => ({ how: 'quotient', of, by })
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
