import { intervalTier, isInterval } from './intervals.ts'
import { isMetricDatasetId, metricDataset } from './metricDatasets.ts'

/** Returns the documented minimum tier of a metric dataset at an interval; null if none is documented. */
export function neededTier(dataset: string, interval: string): number | null {
  const fromDataset = isMetricDatasetId(dataset) ? metricDataset(dataset).minTier : null
  const fromInterval = isInterval(interval) ? intervalTier(interval) : 0
  return fromDataset === null && fromInterval === 0 ? null : Math.max(fromDataset ?? 0, fromInterval)
}
