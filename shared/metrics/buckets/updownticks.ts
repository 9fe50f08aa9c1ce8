import type { Bucket } from '../bucket.ts'
import { quotient } from '../quotient.ts'

export const updownticks: Bucket = {
  dataset: 'updownticks',
  reads: { trades: ['price', 'amount'] },
  create: () => {
    const counts = new Float64Array(3)
    const amounts = new Float64Array(3)
    return ({ trades }, row) => {
      const { price, amount } = trades.events
      counts.fill(0)
      amounts.fill(0)
      for (let i = 1; i < trades.count; i++) {
        const tick = 2 - 2 * Number(price[i] > price[i - 1]) - Number(price[i] < price[i - 1])
        counts[tick]++
        amounts[tick] += amount[i]
      }
      const count = counts[0] + counts[1] + counts[2]
      const volume = amounts[0] + amounts[1] + amounts[2]
      for (let tick = 0; tick < 3; tick++) {
        row[tick] = counts[tick]
        row[3 + tick] = amounts[tick]
        row[8 + tick] = quotient(counts[tick], count)
        row[11 + tick] = quotient(amounts[tick], volume)
      }
      row[6] = quotient(amounts[0], amounts[1])
      row[7] = quotient(counts[0], counts[1])
    }
  },
}
