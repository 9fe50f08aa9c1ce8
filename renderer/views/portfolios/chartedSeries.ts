import { portfolioSymbol } from '#shared/catalog/portfolioSeries.ts'
import type { PortfolioSeries } from '#shared/contract/areas/portfolio.ts'
import type { DailyMatrix } from '#shared/portfolio/dailyMatrix.ts'
import { chosenPortfolio, type PortfolioFields } from './addressFields.ts'
import type { FactorAddress } from './factors/factorAddress.ts'
import { tickersBySize } from './weights/weightFrames.ts'

/** Number of weights that go to the workbench at once: the largest; more lines than this tell nothing. */
const MOST_WEIGHTS = 6

const symbolOf = (fields: PortfolioFields): string | null => {
  const chosen = chosenPortfolio(fields)
  return chosen && portfolioSymbol({ ...chosen, id: chosen.portfolio })
}

/** Builds the series of a portfolio’s returns; null for a file of one’s own or a test. */
export function chartedReturns(fields: PortfolioFields): PortfolioSeries | null {
  const symbol = symbolOf(fields)
  return symbol === null ? null : { dataset: 'portfolio_returns', symbol, columns: ['equity'] }
}

/** Builds the series of the largest weights of a portfolio; null where it has none. */
export function chartedWeights(fields: PortfolioFields, matrix: DailyMatrix): PortfolioSeries | null {
  const symbol = symbolOf(fields)
  const columns = tickersBySize(matrix)
    .slice(0, MOST_WEIGHTS)
    .map(({ ticker }) => ticker)
  return symbol === null || columns.length === 0 ? null : { dataset: 'portfolio_weights', symbol, columns }
}

/** Builds the series of a factor for the tickers that the page draws. */
export function chartedFactor(address: FactorAddress, columns: string[]): PortfolioSeries | null {
  const symbol = symbolOf({ portfolio: address.factor, smoothing: address.smoothing, exchange: '' })
  return symbol === null || columns.length === 0 ? null : { dataset: 'portfolio_factors', symbol, columns }
}
