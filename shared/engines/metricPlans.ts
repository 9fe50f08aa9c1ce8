import type { MetricDatasetId } from '../catalog/metricDatasets.ts'
import { basis, funding, openInterest } from './plans/derivatives.ts'
import { flow } from './plans/flow.ts'
import { impact } from './plans/impact.ts'
import { returns } from './plans/returns.ts'
import { runStructure } from './plans/runs.ts'
import { slippage } from './plans/slippage.ts'
import { l1Imbalance, l1Liquidity, l1Price } from './plans/topOfBook.ts'
import { ohlcv, range, tradeSize, updownticks, vtwap } from './plans/trades.ts'
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

export const hasMetricPlan = (dataset: MetricDatasetId): dataset is PlannedDatasetId =>
  Object.hasOwn(metricPlans, dataset)
