import { metricDatasets } from '../catalog/metricDatasets.ts'

/** Default columns of datasets whose first column is not the one to show. */
const byDataset: Record<string, string> = { ohlcv: 'close', flow: 'volume_delta', basis: 'basis_bps' }

/** The column to show of a dataset if none was chosen; null for a dataset that the documents do not know. */
export function defaultColumn(dataset: string): string | null {
  if (dataset === 'tested_portfolio' || dataset === 'portfolio_returns') return 'equity'
  const columns = metricDatasets.find(({ id }) => id === dataset)?.columns.map(({ name }) => name) ?? []
  return columns.find((name) => name === byDataset[dataset]) ?? columns.at(0) ?? null
}

/** Picks the default style of a column. */
export const defaultStyle = (dataset: string, column: string): 'candles' | 'line' =>
  dataset === 'ohlcv' && column === 'close' ? 'candles' : 'line'
