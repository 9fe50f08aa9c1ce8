import type { FactorPanel } from './panel.ts'
import { roundedTo } from './rounding.ts'

/** Trading cost per unit of turnover: 5 bps. */
const costPerTurnover = 5e-4
/** Daily returns are rounded to multiples of 1/`returnParts`. */
const returnParts = 1e10

/**
 * Computes the return from a day's prices with the weights of the day before; an asset whose price is missing on one of
 * the two days returns 0.
 */
export function priceReturn(weights: Float64Array, panel: FactorPanel, i: number): number {
  let sum = 0
  for (let t = 0; t < weights.length; t++) {
    if (weights[t] === 0) continue
    const { close } = panel.series[t]
    const change = close[i] / close[i - 1] - 1
    if (!Number.isNaN(change)) sum += weights[t] * change
  }
  return sum
}

function turnoverOf(weights: Float64Array, before: Float64Array): number {
  let sum = 0
  for (let t = 0; t < weights.length; t++) sum += Math.abs(weights[t] - before[t])
  return sum
}

/** Computes returns after costs for weights held from day `start` of the panel on, one for every row but the first. */
export function createReturns(rows: readonly Float64Array[], panel: FactorPanel, start: number): Float64Array {
  const returns = new Float64Array(Math.max(0, rows.length - 1))
  for (let k = 1; k < rows.length; k++) {
    const gain = priceReturn(rows[k - 1], panel, start + k)
    returns[k - 1] = roundedTo(gain - costPerTurnover * turnoverOf(rows[k], rows[k - 1]), returnParts)
  }
  return returns
}
