import { ValueSorter } from '#shared/statistics/orderValues.ts'
import { pairedCorrelation, RankCorrelator } from './correlations.ts'

const orNull = (value: number): number | null => (Number.isNaN(value) ? null : value)

/** Correlates values of the same length by themselves and by their ranks; null for fewer than 2 pairs or if either side does not vary. */
export function correlate(x: Float64Array, y: Float64Array): { pearson: number | null; spearman: number | null } {
  const count = x.length
  const sorter = new ValueSorter(count)
  const order = sorter.sort(x, count)
  const yByX = new Float64Array(count)
  for (let at = 0; at < count; at++) yByX[at] = y[order[at]]
  return {
    pearson: orNull(pairedCorrelation(x, y, { lag: 0, from: 0, end: count }).r),
    spearman: count < 2 ? null : orNull(new RankCorrelator(count).spearmanOfAscending(sorter.sorted, yByX, count)),
  }
}
