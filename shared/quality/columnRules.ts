import type { MetricColumn } from '../catalog/column.ts'
import { isMetricDatasetId, metricDataset } from '../catalog/metricDatasets.ts'

const activityNames = ['n_trades', 'volume', 'quote_update_frequency', 'total_volume', 'volume_total']
const levelNames = ['open', 'close', 'midprice', 'bid_price', 'ask_price', 'vwap', 'twap', 'open_interest']
const priceNames = [...levelNames.filter((name) => name !== 'open_interest'), 'high', 'low']

/** Rules by which the columns of a dataset are checked. */
export interface ColumnRules {
  /** Columns that cannot be negative. */
  positive: string[]
  /** Columns that are above 0. */
  prices: string[]
  /** Columns between 0 and 1. */
  shares: string[]
  /** Columns that are inspected for spikes. */
  levels: string[]
  /** Columns that should move while there is activity. */
  moving: string[]
  /** Columns whose value above 0 means that something happened in the interval. */
  activity: string[]
}

const isMoving = ({ name, kind }: MetricColumn) => levelNames.includes(name) || kind === 'volume' || kind === 'notional'

/** Returns the rules of a dataset; a dataset that no document names has none. */
export function columnRules(dataset: string): ColumnRules {
  const columns = isMetricDatasetId(dataset) ? metricDataset(dataset).columns : []
  const names = (test: (column: MetricColumn) => boolean) => columns.filter(test).map(({ name }) => name)
  return {
    positive: names(({ kind, large }) => ['count', 'volume', 'notional'].includes(kind) && large === 'high'),
    prices: names(({ name }) => priceNames.includes(name)),
    // Some fractions are ratios of estimates and may lie outside.
    shares: names(({ kind, large }) => kind === 'fraction' && large === 'far from 0.5'),
    levels: names(({ name }) => levelNames.includes(name)),
    moving: dataset === 'funding' ? [] : names(isMoving),
    activity: names(({ name }) => activityNames.includes(name)),
  }
}
