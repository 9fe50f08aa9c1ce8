import type { DatasetComputation } from '../datasetComputation.ts'
import { quotient } from '../quotient.ts'

export const vtwap: DatasetComputation = {
  dataset: 'vtwap',
  reads: { trades: ['price', 'amount'] },
  create:
    () =>
    ({ trades }, row) => {
      row[0] = quotient(trades.volumeNotional, trades.volume)
      row[1] = trades.prices.sum / trades.count
    },
}

export const ohlcv: DatasetComputation = {
  dataset: 'ohlcv',
  reads: { trades: ['price', 'amount'] },
  create:
    () =>
    ({ trades }, row) => {
      const { price } = trades.events
      const { high, low } = trades.prices
      row[0] = price[0]
      row[1] = high
      row[2] = low
      row[3] = price[price.length - 1]
      row[4] = trades.volume
      row[5] = trades.volumeNotional
    },
}
