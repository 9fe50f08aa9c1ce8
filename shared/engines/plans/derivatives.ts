import {
  all,
  any,
  before,
  centre,
  choose,
  count,
  define,
  differs,
  first,
  keep,
  last,
  mean,
  multiply,
  present,
  ratio,
  sqrt,
  subtract,
  value,
  variance,
  equal,
  orZero,
} from '../expressions.ts'
import type { Aggregate, PlanCondition, MetricPlan, Value } from '../plan.ts'

/** True if a value is present, and the value before it is missing or different. */
const isChanged = (column: string, columnBefore: string): PlanCondition =>
  any(
    all(present(column), equal(choose(present(columnBefore), 1, 0), 0)),
    all(present(columnBefore), differs(column, columnBefore)),
  )

const valueIfChanged = (column: string): Value => choose(isChanged(column, `${column}_before`), column)

const differenceColumns = ['index_difference', 'index_bps', 'trade_difference', 'trade_bps']

const comparisonValues = (other: string): Record<string, Aggregate> => ({
  [`${other}_difference_last`]: last(`${other}_difference`),
  [`${other}_bps_last`]: last(`${other}_bps`),
  [`${other}_difference_mean`]: mean(`${other}_difference_changed`),
  [`${other}_bps_variance`]: variance(`${other}_bps_changed_distance`),
})

export const basisPlan: MetricPlan = {
  parts: [
    {
      name: 'marks',
      source: 'mark_price',
      reads: ['mark_price'],
      asOf: [
        { source: 'index_price', columns: { index_then: 'index_price' } },
        { source: 'trades', columns: { trade_then: 'price' } },
      ],
      steps: [
        define('Differences of the mark from the index and the last trade as of this update', {
          index_difference: subtract('mark_price', 'index_then'),
          index_bps: multiply(ratio(subtract('mark_price', 'index_then'), 'index_then'), 10_000),
          trade_difference: subtract('mark_price', 'trade_then'),
          trade_bps: multiply(ratio(subtract('mark_price', 'trade_then'), 'trade_then'), 10_000),
        }),
        define(
          'Values at the previous update',
          Object.fromEntries(differenceColumns.map((column) => [`${column}_before`, before(column)])),
        ),
        define(
          'Only changed values count',
          Object.fromEntries(differenceColumns.map((column) => [`${column}_changed`, valueIfChanged(column)])),
        ),
        ...centre('index_bps_changed', 'trade_bps_changed'),
      ],
      values: { ...comparisonValues('index'), ...comparisonValues('trade') },
    },
  ],
  afterFill: [],
  columns: {
    basis: value('index_difference_last'),
    basis_bps: value('index_bps_last'),
    mark_price_spread: value('trade_difference_last'),
    mark_price_spread_bps: value('trade_bps_last'),
    basis_mean: value('index_difference_mean'),
    basis_bps_std: sqrt('index_bps_variance'),
    mark_price_spread_mean: value('trade_difference_mean'),
    mark_price_spread_bps_std: sqrt('trade_bps_variance'),
  },
}

/** Plan of the funding dataset; `interval_seconds` is a column that every plan has after gaps are filled. */
export const fundingPlan: MetricPlan = {
  parts: [
    {
      name: 'rates',
      source: 'funding_rate',
      reads: ['funding_rate'],
      asOf: [],
      steps: [define('Previous rate of the same UTC day', { rate_before: before('funding_rate', 'day') })],
      values: { rate_last: last('funding_rate'), updates: count(isChanged('funding_rate', 'rate_before')) },
    },
  ],
  afterFill: [],
  columns: {
    funding_rate: value('rate_last'),
    funding_rate_update_frequency: ratio(orZero('updates'), 'interval_seconds'),
    funding_rate_avg_update_interval: ratio('interval_seconds', 'updates'),
  },
}

const percentChange = (from: string, to: string) => multiply(ratio(subtract(to, from), from), 100)
const interestChange = percentChange('interest_first', 'interest_last')

export const openInterestPlan: MetricPlan = {
  parts: [
    {
      name: 'interest',
      source: 'open_interest',
      reads: ['open_interest'],
      asOf: [],
      steps: [],
      values: { interest_first: first('open_interest'), interest_last: last('open_interest') },
    },
    {
      name: 'changes',
      source: 'open_interest',
      reads: ['open_interest'],
      asOf: [],
      steps: [
        define('Value at the previous update', { interest_before: before('open_interest') }),
        keep('Only changed values count', isChanged('open_interest', 'interest_before')),
        define('Previous changed value', { changed_before: before('open_interest') }),
        define('Percentage changes', { change: percentChange('changed_before', 'open_interest') }),
        ...centre('change'),
      ],
      values: { change_variance: variance('change_distance') },
    },
    {
      name: 'marks',
      source: 'mark_price',
      reads: ['mark_price'],
      asOf: [],
      steps: [],
      values: { mark_first: first('mark_price'), mark_last: last('mark_price') },
    },
  ],
  afterFill: [],
  columns: {
    open_interest: value('interest_last'),
    open_interest_pct_change: interestChange,
    open_interest_volatility: sqrt('change_variance'),
    oi_price_change_ratio: ratio(interestChange, percentChange('mark_first', 'mark_last')),
  },
}
