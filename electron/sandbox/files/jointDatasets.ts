import {
  type EventSource,
  isMetricDatasetId,
  metricDataset,
  metricDatasets,
  type MetricDatasetId,
} from '#shared/catalog/metricDatasets.ts'
import { parseInterval } from '#shared/time.ts'
import { unknownBucket } from '../access/buckets.ts'
import type { MetricFileRecipe } from './fileRecipe.ts'
import { daysOfPeriod } from './periods.ts'

/** Maximum number of rows in a file that is generated together with others. */
const MOST_JOINT_ROWS = 50_000
/**
 * Maximum number of rows in a file that is generated together with trades; writing a larger file would take longer than
 * sharing the events saves.
 */
const MOST_ROWS_WITH_TRADES = 1000

/** Returns the dataset whose columns the files of a bucket have. */
export const datasetOf = (bucket: string): MetricDatasetId =>
  isMetricDatasetId(bucket) ? bucket : unknownBucket.columnsOf

const driversWithTrades: ReadonlySet<EventSource> = new Set(['quotes', 'mark_price', 'book'])

/**
 * Returns the buckets whose files are generated together with a recipe's, because they are computed from the same
 * events and drawing these events is most of the work: whoever reads `flow` usually reads `ohlcv` next. Quotes are
 * drawn together with trades, and a study that reads `l1_liquidity` or `basis` reads prices next; but whoever reads
 * prices may need nothing else.
 */
export function jointBuckets({
  bucket,
  interval,
  period,
}: Pick<MetricFileRecipe, 'bucket' | 'interval' | 'period'>): string[] {
  const days = daysOfPeriod(period)
  const rows = ((days.end - days.start) * 86_400) / (parseInterval(interval) ?? 1)
  if (!isMetricDatasetId(bucket) || rows > MOST_JOINT_ROWS) return [bucket]
  const { drivingSource } = metricDataset(bucket)
  const hasTrades = rows <= MOST_ROWS_WITH_TRADES && driversWithTrades.has(drivingSource)
  return metricDatasets
    .filter((other) => other.drivingSource === drivingSource || (hasTrades && other.drivingSource === 'trades'))
    .map(({ id }) => id)
}
