import {
  above,
  all,
  any,
  atLeast,
  centre,
  choose,
  count,
  define,
  equal,
  first,
  greatest,
  last,
  least,
  mean,
  multiply,
  present,
  ratio,
  distributionColumns,
  distributionAggregates,
  sqrt,
  subtract,
  total,
  value,
  before,
} from '../expressions.ts'
import type { Aggregate, PlanCondition, MetricPlan, PlanPart, Step } from '../plan.ts'

/** Builds the driving part of a plan whose rows come from trades, so that every interval with a trade has a row. */
export const tradesPart = (part: Pick<PlanPart, 'reads' | 'steps' | 'values'>): PlanPart => ({
  name: 'trades',
  source: 'trades',
  asOf: [],
  ...part,
})

export const isBuy = equal('sign', 1)
export const isSell = equal('sign', -1)

/** Averages a column over buys and over sells. */
export const meansBySide = (name: string, column: string): Record<string, Aggregate> => ({
  [`buy_${name}_mean`]: mean(choose(isBuy, column)),
  [`sell_${name}_mean`]: mean(choose(isSell, column)),
})

export const notionalStep = define('Notional is the product of price and amount', {
  notional: multiply('price', 'amount'),
})

const isLarge = atLeast('notional', 1000)
const isMedium = all(atLeast('notional', 100), above(1000, 'notional'))
const isSmall = above(100, 'notional')
/** Conditions of the size classes, from the smallest. */
export const sizeClasses: [string, PlanCondition][] = [
  ['small', isSmall],
  ['medium', isMedium],
  ['large', isLarge],
]

const classNames = sizeClasses.map(([size]) => size)

export const tradeSizePlan: MetricPlan = {
  parts: [
    tradesPart({
      reads: ['price', 'amount'],
      steps: [notionalStep, ...centre('amount')],
      values: {
        ...Object.fromEntries(
          sizeClasses.map(([size, condition]) => [`${size}_notional`, total(choose(condition, 'notional'))]),
        ),
        ...Object.fromEntries(sizeClasses.map(([size, condition]) => [`${size}_trades`, count(condition)])),
        trades: count(),
        amount_total: total('amount'),
        amount_interval_least: least('amount'),
        amount_interval_greatest: greatest('amount'),
        ...distributionAggregates('amount'),
      },
    }),
  ],
  afterFill: [],
  columns: {
    ...Object.fromEntries(classNames.map((size) => [`${size}_order_volume`, value(`${size}_notional`)])),
    ...Object.fromEntries(classNames.map((size) => [`${size}_order_count`, value(`${size}_trades`)])),
    volume: value('amount_total'),
    n_trades: value('trades'),
    ...Object.fromEntries(
      classNames.map((size) => [`${size}_order_percentage`, ratio(`${size}_notional`, 'amount_total')]),
    ),
    ...Object.fromEntries(
      classNames.map((size) => [`${size}_order_count_percentage`, ratio(`${size}_trades`, 'trades')]),
    ),
    ...distributionColumns('trade_amount', 'amount'),
    trade_amount_min: value('amount_interval_least'),
    trade_amount_max: value('amount_interval_greatest'),
    trade_amount_range_ratio: ratio('amount_interval_greatest', 'amount_interval_least'),
    trade_amount_cv: ratio(sqrt('amount_sample_variance'), 'amount_interval_mean'),
  },
}

export const rangePlan: MetricPlan = {
  parts: [
    tradesPart({
      reads: ['price'],
      steps: centre('price'),
      values: {
        price_last: last('price'),
        price_lowest: least('price'),
        price_highest: greatest('price'),
        ...distributionAggregates('price'),
      },
    }),
  ],
  afterFill: [],
  columns: {
    range: subtract('price_highest', 'price_lowest'),
    range_bps: multiply(ratio(subtract('price_highest', 'price_lowest'), 'price_last'), 10_000),
    ...distributionColumns('price', 'price'),
    price_range_ratio: ratio('price_highest', 'price_lowest'),
    price_cv: ratio(sqrt('price_sample_variance'), 'price_interval_mean'),
  },
}

export const vtwapPlan: MetricPlan = {
  parts: [
    tradesPart({
      reads: ['price', 'amount'],
      steps: [notionalStep],
      values: {
        notional_total: total('notional'),
        amount_total: total('amount'),
        price_interval_mean: mean('price'),
      },
    }),
  ],
  afterFill: [],
  columns: { vwap: ratio('notional_total', 'amount_total'), twap: value('price_interval_mean') },
}

export const ohlcvPlan: MetricPlan = {
  parts: [
    tradesPart({
      reads: ['price', 'amount'],
      steps: [notionalStep],
      values: {
        price_first: first('price'),
        price_highest: greatest('price'),
        price_lowest: least('price'),
        price_last: last('price'),
        amount_total: total('amount'),
        notional_total: total('notional'),
      },
    }),
  ],
  afterFill: [],
  columns: {
    open: value('price_first'),
    high: value('price_highest'),
    low: value('price_lowest'),
    close: value('price_last'),
    volume: value('amount_total'),
    volume_notional: value('notional_total'),
  },
}

export const priceBeforeStep: Step = define('Each trade is compared with the trade before it in the interval', {
  price_before: before('price'),
})

const ticks: [string, PlanCondition][] = [
  ['uptick', above('price', 'price_before')],
  ['downtick', above('price_before', 'price')],
  ['unchanged', equal('price', 'price_before')],
]

const tickNames = ticks.map(([tick]) => tick)

export const updownticksPlan: MetricPlan = {
  parts: [
    tradesPart({
      reads: ['price', 'amount'],
      steps: [priceBeforeStep],
      values: {
        ...Object.fromEntries(ticks.map(([tick, condition]) => [`${tick}_trades`, count(condition)])),
        ...Object.fromEntries(ticks.map(([tick, condition]) => [`${tick}_amount`, total(choose(condition, 'amount'))])),
        compared_trades: count(any(...ticks.map(([, condition]) => condition))),
        compared_amount: total(choose(present('price_before'), 'amount')),
      },
    }),
  ],
  afterFill: [],
  columns: {
    ...Object.fromEntries(tickNames.map((tick) => [`${tick}_count`, value(`${tick}_trades`)])),
    ...Object.fromEntries(tickNames.map((tick) => [`${tick}_volume`, value(`${tick}_amount`)])),
    uptick_downtick_volume_ratio: ratio('uptick_amount', 'downtick_amount'),
    uptick_downtick_count_ratio: ratio('uptick_trades', 'downtick_trades'),
    ...Object.fromEntries(
      tickNames.map((tick) => [`${tick}_count_percentage`, ratio(`${tick}_trades`, 'compared_trades')]),
    ),
    ...Object.fromEntries(
      tickNames.map((tick) => [`${tick}_volume_percentage`, ratio(`${tick}_amount`, 'compared_amount')]),
    ),
  },
}
