import type { MetricDatasetId } from '../catalog/metricDatasets.ts'
import type { DatasetComputation } from './datasetComputation.ts'
import type { MetricPlan, PlannedDatasetId } from './plan.ts'
import { basis } from './computations/basis.ts'
import { l2Imbalance, l2Liquidity } from './computations/book.ts'
import { flow } from './computations/flow.ts'
import { funding } from './computations/funding.ts'
import { impact } from './computations/impact.ts'
import { ohlcv, vtwap } from './computations/market.ts'
import { openInterest } from './computations/openInterest.ts'
import { range } from './computations/range.ts'
import { returns } from './computations/returns.ts'
import { runStructure } from './computations/runStructure.ts'
import { slippage } from './computations/slippage.ts'
import { l1Imbalance, l1Liquidity, l1Price } from './computations/topOfBook.ts'
import { tradeSize } from './computations/tradeSize.ts'
import { updownticks } from './computations/updownticks.ts'

export const datasetComputations: Record<MetricDatasetId, DatasetComputation> = {
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
  l2_imbalance: l2Imbalance,
  l2_liquidity: l2Liquidity,
}

/** Plans of the datasets that other engines can compute. */
export const metricPlans = Object.fromEntries(
  Object.values(datasetComputations).flatMap(({ dataset, plan }) => (plan ? [[dataset, plan]] : [])),
) as Record<PlannedDatasetId, MetricPlan>

export const hasMetricPlan = (dataset: MetricDatasetId): dataset is PlannedDatasetId =>
  Object.hasOwn(metricPlans, dataset)
