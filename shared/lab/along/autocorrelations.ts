import { keepsDigits, scaledToSquare } from '#shared/statistics/squaring.ts'
import { meanOf, presentOf, varies } from '../samples.ts'
import { laggedProducts } from './laggedProducts.ts'

/** Computes autocorrelations up to a lag of √n, where n is the number of times; all 0 if the values are constant. */
export function autocorrelationsOf(values: Float64Array): Float64Array {
  const largestLag = Math.floor(Math.sqrt(values.length))
  const present = presentOf(values)
  if (!varies(present)) return new Float64Array(largestLag + 1)
  const deviations = deviationsFrom(meanOf(present) ?? NaN, values)
  const products = laggedProducts(
    keepsDigits(sumOfSquares(deviations)) ? deviations : scaledDeviations(values),
    largestLag,
  )
  return products.map((product, lag) => (lag === 0 ? 0 : product / products[0]))
}

/** Deviations from the mean in a unit in which their squares neither overflow nor underflow. */
function scaledDeviations(values: Float64Array): Float64Array {
  const { scaled } = scaledToSquare(values)
  return deviationsFrom(meanOf(presentOf(scaled)) ?? NaN, scaled)
}

/** Subtracts the mean; 0 for missing values. */
function deviationsFrom(mean: number, values: Float64Array): Float64Array {
  const deviations = new Float64Array(values.length)
  for (let time = 0; time < values.length; time++)
    if (values[time] === values[time]) deviations[time] = values[time] - mean
  return deviations
}

function sumOfSquares(values: Float64Array): number {
  let sum = 0
  for (let at = 0; at < values.length; at++) sum += values[at] * values[at]
  return sum
}

/** Computes the effective number of pairs, which is smaller if both series are autocorrelated. */
export function effectiveCount(a: Float64Array, b: Float64Array, n: number): number {
  const largestLag = Math.min(a.length - 1, n - 1)
  let sum = 0
  for (let lag = 1; lag <= largestLag; lag++) sum += (1 - lag / n) * a[lag] * b[lag]
  return n / Math.max(1, 1 + 2 * sum)
}
