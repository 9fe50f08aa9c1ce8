import { metricDatasets } from '../catalog/metricDatasets.ts'

/** Default columns of datasets whose first column is not the most useful one. */
const defaultsByDataset: Record<string, string> = { ohlcv: 'close', flow: 'volume_delta', basis: 'basis_bps' }

/**
 * Returns the default column of a dataset; null for an undocumented one, and for portfolio datasets without returns.
 */
export function defaultColumn(dataset: string): string | null {
  if (dataset === 'tested_portfolio' || dataset === 'portfolio_returns') return 'equity'
  const columns = metricDatasets.find(({ id }) => id === dataset)?.columns.map(({ name }) => name) ?? []
  return columns.find((name) => name === defaultsByDataset[dataset]) ?? columns.at(0) ?? null
}

/** Returns the default style of a column. */
export const defaultStyle = (dataset: string, column: string): 'candles' | 'line' =>
  dataset === 'ohlcv' && column === 'close' ? 'candles' : 'line'
