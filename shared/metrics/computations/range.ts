import type { DatasetComputation } from '../datasetComputation.ts'
import { momentsOf } from '../../statistics/moments.ts'
import { writeDistribution } from '../distributionColumns.ts'
import { quotient } from '../quotient.ts'

export const range: DatasetComputation = {
  dataset: 'range',
  reads: { trades: ['price'] },
  create:
    () =>
    ({ trades }, row) => {
      const { price } = trades.events
      const moments = momentsOf(price)
      const priceRange = moments.max - moments.min
      row[0] = priceRange
      row[1] = quotient(priceRange, price[trades.count - 1]) * 1e4
      writeDistribution(row, 2, price, moments)
      row[8] = quotient(moments.max, moments.min)
      row[9] = quotient(row[4], moments.mean)
    },
}
