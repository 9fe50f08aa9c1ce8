import type { DatasetComputation } from '../datasetComputation.ts'
import { quotient } from '../quotient.ts'

export const updownticks: DatasetComputation = {
  dataset: 'updownticks',
  reads: { trades: ['price', 'amount'] },
  create: () => {
    const amounts = new Float64Array(3)
    return ({ trades }, row) => {
      const { price, amount } = trades.events
      amounts.fill(0)
      let upCount = 0
      let downCount = 0
      let before = price[0]
      for (let i = 1; i < trades.count; i++) {
        const tradePrice = price[i]
        const isUp = Number(tradePrice > before)
        const isDown = Number(tradePrice < before)
        upCount = (upCount + isUp) | 0
        downCount = (downCount + isDown) | 0
        amounts[2 - 2 * isUp - isDown] += amount[i]
        before = tradePrice
      }
      const count = trades.count - 1
      const counts = [upCount, downCount, count - upCount - downCount]
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
