import {
  portfolioExchanges,
  smoothings,
  type PortfolioExchange,
  type Smoothing,
} from '#shared/catalog/portfolioEndpoints.ts'
import { parseDay } from '#shared/time.ts'
import { portfoliosText } from '../../text/portfolios.ts'

const { fields: text, problems } = portfoliosText

/** A portfolio as written in the address. Empty texts: none selected, its default smoothing, unconstrained. */
export interface PortfolioFields {
  portfolio: string
  smoothing: string
  exchange: string
}

export const noPortfolio: PortfolioFields = { portfolio: '', smoothing: '', exchange: '' }

/** Parameters of a request to the service. */
export interface ChosenPortfolio {
  portfolio: string
  smoothing?: Smoothing
  exchange?: PortfolioExchange
}

/** Builds the parameters of a request; null if no portfolio is selected or a field is invalid. */
export function chosenPortfolio({ portfolio, smoothing, exchange }: PortfolioFields): ChosenPortfolio | null {
  if (portfolio === '' || fieldProblem({ portfolio, smoothing, exchange })) return null
  return {
    portfolio,
    ...(smoothing && { smoothing: smoothing as Smoothing }),
    ...(exchange && { exchange: exchange as PortfolioExchange }),
  }
}

/** Explains why the fields of an address are not a valid request; null if they are. */
export const fieldProblem = ({ smoothing, exchange }: PortfolioFields): string | null =>
  smoothingProblem(smoothing) ?? venueProblem(exchange)

export const smoothingProblem = (smoothing: string): string | null =>
  smoothing === '' || smoothings.some((each) => each === smoothing) ? null : problems.smoothing(smoothing, smoothings)

export const venueProblem = (exchange: string): string | null =>
  exchange === '' || portfolioExchanges.some((each) => each === exchange)
    ? null
    : problems.venue(exchange, portfolioExchanges)

export const smoothingOptions = [
  { value: '', title: text.smoothingDefault },
  ...smoothings.map((value) => ({ value, title: value === '0' ? text.smoothingNone : text.days(Number(value)) })),
]

export const venueOptions = portfolioExchanges.map((value) => ({
  value: value === 'unconstrained' ? '' : value,
  title: value,
}))

/** Labels a portfolio with its parameters: `momentum_ls.20, smoothed 10 days, venuea`. */
export const portfolioLabel = ({
  portfolio,
  smoothing = '',
  exchange = '',
}: PortfolioFields | ChosenPortfolio): string =>
  text.portfolioLabel(portfolio, smoothing, exchange === 'unconstrained' ? '' : exchange)

/** Splits names at commas, semicolons and line breaks; each name counts once. */
export const tickerList = (names: string): string[] => [
  ...new Set(
    names
      .split(/[,;\n]/)
      .map((name) => name.trim())
      .filter((name) => name !== ''),
  ),
]

/** Number of tickers that one request may name at most. */
const MOST_TICKERS = 2000

export const tickersProblem = (tickers: readonly string[]): string | null =>
  tickers.length > MOST_TICKERS ? problems.tickers(tickers.length, MOST_TICKERS) : null

/** Days of an address, both inclusive; an empty text is an open end. */
export interface DayFields {
  from: string
  to: string
}

export const daysProblem = ({ from, to }: DayFields): string | null =>
  from !== '' && to !== '' && from > to ? problems.dates : null

/** Builds the bounds of a history request, without those that are no valid day. */
export const dayBounds = ({ from, to }: DayFields): { start?: string; end?: string } => ({
  ...(parseDay(from) !== null && { start: from }),
  ...(parseDay(to) !== null && { end: to }),
})
