import { sideCodes } from '../events.ts'
import type { DatasetComputation } from '../datasetComputation.ts'
import { deviation } from '../../statistics/moments.ts'
import { quantile } from '../quantile.ts'
import { quotient } from '../quotient.ts'
import * as plan from '../expressions.ts'
import type { MetricPlan } from '../plan.ts'
import { tradesPart, isBuy, meansBySide } from './tradeSteps.ts'

const { unknown, buy, sell } = sideCodes

const slippagePlan: MetricPlan = {
  parts: [
    tradesPart({ reads: ['price'], steps: [], values: { trades: plan.count() } }),
    {
      name: 'quoted',
      source: 'trades',
      reads: ['price', 'amount', 'sign'],
      asOf: [{ source: 'quotes', columns: { quote_bid: 'bid_price', quote_ask: 'ask_price' } }],
      steps: [
        plan.keep(
          'Sided trades whose latest quote has both prices; 0 is a missing one',
          plan.all(plan.differs('sign', 0), plan.differs('quote_bid', 0), plan.differs('quote_ask', 0)),
        ),
        plan.define('Part of the price beyond the best quote', {
          beyond: plan.choose(isBuy, plan.subtract('price', 'quote_ask'), plan.subtract('quote_bid', 'price')),
          quote_mid: plan.ratio(plan.add('quote_bid', 'quote_ask'), 2),
        }),
        plan.define('The same in basis points of the mid price', {
          bps: plan.multiply(plan.ratio('beyond', 'quote_mid'), 10_000),
        }),
        ...plan.centre('bps'),
      ],
      values: {
        beyond_mean: plan.mean('beyond'),
        bps_mean: plan.mean('bps'),
        bps_variance: plan.variance('bps_distance'),
        bps_middle: plan.quantile('bps', 1, 2),
        bps_high: plan.quantile('bps', 19, 20),
        bps_weighted: plan.total(plan.multiply('amount', 'bps')),
        bps_weight: plan.total('amount'),
        ...meansBySide('bps', 'bps'),
      },
    },
  ],
  afterFill: [],
  columns: {
    slippage_mean: plan.value('beyond_mean'),
    slippage_bps_mean: plan.value('bps_mean'),
    slippage_bps_std: plan.sqrt('bps_variance'),
    slippage_bps_median: plan.value('bps_middle'),
    slippage_bps_p95: plan.value('bps_high'),
    slippage_bps_vwap: plan.ratio('bps_weighted', 'bps_weight'),
    slippage_bps_buy_mean: plan.value('buy_bps_mean'),
    slippage_bps_sell_mean: plan.value('sell_bps_mean'),
    slippage_bps_buy_sell_ratio: plan.ratio('buy_bps_mean', 'sell_bps_mean'),
    slippage_bps_sell_buy_ratio: plan.ratio('sell_bps_mean', 'buy_bps_mean'),
  },
}

export const slippage: DatasetComputation = {
  dataset: 'slippage',
  reads: { trades: ['price', 'amount', 'side'], quotes: ['bidPrice', 'askPrice'] },
  plan: slippagePlan,
  create: () => {
    let buffer = new Float64Array(0)
    const bpsSums = new Float64Array(3)
    const counts = new Float64Array(3)
    return (interval, row) => {
      const { timeUs, price, amount, side } = interval.trades.events
      const quotes = interval.asOf('quotes')
      if (buffer.length < price.length) buffer = new Float64Array(price.length * 2)
      bpsSums.fill(0)
      counts.fill(0)
      let priceSlippageSum = 0
      let weightedBpsSum = 0
      let weight = 0
      let usedCount = 0
      let quote = -1
      for (let i = 0; i < price.length; i++) {
        while (quote + 1 < quotes.timeUs.length && quotes.timeUs[quote + 1] <= timeUs[i]) quote++
        const tradeSide = side[i]
        if (quote < 0 || tradeSide === unknown) continue
        const bid = quotes.bidPrice[quote]
        const ask = quotes.askPrice[quote]
        if (bid === 0 || ask === 0) continue
        const priceSlippage = tradeSide === buy ? price[i] - ask : bid - price[i]
        const bps = (priceSlippage / ((bid + ask) / 2)) * 1e4
        buffer[usedCount++] = bps
        priceSlippageSum += priceSlippage
        weightedBpsSum += amount[i] * bps
        weight += amount[i]
        bpsSums[tradeSide] += bps
        counts[tradeSide]++
      }
      if (usedCount === 0) return
      const values = buffer.subarray(0, usedCount)
      const buyMean = quotient(bpsSums[buy], counts[buy])
      const sellMean = quotient(bpsSums[sell], counts[sell])
      row[0] = priceSlippageSum / usedCount
      row[1] = (bpsSums[buy] + bpsSums[sell]) / usedCount
      row[2] = deviation(values, usedCount)
      row[3] = quantile(values, 1, 2)
      row[4] = quantile(values, 19, 20)
      row[5] = quotient(weightedBpsSum, weight)
      row[6] = buyMean
      row[7] = sellMean
      row[8] = quotient(buyMean, sellMean)
      row[9] = quotient(sellMean, buyMean)
    }
  },
}
