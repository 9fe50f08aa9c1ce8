import type { QuoteEvents } from '../events.ts'
import type { DatasetComputation, IntervalFunction } from '../datasetComputation.ts'
import { quotient } from '../quotient.ts'

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

export const l1Price: DatasetComputation = {
  dataset: 'l1_price',
  reads: { quotes: ['bidPrice', 'bidAmount', 'askPrice', 'askAmount'] },
  create:
    () =>
    ({ inside }, row) =>
      writePrices(inside('quotes'), row),
}

export const l1Imbalance: DatasetComputation = {
  dataset: 'l1_imbalance',
  reads: { quotes: ['bidAmount', 'askAmount'] },
  create: lastAndMeans(5, writeImbalances),
}

export const l1Liquidity: DatasetComputation = {
  dataset: 'l1_liquidity',
  reads: { quotes: ['bidPrice', 'bidAmount', 'askPrice', 'askAmount'] },
  create: lastAndMeans(7, writeLiquidity),
}
