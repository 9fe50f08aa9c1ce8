import {
  type EventSource,
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
/** Files with more rows than this cost more to write than the events that they share with those of trades. */
const MOST_ROWS_BESIDE_TRADES = 1000

/** The dataset whose columns a bucket's files have. */
export const datasetOf = (bucket: string): MetricDatasetId =>
  isMetricDatasetId(bucket) ? bucket : unknownBucket.columnsOf

const driversBesideTrades: ReadonlySet<EventSource> = new Set(['quotes', 'mark_price', 'book'])

/**
 * The buckets whose files are made in one work with a job's own, because they come of the same events: one that reads
 * `flow` reads `ohlcv` next, and drawing the events is the larger part of the work. Quotes are drawn together with trades,
 * and a study that reads `l1_liquidity` or `basis` reads prices next; one that reads prices may need nothing else.
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
  const hasTrades = rows <= MOST_ROWS_BESIDE_TRADES && driversBesideTrades.has(driving)
  return metricDatasets
    .filter((other) => other.driving === driving || (hasTrades && other.driving === 'trades'))
    .map(({ id }) => id)
}
