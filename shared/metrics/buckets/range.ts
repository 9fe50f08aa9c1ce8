import type { Bucket } from '../bucket.ts'
import { kurtosis, momentsOf, skewness, variance } from '../moments.ts'
import { quantile } from '../quantile.ts'
import { quotient } from '../quotient.ts'

export const range: Bucket = {
  dataset: 'range',
  reads: { trades: ['price'] },
  create:
    () =>
    ({ trades }, row) => {
      const { price } = trades.events
      const moments = momentsOf(price)
      const priceVariance = variance(moments)
      const spread = moments.max - moments.min
      row[0] = spread
      row[1] = quotient(spread, price[trades.count - 1]) * 1e4
      row[2] = moments.mean
      row[3] = quantile(price, 1, 2)
      row[4] = Math.sqrt(priceVariance)
      row[5] = priceVariance
      row[6] = skewness(moments)
      row[7] = kurtosis(moments)
      row[8] = quotient(moments.max, moments.min)
      row[9] = quotient(Math.sqrt(priceVariance), moments.mean)
    },
}
