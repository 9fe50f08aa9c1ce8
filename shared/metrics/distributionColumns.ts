import { excessKurtosis, type Moments, skewness, variance } from '../statistics/moments.ts'
import { quantile } from './quantile.ts'

/**
 * Writes the six distribution columns, starting at index `at`: mean, median, standard deviation, variance, skewness and
 * kurtosis.
 */
export function writeDistribution(row: Float64Array, at: number, values: Float64Array, moments: Moments): void {
  row[at] = moments.mean
  row[at + 1] = quantile(values, 1, 2)
  row[at + 3] = variance(moments)
  row[at + 2] = Math.sqrt(row[at + 3])
  row[at + 4] = skewness(moments)
  row[at + 5] = excessKurtosis(moments)
}
