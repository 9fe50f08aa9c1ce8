import type { MetricDatasetId } from '../catalog/metricDatasets.ts'
import { basisPlan, fundingPlan, openInterestPlan } from './plans/derivatives.ts'
import { flowPlan } from './plans/flow.ts'
import { impactPlan } from './plans/impact.ts'
import { returnsPlan } from './plans/returns.ts'
import { runStructurePlan } from './plans/runs.ts'
import { slippagePlan } from './plans/slippage.ts'
import { l1ImbalancePlan, l1LiquidityPlan, l1PricePlan } from './plans/topOfBook.ts'
import { ohlcvPlan, rangePlan, tradeSizePlan, updownticksPlan, vtwapPlan } from './plans/trades.ts'
import type { MetricPlan, PlannedDatasetId } from './plan.ts'

export const metricPlans: Record<PlannedDatasetId, MetricPlan> = {
  flow: flowPlan,
  trade_size: tradeSizePlan,
  range: rangePlan,
  impact: impactPlan,
  updownticks: updownticksPlan,
  run_structure: runStructurePlan,
  returns: returnsPlan,
  slippage: slippagePlan,
  vtwap: vtwapPlan,
  ohlcv: ohlcvPlan,
  basis: basisPlan,
  funding: fundingPlan,
  open_interest: openInterestPlan,
  l1_price: l1PricePlan,
  l1_imbalance: l1ImbalancePlan,
  l1_liquidity: l1LiquidityPlan,
}

export const hasMetricPlan = (dataset: MetricDatasetId): dataset is PlannedDatasetId =>
  Object.hasOwn(metricPlans, dataset)
