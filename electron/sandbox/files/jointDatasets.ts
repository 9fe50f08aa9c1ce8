import {
  isMetricDatasetId,
  metricDataset,
  metricDatasets,
  type MetricDatasetId,
} from '#shared/catalog/metricDatasets.ts'
import { parseInterval } from '#shared/time.ts'
import { unknownBucket } from '../access/buckets.ts'
import type { MetricFileJob } from './fileJob.ts'
import { daysOfPeriod } from './periods.ts'

/** Files with more rows than this are made alone. */
const MOST_JOINT_ROWS = 50_000

/** The dataset whose columns a bucket's files have. */
export const datasetOf = (bucket: string): MetricDatasetId =>
  isMetricDatasetId(bucket) ? bucket : unknownBucket.columnsOf

/**
 * The buckets whose files are made in one work with a job's own, because they come of the same events: one that reads
 * `flow` reads `ohlcv` next, and drawing the events is the larger part of the work.
 */
export function jointBuckets({
  bucket,
  interval,
  period,
}: Pick<MetricFileJob, 'bucket' | 'interval' | 'period'>): string[] {
  const days = daysOfPeriod(period)
  const rows = ((days.end - days.start) * 86_400) / (parseInterval(interval) ?? 1)
  if (!isMetricDatasetId(bucket) || rows > MOST_JOINT_ROWS) return [bucket]
  const { driving } = metricDataset(bucket)
  return metricDatasets.filter((other) => other.driving === driving).map(({ id }) => id)
}
