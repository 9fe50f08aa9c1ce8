import { portfolioExchanges, smoothings } from '#shared/catalog/portfolioEndpoints.ts'
import type { PortfolioExchange, Smoothing } from '#shared/catalog/portfolioEndpoints.ts'
import { parseDay } from '#shared/time.ts'

/** A portfolio as it stands in an address; empty: not chosen, its own smoothing, unconstrained. */
export interface PortfolioFields {
  portfolio: string
  smoothing: string
  exchange: string
}

export const noPortfolio: PortfolioFields = { portfolio: '', smoothing: '', exchange: '' }

/** Parameters of a request to the service; null if no portfolio is selected. */
export interface ChosenPortfolio {
  portfolio: string
  smoothing?: Smoothing
  exchange?: PortfolioExchange
}

export function chosenPortfolio({ portfolio, smoothing, exchange }: PortfolioFields): ChosenPortfolio | null {
  if (portfolio === '' || fieldProblem({ portfolio, smoothing, exchange })) return null
  return {
    portfolio,
    ...(smoothing && { smoothing: smoothing as Smoothing }),
    ...(exchange && { exchange: exchange as PortfolioExchange }),
  }
}

/** Explains why the fields of an address are not a valid request; null if they are. */
export function fieldProblem({ smoothing, exchange }: PortfolioFields): string | null {
  if (smoothing && !smoothings.some((each) => each === smoothing))
    return `There is no smoothing over ${smoothing} days: choose one of ${smoothings.join(', ')}, or the portfolio’s own.`
  if (exchange && !portfolioExchanges.some((each) => each === exchange))
    return `There is no venue “${exchange}”: choose one of ${portfolioExchanges.join(', ')}.`
  return null
}

/** A portfolio in words: `momentum_ls.20, smoothed 10 days, venuea`. */
export function portfolioWords({ portfolio, smoothing, exchange }: PortfolioFields | ChosenPortfolio): string {
  const smoothed = smoothing === '0' ? 'not smoothed' : smoothing ? `smoothed ${smoothing} days` : ''
  return [portfolio, smoothed, exchange === 'unconstrained' ? '' : exchange].filter(Boolean).join(', ')
}

/** The range of an address as days of it that are none fall away; `end` is exclusive. */
export function daysOf({ from, to }: { from: string; to: string }): { startMs: number | null; endMs: number | null } {
  const endMs = parseDay(to)
  return { startMs: parseDay(from), endMs: endMs === null ? null : endMs + 86_400_000 }
}
