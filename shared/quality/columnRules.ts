import type { MetricColumn } from '../catalog/column.ts'
import { isMetricDatasetId, metricDataset } from '../catalog/metricDatasets.ts'
import { ownNameOf } from '../formula/ownData.ts'

const activityNames = ['n_trades', 'volume', 'quote_update_frequency', 'total_volume', 'volume_total']
const levelNames = ['open', 'close', 'midprice', 'bid_price', 'ask_price', 'vwap', 'twap', 'open_interest']
const priceNames = [...levelNames.filter((name) => name !== 'open_interest'), 'high', 'low']

/** Rules for checking the columns of a dataset. */
export interface QualityRules {
  /** Columns that cannot be negative. */
  nonNegative: string[]
  /** Columns that are always positive. */
  prices: string[]
  /** Columns between 0 and 1. */
  shares: string[]
  /** Columns to check for spikes. */
  levels: string[]
  /** Columns that should change while there is activity. */
  moving: string[]
  /** Columns that show activity in an interval by a positive value. */
  activity: string[]
}

const isMoving = ({ name, kind }: MetricColumn) => levelNames.includes(name) || kind === 'volume' || kind === 'notional'

/**
 * Returns the rules of a dataset; an undocumented dataset has none. Nothing is known of the columns of an own dataset,
 * so that each is one that may spike and that should move.
 * @param present columns that the rows have
 */
export function columnRules(dataset: string, present: Iterable<string>): QualityRules {
  if (ownNameOf(dataset) !== null) {
    const all = [...present]
    return { nonNegative: [], prices: [], shares: [], levels: all, moving: all, activity: [] }
  }
  const columns = isMetricDatasetId(dataset) ? metricDataset(dataset).columns : []
  const namesWhere = (test: (column: MetricColumn) => boolean) => columns.filter(test).map(({ name }) => name)
  return {
    nonNegative: namesWhere(({ kind, large }) => ['count', 'volume', 'notional'].includes(kind) && large === 'high'),
    prices: namesWhere(({ name }) => priceNames.includes(name)),
    // Some fractions are ratios of estimates and may be outside of 0 to 1.
    shares: namesWhere(({ kind, large }) => kind === 'fraction' && large === 'far from 0.5'),
    levels: namesWhere(({ name }) => levelNames.includes(name)),
    moving: dataset === 'funding' ? [] : namesWhere(isMoving),
    activity: namesWhere(({ name }) => activityNames.includes(name)),
  }
}
