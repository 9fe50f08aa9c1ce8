import type { QuoteEvents } from '../events.ts'
import type { DatasetComputation, IntervalFunction } from '../datasetComputation.ts'
import { quotient } from '../quotient.ts'
import * as plan from '../expressions.ts'
import type { MetricPlan, PlanPart, Step, Value } from '../plan.ts'

/** Treats a price of 0 as missing. */
const nanIfZero = (price: number) => (price === 0 ? NaN : price)

function writePrices(quotes: QuoteEvents, row: Float64Array): void {
  const { timeUs, bidPrice, bidAmount, askPrice, askAmount } = quotes
  const count = timeUs.length
  const end = count - 1
  const bid = nanIfZero(bidPrice[end])
  const ask = nanIfZero(askPrice[end])
  row[0] = ask
  row[1] = bid
  row[2] = askAmount[end]
  row[3] = bidAmount[end]
  row[4] = count
  row[5] = count < 2 ? NaN : (timeUs[end] - timeUs[0]) / 1000 / (count - 1)
  row[6] = (bid + ask) / 2
  row[7] = quotient(ask * bidAmount[end] + bid * askAmount[end], bidAmount[end] + askAmount[end])
  averagePrices(bidPrice, bidAmount, row, 8)
  averagePrices(askPrice, askAmount, row, 9)
}

/** Writes the plain mean at `at`, and the amount-weighted mean two columns later. */
function averagePrices(price: Float64Array, amount: Float64Array, row: Float64Array, at: number): void {
  let sum = 0
  let count = 0
  let weightedSum = 0
  let weight = 0
  for (let i = 0; i < price.length; i++) {
    if (price[i] === 0) continue
    sum += price[i]
    count++
    weightedSum += price[i] * amount[i]
    weight += amount[i]
  }
  row[at] = quotient(sum, count)
  row[at + 2] = quotient(weightedSum, weight)
}

type WriteQuoteValues = (
  values: Float64Array,
  bidPrice: number,
  bidAmount: number,
  askPrice: number,
  askAmount: number,
) => void

function writeImbalances(
  values: Float64Array,
  _bidPrice: number,
  bidAmount: number,
  _askPrice: number,
  askAmount: number,
): void {
  const depth = bidAmount + askAmount
  values[0] = bidAmount - askAmount
  values[1] = quotient(bidAmount - askAmount, depth)
  values[2] = quotient(bidAmount, askAmount)
  values[3] = quotient(bidAmount, depth)
  values[4] = quotient(askAmount, depth)
}

function writeLiquidity(
  values: Float64Array,
  bidPrice: number,
  bidAmount: number,
  askPrice: number,
  askAmount: number,
): void {
  const spread = Math.abs(askPrice - bidPrice)
  const depth = bidAmount + askAmount
  const bidNotional = bidPrice * bidAmount
  const askNotional = askPrice * askAmount
  values[0] = spread
  values[1] = (spread / ((bidPrice + askPrice) / 2)) * 1e4
  values[2] = quotient(spread, depth)
  values[3] = depth
  values[4] = bidNotional
  values[5] = askNotional
  values[6] = bidNotional + askNotional
}

/** Computes the last quote's values, then their means over the quotes that have them. */
function lastAndMeans(width: number, writeValues: WriteQuoteValues): () => IntervalFunction {
  return () => {
    const values = new Float64Array(width)
    const sums = new Float64Array(width)
    const counts = new Float64Array(width)
    return ({ inside }, row) => {
      const { bidPrice, bidAmount, askPrice, askAmount } = inside('quotes')
      sums.fill(0)
      counts.fill(0)
      for (let i = 0; i < bidPrice.length; i++) {
        writeValues(values, nanIfZero(bidPrice[i]), bidAmount[i], nanIfZero(askPrice[i]), askAmount[i])
        for (let j = 0; j < width; j++) {
          if (Number.isNaN(values[j])) continue
          sums[j] += values[j]
          counts[j]++
        }
      }
      for (let j = 0; j < width; j++) {
        row[j] = values[j]
        row[width + j] = quotient(sums[j], counts[j])
      }
    }
  }
}

const quotesPart = (part: Pick<PlanPart, 'reads' | 'steps' | 'values'>): PlanPart => ({
  name: 'quotes',
  source: 'quotes',
  asOf: [],
  ...part,
})

const priceFields = ['bid_price', 'bid_amount', 'ask_price', 'ask_amount']

const pricesStep: Step = plan.define('A price of 0 is a missing one', {
  bid: plan.nullIfZero('bid_price'),
  ask: plan.nullIfZero('ask_price'),
})

const half = (sum: plan.PlanOperand) => plan.ratio(sum, 2)
const depthNode = plan.add('bid_amount', 'ask_amount')
const priceTimesAmount = (price: string) =>
  plan.choose(plan.present(price), plan.multiply(price, price === 'bid' ? 'bid_amount' : 'ask_amount'))

