import type { DatasetComputation } from '../datasetComputation.ts'
import { momentsOf } from '../../statistics/moments.ts'
import { writeDistribution } from '../distributionColumns.ts'
import { quotient } from '../quotient.ts'

export const tradeSize: DatasetComputation = {
  dataset: 'trade_size',
  reads: { trades: ['price', 'amount'] },
  create:
    () =>
    ({ trades }, row) => {
      const { notional, count, amount: volume } = trades.sizeSums
      const { amount } = trades.events
      for (let size = 0; size < 3; size++) {
        row[size] = notional[size]
        row[3 + size] = count[size]
        row[8 + size] = quotient(row[size], volume)
        row[11 + size] = row[3 + size] / trades.count
      }
      row[6] = volume
      row[7] = trades.count
      const moments = momentsOf(amount)
      writeDistribution(row, 14, amount, moments)
      row[20] = moments.min
      row[21] = moments.max
      row[22] = quotient(moments.max, moments.min)
      row[23] = quotient(row[16], moments.mean)
    },
}
