import { intervalTier, isInterval } from './intervals.ts'
import { isMetricDatasetId, metricDataset } from './metricDatasets.ts'

/** Returns the documented minimum tier of a metric dataset at an interval; null if none is documented. */
export function neededTier(dataset: string, interval: string): number | null {
  const datasetTier = isMetricDatasetId(dataset) ? metricDataset(dataset).minTier : null
  const ofInterval = isInterval(interval) ? intervalTier(interval) : 0
  return datasetTier === null && ofInterval === 0 ? null : Math.max(datasetTier ?? 0, ofInterval)
}
