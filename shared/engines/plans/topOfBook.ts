import {
  abs,
  above,
  add,
  choose,
  count,
  define,
  first,
  last,
  mean,
  multiply,
  nullIfZero,
  present,
  ratio,
  subtract,
  total,
  value,
  type PlanOperand,
} from '../expressions.ts'
import type { MetricPlan, PlanPart, Step, Value } from '../plan.ts'

const quotesPart = (part: Pick<PlanPart, 'reads' | 'steps' | 'values'>): PlanPart => ({
  name: 'quotes',
  source: 'quotes',
  asOf: [],
  ...part,
})

const priceFields = ['bid_price', 'bid_amount', 'ask_price', 'ask_amount']

const pricesStep: Step = define('A price of 0 is a missing one', {
  bid: nullIfZero('bid_price'),
  ask: nullIfZero('ask_price'),
})

const half = (sum: PlanOperand) => ratio(sum, 2)
const depth = add('bid_amount', 'ask_amount')
const priceTimesAmount = (price: string) =>
  choose(present(price), multiply(price, price === 'bid' ? 'bid_amount' : 'ask_amount'))

export const l1PricePlan: MetricPlan = {
  parts: [
    quotesPart({
      reads: priceFields,
      steps: [
        pricesStep,
        define('Prices of the update', {
          mid: half(add('bid', 'ask')),
          weighted_mid: ratio(add(multiply('ask', 'bid_amount'), multiply('bid', 'ask_amount')), depth),
        }),
      ],
      values: {
        ask_last: last('ask'),
        bid_last: last('bid'),
        ask_amount_last: last('ask_amount'),
        bid_amount_last: last('bid_amount'),
        updates: count(),
        time_first: first('time_us'),
        time_last: last('time_us'),
        mid_last: last('mid'),
        weighted_mid_last: last('weighted_mid'),
        bid_mean: mean('bid'),
        ask_mean: mean('ask'),
        bid_weighted: total(priceTimesAmount('bid')),
        bid_weight: total(choose(present('bid'), 'bid_amount')),
        ask_weighted: total(priceTimesAmount('ask')),
        ask_weight: total(choose(present('ask'), 'ask_amount')),
      },
    }),
  ],
  afterFill: [],
  columns: {
    ask_price: value('ask_last'),
    bid_price: value('bid_last'),
    ask_amount: value('ask_amount_last'),
    bid_amount: value('bid_amount_last'),
    quote_update_frequency: value('updates'),
    avg_update_interval: choose(
      above('updates', 1),
      ratio(ratio(subtract('time_last', 'time_first'), 1000), subtract('updates', 1)),
    ),
    midprice: value('mid_last'),
    weighted_midprice: value('weighted_mid_last'),
    bid_price_twap: value('bid_mean'),
    ask_price_twap: value('ask_mean'),
    bid_price_vwap: ratio('bid_weighted', 'bid_weight'),
    ask_price_vwap: ratio('ask_weighted', 'ask_weight'),
  },
}

/** Builds a plan with the value of each quantity at the last update, and its mean over the updates where it has one. */
function lastAndMeans(steps: Step[], updates: Record<string, Value>, reads: string[]): MetricPlan {
  const names = Object.keys(updates)
  const withSuffix = <Node>(suffix: string, build: (name: string) => Node) =>
    Object.fromEntries(names.map((name) => [`${name}${suffix}`, build(name)]))
  const updateValues = Object.fromEntries(Object.entries(updates).map(([name, update]) => [`update_${name}`, update]))
  return {
    parts: [
      quotesPart({
        reads,
        steps: [...steps, define('Values of the update', updateValues)],
        values: {
          ...withSuffix('_last', (name) => last(`update_${name}`)),
          ...withSuffix('_mean', (name) => mean(`update_${name}`)),
        },
      }),
    ],
    afterFill: [],
    columns: {
      ...withSuffix('', (name) => value(`${name}_last`)),
      ...withSuffix('_avg', (name) => value(`${name}_mean`)),
    },
  }
}

const amountDifference = subtract('bid_amount', 'ask_amount')

export const l1ImbalancePlan = lastAndMeans(
  [],
  {
    imbalance: amountDifference,
    imbalance_ratio: ratio(amountDifference, depth),
    bid_ask_ratio: ratio('bid_amount', 'ask_amount'),
    bid_percentage: ratio('bid_amount', depth),
    ask_percentage: ratio('ask_amount', depth),
  },
  ['bid_amount', 'ask_amount'],
)

const spread = abs(subtract('ask', 'bid'))
const bidNotional = multiply('bid', 'bid_amount')
const askNotional = multiply('ask', 'ask_amount')

export const l1LiquidityPlan = lastAndMeans(
  [pricesStep],
  {
    spread,
    spread_bps: multiply(ratio(spread, half(add('bid', 'ask'))), 10_000),
    spread_depth_ratio: ratio(spread, depth),
    total_depth: depth,
    dollar_depth_bid: bidNotional,
    dollar_depth_ask: askNotional,
    total_dollar_depth: add(bidNotional, askNotional),
  },
  priceFields,
)
