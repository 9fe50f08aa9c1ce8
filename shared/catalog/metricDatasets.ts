import type { MetricColumn } from './column.ts'
import { l2ImbalanceColumns, l2LiquidityColumns } from './columns/book.ts'
import { basisColumns, fundingColumns, openInterestColumns } from './columns/derivatives.ts'
import { flowColumns } from './columns/flow.ts'
import { impactColumns } from './columns/impact.ts'
import { ohlcvColumns, vtwapColumns } from './columns/market.ts'
import { rangeColumns } from './columns/range.ts'
import { returnsColumns } from './columns/returns.ts'
import { runStructureColumns } from './columns/runStructure.ts'
import { slippageColumns } from './columns/slippage.ts'
import { l1ImbalanceColumns, l1LiquidityColumns, l1PriceColumns } from './columns/topOfBook.ts'
import { tradeSizeColumns } from './columns/tradeSize.ts'
import { updownticksColumns } from './columns/updownticks.ts'
import type { RawDatasetId } from './rawDatasets.ts'
import type { Tier } from './tiers.ts'

export const metricDatasetIds = [
  'flow',
  'trade_size',
  'range',
  'impact',
  'updownticks',
  'run_structure',
  'returns',
  'slippage',
  'vtwap',
  'ohlcv',
  'basis',
  'funding',
  'open_interest',
  'l1_price',
  'l1_imbalance',
  'l1_liquidity',
  'l2_imbalance',
  'l2_liquidity',
] as const

export type MetricDatasetId = (typeof metricDatasetIds)[number]

export type MetricCategory = 'Trades' | 'Market data' | 'Derivatives' | 'L1 top of book' | 'L2 order book'

/** Inputs that a metric is computed from; `book` means order-book snapshots, for which there is no raw dataset. */
export type EventSource = RawDatasetId | 'book'

interface MetricDataset {
  id: MetricDatasetId
  name: string
  category: MetricCategory
  description: string
  /** Lowest tier that includes the dataset; null if the service does not say. */
  minTier: Tier | null
  /** Source whose events create the rows. */
  drivingSource: EventSource
  /** Other sources whose latest values are read at each driving event. */
  asOf: readonly EventSource[]
  /** Columns besides `time`, in file order. */
  columns: readonly MetricColumn[]
}

type DatasetDescription = Omit<MetricDataset, 'id' | 'asOf'> & { asOf?: readonly EventSource[] }

const trades = { category: 'Trades', drivingSource: 'trades' } as const
const topOfBook = { category: 'L1 top of book', drivingSource: 'quotes' } as const
const orderBook = { category: 'L2 order book', drivingSource: 'book', minTier: 3 } as const
const derivatives = { category: 'Derivatives', minTier: null } as const

const descriptionById: Record<MetricDatasetId, DatasetDescription> = {
  flow: {
    ...trades,
    name: 'Order flow',
    description: 'Taker buying against taker selling, by size class',
    minTier: 1,
    columns: flowColumns,
  },
  trade_size: {
    ...trades,
    name: 'Trade size',
    description: 'How large trades are: classes and statistics of trade amounts',
    minTier: 1,
    columns: tradeSizeColumns,
  },
  range: {
    ...trades,
    name: 'Price range',
    description: 'Range and distribution of trade prices',
    minTier: 1,
    columns: rangeColumns,
  },
  impact: {
    ...trades,
    name: 'Price impact',
    description: 'How far trades move the price',
    minTier: 2,
    columns: impactColumns,
  },
  updownticks: {
    ...trades,
    name: 'Up and down ticks',
    description: 'Trades above, below and at the price of the trade before',
    minTier: 2,
    columns: updownticksColumns,
  },
  run_structure: {
    ...trades,
    name: 'Run structure',
    description: 'Runs of trades on the same side, and what happens where the side flips',
    minTier: 2,
    columns: runStructureColumns,
  },
  returns: {
    ...trades,
    name: 'Returns and volatility',
    description: 'Variance, jumps, autocorrelation and trend of trade-to-trade returns',
    minTier: 2,
    columns: returnsColumns,
  },
  slippage: {
    ...trades,
    name: 'Slippage',
    description: 'Trade prices against the prevailing top-of-book quote',
    minTier: 2,
    asOf: ['quotes'],
    columns: slippageColumns,
  },
  vtwap: {
    category: 'Market data',
    drivingSource: 'trades',
    name: 'VWAP and TWAP',
    description: 'Volume-weighted and plain average trade price',
    minTier: 0,
    columns: vtwapColumns,
  },
  ohlcv: {
    category: 'Market data',
    drivingSource: 'trades',
    name: 'Candles',
    description: 'Open, high, low, close, volume and notional volume',
    minTier: null,
    columns: ohlcvColumns,
  },
  basis: {
    ...derivatives,
    name: 'Basis',
    description: 'Mark price against index price and last trade price',
    drivingSource: 'mark_price',
    asOf: ['index_price', 'trades'],
    columns: basisColumns,
  },
  funding: {
    ...derivatives,
    name: 'Funding',
    description: 'Funding rate and how often it is updated',
    drivingSource: 'funding_rate',
    columns: fundingColumns,
  },
  open_interest: {
    ...derivatives,
    name: 'Open interest',
    description: 'Open interest, its changes, and how they relate to changes of the mark price',
    drivingSource: 'open_interest',
    asOf: ['mark_price'],
    columns: openInterestColumns,
  },
  l1_price: {
    ...topOfBook,
    name: 'Top-of-book prices',
    description: 'Best prices, mid prices and their averages',
    minTier: 2,
    columns: l1PriceColumns,
  },
  l1_imbalance: {
    ...topOfBook,
    name: 'Top-of-book imbalance',
    description: 'Best-bid against best-ask amount',
    minTier: 3,
    columns: l1ImbalanceColumns,
  },
  l1_liquidity: {
    ...topOfBook,
    name: 'Top-of-book liquidity',
    description: 'Spread and depth at the best prices',
    minTier: 3,
    columns: l1LiquidityColumns,
  },
  l2_imbalance: {
    ...orderBook,
    name: 'Order-book imbalance',
    description: 'Bid against ask amount over the top 5, 10, 20 and 25 levels',
    columns: l2ImbalanceColumns,
  },
  l2_liquidity: {
    ...orderBook,
    name: 'Order-book depth',
    description: 'Amount on each side over the top 5, 10, 20 and 25 levels',
    columns: l2LiquidityColumns,
  },
}

export const metricDatasets: readonly MetricDataset[] = metricDatasetIds.map((id) => ({
  id,
  asOf: [],
  ...descriptionById[id],
}))

export const isMetricDatasetId = (id: string): id is MetricDatasetId => Object.hasOwn(descriptionById, id)

export function metricDataset(id: MetricDatasetId): MetricDataset {
  return metricDatasets[metricDatasetIds.indexOf(id)]
}

/** Returns the columns that files of a service have; the others are computed on this machine only. */
export const servedColumns = ({ columns }: Pick<MetricDataset, 'columns'>): readonly MetricColumn[] =>
  columns.filter(({ origin }) => origin === 'service')
