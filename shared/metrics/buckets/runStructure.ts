import { sideCodes } from '../events.ts'
import type { Bucket } from '../bucket.ts'
import { quotient } from '../quotient.ts'

const { unknown, buy, sell } = sideCodes

export const runStructure: Bucket = {
  dataset: 'run_structure',
  reads: { trades: ['price', 'side'] },
  create: () => {
    const longest = new Float64Array(3)
    const runs = new Float64Array(3)
    const trades = new Float64Array(3)
    return ({ trades: { events, count } }, row) => {
      const { price, side } = events
      longest.fill(0)
      runs.fill(0)
      trades.fill(0)
      let current: number = unknown
      let length = 0
      let lastPrice = 0
      let changes = 0
      for (let i = 0; i < count; i++) {
        const of = side[i]
        if (of === unknown) continue
        if (of !== current) {
          if (current !== unknown) changes += Math.abs((price[i] - lastPrice) / lastPrice)
          if (length > longest[current]) longest[current] = length
          runs[of]++
          current = of
          length = 0
        }
        length++
        trades[of]++
        lastPrice = price[i]
      }
      if (current === unknown) return
      if (length > longest[current]) longest[current] = length
      const flips = runs[buy] + runs[sell] - 1
      row[0] = longest[buy]
      row[1] = longest[sell]
      row[2] = runs[buy] === 0 ? 0 : trades[buy] / runs[buy]
      row[3] = runs[sell] === 0 ? 0 : trades[sell] / runs[sell]
      row[4] = (longest[buy] - longest[sell]) / (longest[buy] + longest[sell])
      row[5] = flips / (trades[buy] + trades[sell])
      row[6] = quotient(changes, flips)
    }
  },
}
