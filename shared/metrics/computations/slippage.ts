import { sideCodes } from '../events.ts'
import type { DatasetComputation } from '../datasetComputation.ts'
import { deviation } from '../../statistics/moments.ts'
import { quantile } from '../quantile.ts'
import { quotient } from '../quotient.ts'

const { unknown, buy, sell } = sideCodes

export const slippage: DatasetComputation = {
  dataset: 'slippage',
  reads: { trades: ['price', 'amount', 'side'], quotes: ['bidPrice', 'askPrice'] },
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
