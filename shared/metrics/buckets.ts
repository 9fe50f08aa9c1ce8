import type { MetricDatasetId } from '../catalog/metricDatasets.ts'
import type { Bucket } from './bucket.ts'
import { basis } from './buckets/basis.ts'
import { l2Imbalance, l2Liquidity } from './buckets/book.ts'
import { flow } from './buckets/flow.ts'
import { funding } from './buckets/funding.ts'
import { impact } from './buckets/impact.ts'
import { ohlcv, vtwap } from './buckets/market.ts'
import { openInterest } from './buckets/openInterest.ts'
import { range } from './buckets/range.ts'
import { returns } from './buckets/returns.ts'
import { runStructure } from './buckets/runStructure.ts'
import { slippage } from './buckets/slippage.ts'
import { l1Imbalance, l1Liquidity, l1Price } from './buckets/topOfBook.ts'
import { tradeSize } from './buckets/tradeSize.ts'
import { updownticks } from './buckets/updownticks.ts'

export const buckets: Record<MetricDatasetId, Bucket> = {
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
