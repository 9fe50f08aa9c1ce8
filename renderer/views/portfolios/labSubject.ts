import type { PortfolioSubject } from '#shared/contract/areas/lab.ts'
import type { CallInput } from '#shared/contract/calls.ts'
import { chosenPortfolio, type PortfolioFields } from './addressFields.ts'
import { factorProblem, type FactorAddress, isByDate } from './factors/factorAddress.ts'

type LabUniverse = CallInput<'lab.fromPortfolio'>['universe']

const sizes = ['20', '30', '40'] as const

/** Finds the universe of a size on a venue; null for a size that the service does not list by date. */
export function labUniverse(size: string, exchange: PortfolioSubject['exchange']): LabUniverse {
  const known = sizes.find((each) => each === size)
  return known ? { size: known, exchange: exchange ?? 'unconstrained' } : null
}

/** Builds what a panel of a portfolio’s weights is made of; its universe is the size behind the dot of its name. */
export function labSubject(fields: PortfolioFields): { subject: PortfolioSubject; universe: LabUniverse } | null {
  const chosen = chosenPortfolio(fields)
  if (!chosen) return null
  const { portfolio, ...rest } = chosen
  return {
    subject: { kind: 'weights', id: portfolio, ...rest },
    universe: labUniverse(portfolio.split('.').at(-1) ?? '', rest.exchange),
  }
}

/** Builds what a panel of a factor is made of: its tickers, and the members by date where the page shows those. */
export function labFactor(
  address: FactorAddress,
  tickers: readonly string[],
): { subject: PortfolioSubject; universe: LabUniverse } | null {
  const chosen = chosenPortfolio({ portfolio: address.factor, smoothing: address.smoothing, exchange: address.venue })
  if (!chosen || factorProblem(address) || tickers.length === 0) return null
  const { portfolio: id, exchange, ...rest } = chosen
  return {
    subject: { kind: 'factor', id, tickers: [...tickers], ...rest },
    universe: isByDate(address) ? labUniverse(address.universe, exchange) : null,
  }
}
