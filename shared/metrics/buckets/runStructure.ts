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
      let first = 0
      while (first < count && side[first] === unknown) first++
      if (first === count) return
      let current: number = unknown
      let length = 0
      let lastPrice = price[first]
      let changes = 0
      for (let i = first; i < count; i++) {
        const ownSide = side[i]
        if (ownSide === unknown) continue
        // A number instead of a branch, because sides alternate too irregularly for branch prediction.
        const isNew = Number(ownSide !== current)
        length = length * (1 - isNew) + 1
        runs[ownSide] += isNew
        trades[ownSide]++
        if (length > longest[ownSide]) longest[ownSide] = length
        // The first trade starts a run but has no predecessor: comparing it with its own price adds 0.
        changes += isNew * Math.abs((price[i] - lastPrice) / lastPrice)
        current = ownSide
        lastPrice = price[i]
      }
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
