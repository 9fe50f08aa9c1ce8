import { column, last, type MetricColumn } from './column.ts'
import type { KnownDataset } from './knownDatasets.ts'
import type { Smoothing } from './portfolioEndpoints.ts'
import type { HistoryRequest } from './portfolioRequest.ts'

/** Venue under which stored histories of the portfolio service appear as series. */
export const PORTFOLIO_VENUE = 'portfolio'

/** Daily datasets of the portfolio service: returns, and weights and factors with a column per ticker. */
export const portfolioDatasetIds = ['portfolio_returns', 'portfolio_weights', 'portfolio_factors'] as const
export type PortfolioDatasetId = (typeof portfolioDatasetIds)[number]

export const isPortfolioDataset = (id: string): id is PortfolioDatasetId =>
  portfolioDatasetIds.some((each) => each === id)

/** Endpoint from which each dataset's history is requested. */
export const portfolioDatasetEndpoints = {
  portfolio_returns: 'returns',
  portfolio_weights: 'history',
  portfolio_factors: 'factors',
} as const satisfies Record<PortfolioDatasetId, HistoryRequest['endpoint']>

const NULL_WITHOUT_VALUE = 'Null on a day for which the service has no value'

const returnsColumns: readonly MetricColumn[] = [
  column('equity', 'Equity, growth of 1', 'ratio', 'none', 'Growth of 1: Π (1 + return) from the first day', {
    nullRule: NULL_WITHOUT_VALUE,
    resample: last,
  }),
  column('return', 'Return', 'return', 'return', 'Return of the day, as the service reports it', {
    nullRule: NULL_WITHOUT_VALUE,
  }),
]

/** Finds a column of a portfolio dataset; every column of weights or factors is named after a ticker. */
export function portfolioColumn(dataset: string, name: string): MetricColumn | undefined {
  if (dataset === 'portfolio_returns') return returnsColumns.find((each) => each.name === name)
  if (dataset === 'portfolio_weights')
    return column(name, `Weight of ${name}`, 'fraction', 'none', `Weight of ${name} at the end of the day`, {
      nullRule: NULL_WITHOUT_VALUE,
      resample: last,
      large: 'far from 0',
    })
  if (dataset !== 'portfolio_factors') return undefined
  return column(name, `Factor of ${name}`, 'statistic', 'none', `Value of the factor for ${name} on the day`, {
    nullRule: NULL_WITHOUT_VALUE,
    resample: last,
  })
}

const datasetNames: Record<PortfolioDatasetId, string> = {
  portfolio_returns: 'Portfolio returns',
  portfolio_weights: 'Portfolio weights',
  portfolio_factors: 'Portfolio factors',
}

/** Describes a portfolio dataset with the named columns, for the series picker. */
export const portfolioDataset = (id: PortfolioDatasetId, names: readonly string[]): KnownDataset => ({
  id,
  name: datasetNames[id],
  category: 'Portfolios',
  description: `${datasetNames[id]} by UTC day`,
  minTier: null,
  events: null,
  columns: names.flatMap((name) => {
    const meaning = portfolioColumn(id, name)
    return meaning ? [{ name, label: meaning.label, formula: meaning.formula, meaning, serviceTexts: null }] : []
  }),
  isListed: true,
  serviceTexts: null,
})

/** Fields of a request that identify a series. Tickers are not among them, because they become its columns. */
interface PortfolioSeriesFields {
  id: string
  smoothing?: Smoothing
  exchange?: string
}

/** Builds the symbol of a series, `id~smoothing~venue`; unset parts at the end are left out. */
export const portfolioSymbol = ({ id, smoothing, exchange }: PortfolioSeriesFields): string =>
  [id, smoothing ?? '', exchange === 'unconstrained' ? '' : (exchange ?? '')].join('~').replace(/~+$/, '')

function portfolioSymbolFields(symbol: string): PortfolioSeriesFields {
  const [id, smoothing, exchange] = symbol.split('~')
  return {
    id,
    ...(smoothing && { smoothing: smoothing as Smoothing }),
    ...(exchange && { exchange }),
  }
}

/** Returns a label such as `momentum_ls.20, smoothed 10 days, alpha`. */
export function portfolioSymbolLabel(symbol: string): string {
  const { id, smoothing, exchange } = portfolioSymbolFields(symbol)
  const smoothingLabel = smoothing === '0' ? 'not smoothed' : smoothing && `smoothed ${smoothing} days`
  return [id, smoothingLabel, exchange].filter(Boolean).join(', ')
}

/**
 * Builds the request for the history behind a series.
 * @param tickers the tickers of a factor
 */
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

/** Returns the dataset and symbol of a history; null if it cannot be charted as a series. */
export function portfolioSeriesOf(request: HistoryRequest): { dataset: PortfolioDatasetId; symbol: string } | null {
  const dataset = portfolioDatasetIds.find((each) => portfolioDatasetEndpoints[each] === request.endpoint)
  if (!dataset) return null
  if (request.endpoint === 'factors') return { dataset, symbol: portfolioSymbol(request) }
  if (request.endpoint !== 'returns' && request.endpoint !== 'history') return null
  const { portfolio: id, smoothing, exchange } = request
  return { dataset, symbol: portfolioSymbol({ id, smoothing, exchange }) }
}
