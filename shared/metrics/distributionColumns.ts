import { excessKurtosis, type Moments, skewness, variance } from '../statistics/moments.ts'
import * as plan from './expressions.ts'
import type { Aggregate, Value } from './plan.ts'
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

/** Returns the aggregates that describe the distribution of a column prepared by `centre`. */
export const distributionAggregates = (column: string): Record<string, Aggregate> => ({
  [`${column}_interval_mean`]: plan.mean(column),
  [`${column}_middle`]: plan.quantile(column, 1, 2),
  [`${column}_sample_variance`]: plan.variance(`${column}_distance`),
  [`${column}_skew`]: plan.skewness(`${column}_distance`),
  [`${column}_tails`]: plan.kurtosis(`${column}_distance`),
})

/** Returns the six columns `<prefix>_mean` to `<prefix>_kurtosis` from `distributionAggregates`. */
export const distributionColumns = (prefix: string, column: string): Record<string, Value> => ({
  [`${prefix}_mean`]: plan.value(`${column}_interval_mean`),
  [`${prefix}_median`]: plan.value(`${column}_middle`),
  [`${prefix}_std`]: plan.sqrt(`${column}_sample_variance`),
  [`${prefix}_variance`]: plan.value(`${column}_sample_variance`),
  [`${prefix}_skewness`]: plan.value(`${column}_skew`),
  [`${prefix}_kurtosis`]: plan.value(`${column}_tails`),
})