const l1PricePlan: MetricPlan = {
  parts: [
    quotesPart({
      reads: priceFields,
      steps: [
        pricesStep,
        plan.define('Prices of the update', {
          mid: half(plan.add('bid', 'ask')),
          weighted_mid: plan.ratio(
            plan.add(plan.multiply('ask', 'bid_amount'), plan.multiply('bid', 'ask_amount')),
            depthNode,
          ),
        }),
      ],
      values: {
        ask_last: plan.last('ask'),
        bid_last: plan.last('bid'),
        ask_amount_last: plan.last('ask_amount'),
        bid_amount_last: plan.last('bid_amount'),
        updates: plan.count(),
        time_first: plan.first('time_us'),
        time_last: plan.last('time_us'),
        mid_last: plan.last('mid'),
        weighted_mid_last: plan.last('weighted_mid'),
        bid_mean: plan.mean('bid'),
        ask_mean: plan.mean('ask'),
        bid_weighted: plan.total(priceTimesAmount('bid')),
        bid_weight: plan.total(plan.choose(plan.present('bid'), 'bid_amount')),
        ask_weighted: plan.total(priceTimesAmount('ask')),
        ask_weight: plan.total(plan.choose(plan.present('ask'), 'ask_amount')),
      },
    }),
  ],
  afterFill: [],
  columns: {
    ask_price: plan.value('ask_last'),
    bid_price: plan.value('bid_last'),
    ask_amount: plan.value('ask_amount_last'),
    bid_amount: plan.value('bid_amount_last'),
    quote_update_frequency: plan.value('updates'),
    avg_update_interval: plan.choose(
      plan.above('updates', 1),
      plan.ratio(plan.ratio(plan.subtract('time_last', 'time_first'), 1000), plan.subtract('updates', 1)),
    ),
    midprice: plan.value('mid_last'),
    weighted_midprice: plan.value('weighted_mid_last'),
    bid_price_twap: plan.value('bid_mean'),
    ask_price_twap: plan.value('ask_mean'),
    bid_price_vwap: plan.ratio('bid_weighted', 'bid_weight'),
    ask_price_vwap: plan.ratio('ask_weighted', 'ask_weight'),
  },
}

/** Builds a plan with the value of each quantity at the last update, and its mean over the updates where it has one. */
function lastAndMeansPlan(steps: Step[], updates: Record<string, Value>, reads: string[]): MetricPlan {
  const names = Object.keys(updates)
  const withSuffix = <Node>(suffix: string, build: (name: string) => Node) =>
    Object.fromEntries(names.map((name) => [`${name}${suffix}`, build(name)]))
  const updateValues = Object.fromEntries(Object.entries(updates).map(([name, update]) => [`update_${name}`, update]))
  return {
    parts: [
      quotesPart({
        reads,
        steps: [...steps, plan.define('Values of the update', updateValues)],
        values: {
          ...withSuffix('_last', (name) => plan.last(`update_${name}`)),
          ...withSuffix('_mean', (name) => plan.mean(`update_${name}`)),
        },
      }),
    ],
    afterFill: [],
    columns: {
      ...withSuffix('', (name) => plan.value(`${name}_last`)),
      ...withSuffix('_avg', (name) => plan.value(`${name}_mean`)),
    },
  }
}

const amountDifference = plan.subtract('bid_amount', 'ask_amount')

const l1ImbalancePlan = lastAndMeansPlan(
  [],
  {
    imbalance: amountDifference,
    imbalance_ratio: plan.ratio(amountDifference, depthNode),
    bid_ask_ratio: plan.ratio('bid_amount', 'ask_amount'),
    bid_percentage: plan.ratio('bid_amount', depthNode),
    ask_percentage: plan.ratio('ask_amount', depthNode),
  },
  ['bid_amount', 'ask_amount'],
)

const spreadNode = plan.abs(plan.subtract('ask', 'bid'))
const bidNotionalNode = plan.multiply('bid', 'bid_amount')
const askNotionalNode = plan.multiply('ask', 'ask_amount')

const l1LiquidityPlan = lastAndMeansPlan(
  [pricesStep],
  {
    spread: spreadNode,
    spread_bps: plan.multiply(plan.ratio(spreadNode, half(plan.add('bid', 'ask'))), 10_000),
    spread_depth_ratio: plan.ratio(spreadNode, depthNode),
    total_depth: depthNode,
    dollar_depth_bid: bidNotionalNode,
    dollar_depth_ask: askNotionalNode,
    total_dollar_depth: plan.add(bidNotionalNode, askNotionalNode),
  },
  priceFields,
)

export const l1Price: DatasetComputation = {
  dataset: 'l1_price',
  reads: { quotes: ['bidPrice', 'bidAmount', 'askPrice', 'askAmount'] },
  plan: l1PricePlan,
  create:
    () =>
    ({ inside }, row) =>
      writePrices(inside('quotes'), row),
}

export const l1Imbalance: DatasetComputation = {
  dataset: 'l1_imbalance',
  reads: { quotes: ['bidAmount', 'askAmount'] },
  plan: l1ImbalancePlan,
  create: lastAndMeans(5, writeImbalances),
}

export const l1Liquidity: DatasetComputation = {
  dataset: 'l1_liquidity',
  reads: { quotes: ['bidPrice', 'bidAmount', 'askPrice', 'askAmount'] },
  plan: l1LiquidityPlan,
  create: lastAndMeans(7, writeLiquidity),
}
