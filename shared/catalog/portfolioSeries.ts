import { column, last, type MetricColumn } from './column.ts'
import type { KnownDataset } from './knownDatasets.ts'
import type { PortfolioExchange, Smoothing } from './portfolioEndpoints.ts'
import type { HistoryRequest } from './portfolioRequest.ts'

/** Venue under which histories of the portfolio service are stored as series. */
export const PORTFOLIO_VENUE = 'portfolio'

/** Datasets of served portfolios by day: returns, and weights and factors with a column for each ticker. */
export const portfolioDatasetIds = ['portfolio_returns', 'portfolio_weights', 'portfolio_factors'] as const
export type PortfolioDatasetId = (typeof portfolioDatasetIds)[number]

export const isPortfolioDataset = (id: string): id is PortfolioDatasetId =>
  portfolioDatasetIds.some((each) => each === id)

/** Endpoint of the histories behind each dataset. */
export const portfolioDatasetEndpoints = {
  portfolio_returns: 'returns',
  portfolio_weights: 'history',
  portfolio_factors: 'factors',
} as const satisfies Record<PortfolioDatasetId, HistoryRequest['endpoint']>

const GAP = 'Null on a day without a value of the service'

const returnsColumns: readonly MetricColumn[] = [
  column('equity', 'Equity, growth of 1', 'ratio', 'none', 'Growth of 1: Π (1 + return) from the first day', {
    nullRule: GAP,
    resample: last,
  }),
  column('return', 'Return', 'return', 'return', 'Return of the day, as the service has it', { nullRule: GAP }),
]

/** Finds a column of a portfolio dataset; any column of weights and factors is a ticker. */
export function portfolioColumn(dataset: string, name: string): MetricColumn | undefined {
  if (dataset === 'portfolio_returns') return returnsColumns.find((each) => each.name === name)
  if (dataset === 'portfolio_weights')
    return column(name, `Weight of ${name}`, 'fraction', 'none', `Weight of ${name} at the end of the day`, {
      nullRule: GAP,
      resample: last,
      large: 'far from 0',
    })
  if (dataset !== 'portfolio_factors') return undefined
  return column(name, `Factor of ${name}`, 'statistic', 'none', `Value of the factor for ${name} on the day`, {
    nullRule: GAP,
    resample: last,
  })
}

const datasetNames: Record<PortfolioDatasetId, string> = {
  portfolio_returns: 'Portfolio returns',
  portfolio_weights: 'Portfolio weights',
  portfolio_factors: 'Portfolio factors',
}

/** Describes a portfolio dataset with these columns, as one that a series can be picked from. */
export const portfolioDataset = (id: PortfolioDatasetId, names: readonly string[]): KnownDataset => ({
  id,
  name: datasetNames[id],
  category: 'Portfolios',
  description: `${datasetNames[id]} by UTC day`,
  minTier: null,
  events: null,
  columns: names.flatMap((name) => {
    const meaning = portfolioColumn(id, name)
    return meaning ? [{ name, label: meaning.label, formula: meaning.formula, meaning, said: null }] : []
  }),
  isListed: true,
  said: null,
})

/** Fields of a request that tell one history of a dataset from another; tickers of a factor are its columns. */
export interface PortfolioSeriesFields {
  id: string
  smoothing?: Smoothing
  exchange?: PortfolioExchange
}

/** Builds the symbol of a series, `id~smoothing~venue`, without what is not chosen. */
export const portfolioSymbol = ({ id, smoothing, exchange }: PortfolioSeriesFields): string =>
  [id, smoothing ?? '', exchange === 'unconstrained' ? '' : (exchange ?? '')].join('~').replace(/~+$/, '')

export function portfolioSymbolFields(symbol: string): PortfolioSeriesFields {
  const [id, smoothing, exchange] = symbol.split('~')
  return {
    id,
    ...(smoothing && { smoothing: smoothing as Smoothing }),
    ...(exchange && { exchange: exchange as PortfolioExchange }),
  }
}

/** `momentum_ls.20, smoothed 10 days, venuea` */
export function portfolioSymbolLabel(symbol: string): string {
  const { id, smoothing, exchange } = portfolioSymbolFields(symbol)
  const smoothed = smoothing === '0' ? 'not smoothed' : smoothing && `smoothed ${smoothing} days`
  return [id, smoothed, exchange].filter(Boolean).join(', ')
}

/** Builds the request of the history behind a series. @param tickers of a factor */
export function portfolioSeriesRequest(
  dataset: PortfolioDatasetId,
  symbol: string,
  tickers: readonly string[],
): HistoryRequest {
  const { id, exchange, ...rest } = portfolioSymbolFields(symbol)
  const endpoint = portfolioDatasetEndpoints[dataset]
  if (endpoint === 'factors') return { endpoint, id, tickers, ...rest }
  return { endpoint, portfolio: id, ...rest, ...(exchange && { exchange }) }
}

/** Finds the dataset and symbol of a history; null for one that is not charted beside metrics. */
export function portfolioSeriesOf(request: HistoryRequest): { dataset: PortfolioDatasetId; symbol: string } | null {
  const dataset = portfolioDatasetIds.find((each) => portfolioDatasetEndpoints[each] === request.endpoint)
  if (!dataset) return null
  if (request.endpoint === 'factors') return { dataset, symbol: portfolioSymbol(request) }
  if (request.endpoint !== 'returns' && request.endpoint !== 'history') return null
  const { portfolio: id, smoothing, exchange } = request
  return { dataset, symbol: portfolioSymbol({ id, smoothing, exchange }) }
}
