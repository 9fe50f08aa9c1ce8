import { sideCodes } from '../events.ts'
import type { DatasetComputation } from '../datasetComputation.ts'
import { quotient } from '../quotient.ts'

const { unknown, buy, sell } = sideCodes

export const runStructure: DatasetComputation = {
  dataset: 'run_structure',
  reads: { trades: ['price', 'side'] },
  create: () => {
    const longest = new Int32Array(3)
    return ({ trades: { events, count } }, row) => {
      const { price, side } = events
      longest.fill(0)
      let first = 0
      while (first < count && side[first] === unknown) first++
      if (first === count) return
      let current: number = unknown
      let length = 0
      let lastPrice = price[first]
      let changeSum = 0
      let runCount = 0
      let knownCount = 0
      let buyCount = 0
      for (let i = first; i < count; i++) {
        const tradeSide = side[i]
        if (tradeSide === unknown) continue
        // `isNew` is a number rather than a branch, because sides alternate too irregularly for branch prediction.
        const isNew = Number(tradeSide !== current)
        length = (Math.imul(length, 1 - isNew) + 1) | 0
        runCount = (runCount + isNew) | 0
        knownCount = (knownCount + 1) | 0
        buyCount = (buyCount + Number(tradeSide === buy)) | 0
        if (length > longest[tradeSide]) longest[tradeSide] = length
        // The first trade starts a run but has no predecessor: comparing it with its own price adds 0.
        const tradePrice = price[i]
        changeSum += isNew * Math.abs((tradePrice - lastPrice) / lastPrice)
        current = tradeSide
        lastPrice = tradePrice
      }
      // Runs of buys and sells alternate, so the side that begins has half of the runs, rounded up.
      const buyRunCount = (runCount + Number(side[first] === buy)) >> 1
      const sellRunCount = runCount - buyRunCount
      row[0] = longest[buy]
      row[1] = longest[sell]
      row[2] = buyRunCount === 0 ? 0 : buyCount / buyRunCount
      row[3] = sellRunCount === 0 ? 0 : (knownCount - buyCount) / sellRunCount
      row[4] = (longest[buy] - longest[sell]) / (longest[buy] + longest[sell])
      row[5] = (runCount - 1) / knownCount
      row[6] = quotient(changeSum, runCount - 1)
    }
  },
}
