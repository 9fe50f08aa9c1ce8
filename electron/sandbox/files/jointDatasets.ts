import {
  type EventSource,
  isMetricDatasetId,
  metricDataset,
  metricDatasets,
  type MetricDatasetId,
} from '#shared/catalog/metricDatasets.ts'
import { parseInterval } from '#shared/time.ts'
import { unknownDataset } from '../access/datasets.ts'
import type { MetricFileRecipe } from './fileRecipe.ts'
import { daysOfPeriod } from './periods.ts'

/** Maximum number of rows in a file that is generated together with others. */
const MOST_JOINT_ROWS = 50_000
/**
 * Maximum number of rows in a file that is generated together with trades; writing a larger file would take longer than
 * sharing the events saves.
 */
const MOST_ROWS_WITH_TRADES = 1000

/** Returns the documented dataset whose columns the files of a dataset have. */
export const documentedDataset = (dataset: string): MetricDatasetId =>
  isMetricDatasetId(dataset) ? dataset : unknownDataset.columnsOf

const driversWithTrades: ReadonlySet<EventSource> = new Set(['quotes', 'mark_price', 'book'])

/**
 * Returns the datasets whose files are generated together with a recipe's, because they are computed from the same
 * events and drawing these events is most of the work: whoever reads `flow` usually reads `ohlcv` next. Quotes are
 * drawn together with trades, and a study that reads `l1_liquidity` or `basis` reads prices next; but whoever reads
 * prices may need nothing else. A dataset with many rows or without documentation is generated alone.
 */
export function jointDatasets({
  dataset,
  interval,
  period,
}: Pick<MetricFileRecipe, 'dataset' | 'interval' | 'period'>): string[] {
  const days = daysOfPeriod(period)
  const rows = ((days.end - days.start) * 86_400) / (parseInterval(interval) ?? 1)
  if (!isMetricDatasetId(dataset) || rows > MOST_JOINT_ROWS) return [dataset]
  const { drivingSource } = metricDataset(dataset)
  const hasTrades = rows <= MOST_ROWS_WITH_TRADES && driversWithTrades.has(drivingSource)
  return metricDatasets
    .filter((other) => other.drivingSource === drivingSource || (hasTrades && other.drivingSource === 'trades'))
    .map(({ id }) => id)
}
