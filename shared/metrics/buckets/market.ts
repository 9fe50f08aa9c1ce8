import type { Bucket } from '../bucket.ts'
import { quotient } from '../quotient.ts'

export const vtwap: Bucket = {
  dataset: 'vtwap',
  reads: { trades: ['price', 'amount'] },
  create:
    () =>
    ({ trades }, row) => {
      const { price } = trades.events
      let prices = 0
      for (let i = 0; i < price.length; i++) prices += price[i]
      row[0] = quotient(trades.volumeNotional, trades.volume)
      row[1] = prices / price.length
    },
}

export const ohlcv: Bucket = {
  dataset: 'ohlcv',
  reads: { trades: ['price', 'amount'] },
  create:
    () =>
    ({ trades }, row) => {
      const { price } = trades.events
      let high = price[0]
      let low = high
      for (let i = 1; i < price.length; i++) {
        if (price[i] > high) high = price[i]
        if (price[i] < low) low = price[i]
      }
      row[0] = price[0]
      row[1] = high
      row[2] = low
      row[3] = price[price.length - 1]
      row[4] = trades.volume
      row[5] = trades.volumeNotional
    },
}
