import { sideCodes } from '../events.ts'
import type { DatasetComputation } from '../datasetComputation.ts'
import { quotient } from '../quotient.ts'

const { buy, sell } = sideCodes

/**
 * Computes the entropy of two shares. The logarithm of a share close to 1 is computed from the other share, which keeps
 * its digits.
 */
function entropyOf(bought: number, sold: number): number {
  const lesser = quotient(Math.min(bought, sold), bought + sold)
  return lesser === 0 ? 0 : -lesser * Math.log(lesser) - (1 - lesser) * Math.log1p(-lesser)
}

/**
 * Computes the trade flow. `flow_toxicity_score` compares an interval with the earlier ones of its UTC day, empty ones
 * included. This computation only stores the realised volatility of the interval in that column, and `ToxicityPass`
 * replaces it by the score once the gaps are filled.
 */
export const flow: DatasetComputation = {
  dataset: 'flow',
  reads: { trades: ['price', 'amount', 'side'] },
  create:
    () =>
    ({ trades }, row) => {
      const { amount, notional, count } = trades.classSums
      const bought = amount[buy]
      const sold = amount[sell]
      const buyCount = trades.sideCount(buy)
      const sellCount = trades.sideCount(sell)
      row[0] = bought
      row[1] = sold
      row[2] = buyCount
      row[3] = sellCount
      row[4] = bought - sold
      row[5] = trades.sideNotional(buy) - trades.sideNotional(sell)
      row[6] = entropyOf(bought, sold)
      row[7] = Math.sqrt(trades.squaredReturns)
      row[8] = quotient(bought, sold)
      row[9] = quotient(buyCount, sellCount)
      row[10] = quotient(bought, bought + sold)
      row[11] = quotient(buyCount, buyCount + sellCount)
      let at = 12
      for (const side of [buy, sell]) {
        for (let sizeClass = 0; sizeClass < 3; sizeClass++) {
          row[at++] = notional[side * 3 + sizeClass]
          row[at++] = count[side * 3 + sizeClass]
          row[at++] = quotient(notional[side * 3 + sizeClass], amount[side])
          row[at++] = quotient(count[side * 3 + sizeClass], side === buy ? buyCount : sellCount)
        }
      }
    },
}
