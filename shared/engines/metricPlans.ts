import type { MetricDatasetId } from '../catalog/metricDatasets.ts'
import { basis, funding, openInterest } from './buckets/derivatives.ts'
import { flow } from './buckets/flow.ts'
import { impact } from './buckets/impact.ts'
import { returns } from './buckets/returns.ts'
import { runStructure } from './buckets/runs.ts'
import { slippage } from './buckets/slippage.ts'
import { l1Imbalance, l1Liquidity, l1Price } from './buckets/topOfBook.ts'
import { ohlcv, range, tradeSize, updownticks, vtwap } from './buckets/trades.ts'
import type { MetricPlan, PlannedDatasetId } from './plan.ts'

export const metricPlans: Record<PlannedDatasetId, MetricPlan> = {
  flow,
  trade_size: tradeSize,
  range,
  impact,
  updownticks,
  run_structure: runStructure,
  returns,
  slippage,
  vtwap,
  ohlcv,
  basis,
  funding,
  open_interest: openInterest,
  l1_price: l1Price,
  l1_imbalance: l1Imbalance,
  l1_liquidity: l1Liquidity,
}

export const isPlanned = (dataset: MetricDatasetId): dataset is PlannedDatasetId => Object.hasOwn(metricPlans, dataset)
